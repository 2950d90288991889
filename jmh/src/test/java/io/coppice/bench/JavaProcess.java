// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Processes of tests. */
public final class JavaProcess {

  private JavaProcess() {}

  /** Prepares a JVM that compiles quickly; errors go where its output goes. */
  public static ProcessBuilder of(Path directory, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
  }

  /** Starts the packaged benchmarks. */
  public static Process ofJar(Path directory, String command, String... options)
      throws IOException {
    ProcessBuilder process = of(directory, "-jar", System.getProperty("coppice.bench.jar"));
    process.command().addAll(List.of(command.split(" ")));
    process.command().addAll(List.of(options));
    return process.start();
  }

  /** Returns all that a process prints until it ends. */
  public static String text(Process process) throws IOException {
    try (InputStream in = process.getInputStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
