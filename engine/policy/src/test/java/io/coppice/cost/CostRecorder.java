// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cost;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Records the processor time of every test class that Surefire or Failsafe runs, child processes
 * included. A class is charged with all that its JVM has used since the class before, so the
 * records of a JVM add up to what the JVM has used.
 *
 * <p>JUnit finds this extension by itself in every module that has the test jar of the policies.
 * The POM passes the file for the records ({@code coppice.cost.file}) and the name of the build
 * ({@code coppice.cost.build}). Without them nothing is recorded.
 */
public final class CostRecorder implements BeforeAllCallback, AfterAllCallback {

  private static final String FILE = System.getProperty("coppice.cost.file");
  private static final String BUILD = System.getProperty("coppice.cost.build");

  private static long charged;
  private static String last;

  @Override
  public void beforeAll(ExtensionContext context) {
    // Only what follows the last class of a JVM has no class after it.
    if (FILE != null && last == null) {
      last = context.getRequiredTestClass().getName();
      Runtime.getRuntime().addShutdownHook(new Thread(() -> charge(last)));
    }
  }

  @Override
  public void afterAll(ExtensionContext context) {
    Class<?> type = context.getRequiredTestClass();
    if (FILE != null && type.getEnclosingClass() == null) {
      charge(type.getName());
    }
  }

  private static synchronized void charge(String name) {
    long used = ProcessorTime.millis();
    try {
      new CostFile(Path.of(FILE)).add(new Cost(BUILD, used - charged, name));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    charged = used;
    last = name;
  }
}
