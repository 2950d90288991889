// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Processes of tests. */
public final class JavaProcess {

  private static final long LIMIT_SECONDS = 120;

  private JavaProcess() {}

  /** Prepares a JVM that compiles quickly; errors go where its output goes. */
  public static ProcessBuilder of(Path directory, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
  }

  /** Exit code of a program, and its output on both streams. */
  public record Printed(int code, String text) {}

  /** Runs a program with its output in a file, and kills it if it takes far too long. */
  public static Printed run(ProcessBuilder program, Path output)
      throws IOException, InterruptedException {
    Process process = program.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly().waitFor();
    }
    return new Printed(process.exitValue(), Files.readString(output));
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
