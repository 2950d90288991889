// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.Directories;
import io.coppice.bench.suite.ChildJava;
import io.coppice.bench.suite.ProgressLine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One store measured once, in a process of its own. The heap is fixed and the same for all, and
 * nothing else is set. Used once.
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
  private final List<CellResult> results = new ArrayList<>();
  private String store;
  private String wrong;

  Child(String kind, Path directory, BenchOptions options, ProgressLine progress) {
    this.kind = kind;
    this.store = kind;
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
    try {
      ChildJava.Ended ended =
          new ChildJava(directory, jvmFlags(), StoreProcess.class, arguments()).run(this::hear);
      String failure =
          ended.code() == 0 || wrong != null
              ? null
              : kind + " ended with code " + ended.code() + ":\n" + ended.errors();
      return new Outcome(store, results, wrong, failure);
    } finally {
      Directories.delete(directory);
    }
  }

  private List<String> jvmFlags() {
    List<String> flags = new ArrayList<>(List.of(flags().split(" ")));
    // RocksDB's binding unpacks its library there.
    flags.add("-Djava.io.tmpdir=" + directory);
    return flags;
  }

  private List<String> arguments() {
    List<String> arguments = new ArrayList<>(List.of(kind, directory.toString()));
    arguments.addAll(options.arguments());
    return arguments;
  }

  private void hear(String line) throws IOException {
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
