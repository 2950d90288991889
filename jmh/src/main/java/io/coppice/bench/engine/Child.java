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
 * nothing else is set but what a peer cannot do without. Used once.
 */
public final class Child {

  /**
   * How one process ended.
   *
   * @param store its description
   * @param wrong the first wrong answer, or null
   * @param failure why it ended early, or null
   */
  public record Outcome(
      String store, List<CellResult> results, List<Second> seconds, String wrong, String failure) {

    /** Copies the lists. */
    public Outcome {
      results = List.copyOf(results);
      seconds = List.copyOf(seconds);
    }

    /** True if its figures count. */
    public boolean complete() {
      return wrong == null && failure == null;
    }
  }

  private static final String HEAP = "1g";

  /** Direct memory beside the budget: buffers of clients and of readers. */
  private static final long DIRECT_BESIDE = 512L << 20;

  private static final List<String> LMDB_FLAGS =
      List.of(
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");

  private final StoreSpec spec;
  private final Path directory;
  private final BenchOptions options;
  private final ProgressLine progress;
  private final List<String> launcher;
  private final List<CellResult> results = new ArrayList<>();
  private final List<Second> seconds = new ArrayList<>();
  private String store;
  private String wrong;

  /** Whether each workload is a step of the progress. */
  private boolean steps = true;

  /** Prepares; the directory must be nobody else's. */
  public Child(StoreSpec spec, Path directory, BenchOptions options, ProgressLine progress) {
    this(spec, directory, options, progress, List.of());
  }

  /**
   * Prepares.
   *
   * @param launcher words before the command of the JVM
   */
  public Child(
      StoreSpec spec,
      Path directory,
      BenchOptions options,
      ProgressLine progress,
      List<String> launcher) {
    this.spec = spec;
    this.store = spec.label();
    this.directory = directory;
    this.options = options.with(List.of(spec));
    this.progress = progress;
    this.launcher = launcher;
  }

  /** Leaves it to the caller to count the process as one step of the progress. */
  public Child inOneStep() {
    steps = false;
    return this;
  }

  /** The flags of every JVM. */
  public static String flags() {
    return "-Xms" + HEAP + " -Xmx" + HEAP + " -XX:+UseG1GC";
  }

  /** Runs the process to its end; removes its data. */
  public Outcome run() throws IOException, InterruptedException {
    Directories.delete(directory);
    Files.createDirectories(directory);
    try {
      List<String> arguments = new ArrayList<>(List.of(directory.toString()));
      arguments.addAll(options.arguments());
      ChildJava.Ended ended =
          new ChildJava(directory, jvmFlags(), StoreProcess.class, arguments, launcher)
              .run(this::hear);
      String failure =
          ended.code() == 0 || wrong != null
              ? null
              : spec.label() + " ended with code " + ended.code() + ":\n" + ended.errors();
      return new Outcome(store, results, seconds, wrong, failure);
    } finally {
      Directories.delete(directory);
    }
  }

  private List<String> jvmFlags() {
    List<String> flags = new ArrayList<>(List.of(flags().split(" ")));
    flags.add("-XX:MaxDirectMemorySize=" + (options.memoryBytes() + DIRECT_BESIDE));
    if (spec.kind() == StoreSpec.Kind.LMDB) {
      flags.addAll(LMDB_FLAGS);
    }
    // Bindings unpack their libraries there.
    flags.add("-Djava.io.tmpdir=" + directory);
    return flags;
  }

  private void hear(String line) throws IOException {
    int space = line.indexOf(' ');
    String rest = line.substring(space + 1);
    switch (space < 0 ? line : line.substring(0, space)) {
      case "store" -> store = rest;
      case "wrong" -> wrong = rest;
      case "second" -> seconds.add(Second.parse(rest));
      case "result" -> {
        results.add(CellResult.parse(rest));
        if (steps) {
          progress.finished();
        } else {
          progress.partDone();
        }
      }
      case "at" -> {
        String[] words = rest.split(" ");
        progress.at(words[0], Long.parseLong(words[1]), Long.parseLong(words[2]));
      }
      default -> {
        if (spec.isOurs()) {
          throw new IOException("not understood from " + spec.label() + ": " + line);
        }
        // Libraries of peers may print what they like.
      }
    }
  }
}
