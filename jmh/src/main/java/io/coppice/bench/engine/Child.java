// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One store measured once, in a process of its own on the class path of this one. The heap is fixed
 * and the same for all, and nothing else is set.
 */
final class Child {

  /** How one process ended. */
  record Outcome(String store, List<CellResult> results, String wrong, String failure) {

    boolean complete() {
      return wrong == null && failure == null;
    }
  }

  private static final String HEAP = "1g";

  private final String kind;
  private final Path directory;
  private final BenchOptions options;
  private final ProgressLine progress;
  private volatile Process process;

  Child(String kind, Path directory, BenchOptions options, ProgressLine progress) {
    this.kind = kind;
    this.directory = directory;
    this.options = options;
    this.progress = progress;
  }

  static String flags() {
    return "-Xms" + HEAP + " -Xmx" + HEAP + " -XX:+UseG1GC";
  }

  /** Runs the process to its end; removes its data. */
  Outcome run() throws IOException, InterruptedException {
    Directories.delete(directory);
    Files.createDirectories(directory);
    Path errors = directory.resolve("stderr.txt");
    Thread atExit = new Thread(this::stop);
    Runtime.getRuntime().addShutdownHook(atExit);
    try {
      process = new ProcessBuilder(command()).redirectError(errors.toFile()).start();
      Outcome outcome = listen(process, errors);
      Runtime.getRuntime().removeShutdownHook(atExit);
      return outcome;
    } finally {
      stop();
    }
  }

  private List<String> command() {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(flags().split(" ")));
    // RocksDB's binding unpacks its library there.
    command.add("-Djava.io.tmpdir=" + directory);
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(StoreProcess.class.getName());
    command.add(kind);
    command.add(directory.toString());
    command.addAll(options.arguments());
    return command;
  }

  private Outcome listen(Process child, Path errors) throws IOException, InterruptedException {
    String store = kind;
    String wrong = null;
    List<CellResult> results = new ArrayList<>();
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(child.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        int space = line.indexOf(' ');
        String rest = line.substring(space + 1);
        switch (space < 0 ? line : line.substring(0, space)) {
          case "store" -> store = rest;
          case "wrong" -> wrong = rest;
          case "result" -> {
            results.add(CellResult.parse(rest));
            progress.finished();
          }
          case "at" -> {
            String[] words = rest.split(" ");
            progress.at(words[0], Long.parseLong(words[1]), Long.parseLong(words[2]));
          }
          default -> throw new IOException("not understood from " + kind + ": " + line);
        }
      }
    }
    int code = child.waitFor();
    String failure =
        code == 0 || wrong != null
            ? null
            : kind + " ended with code " + code + ":\n" + Files.readString(errors).strip();
    return new Outcome(store, results, wrong, failure);
  }

  /** Ends the process if it still runs, and removes its data. */
  private void stop() {
    Process running = process;
    try {
      if (running != null && running.isAlive()) {
        running.destroyForcibly().waitFor();
      }
      Directories.delete(directory);
    } catch (IOException e) {
      // The next run removes it.
      return;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
