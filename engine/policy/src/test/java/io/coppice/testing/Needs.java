// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.testing;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;

/**
 * What a test needs of the machine. Without it the test is aborted, which the last lines of the
 * build count, and says {@code SKIPPED} and why.
 */
public final class Needs {

  private Needs() {}

  /** The path of a program. */
  public static Path program(String name) {
    String places = System.getenv().getOrDefault("PATH", "") + File.pathSeparator + "/usr/sbin";
    Optional<Path> found =
        Arrays.stream(places.split(File.pathSeparator))
            .filter(place -> !place.isEmpty())
            .map(place -> Path.of(place, name))
            .filter(Files::isExecutable)
            .findFirst();
    return found.orElseThrow(() -> missing("there is no program " + name));
  }

  /** Goes on only if this holds. */
  public static void that(boolean holds, String otherwise) {
    if (!holds) {
      throw missing(otherwise);
    }
  }

  private static RuntimeException missing(String reason) {
    String test =
        StackWalker.getInstance()
            .walk(
                frames ->
                    frames
                        .map(StackWalker.StackFrame::getClassName)
                        .filter(name -> name.endsWith("Test") || name.endsWith("IT"))
                        .findFirst()
                        .orElse(""));
    System.out.println("SKIPPED " + test.replaceAll(".*[.]", "") + ": " + reason);
    Assumptions.abort(reason);
    throw new AssertionError("not aborted");
  }
}
