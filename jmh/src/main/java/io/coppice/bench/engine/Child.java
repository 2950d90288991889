// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.report.RecordJson;
import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.StoreSpec;
import io.coppice.bench.suite.ChildJava;
import io.coppice.bench.suite.Directories;
import io.coppice.bench.suite.ProgressLine;
import io.coppice.bench.suite.RunFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Child process that runs one store once. The process of every store has the same fixed heap; other
 * stores than Coppice get only the settings that they need. Used once.
 */
public final class Child {

  /**
   * Outcome of one process.
   *
   * @param store description of the store
   * @param seconds figures of each second, if the options request them
   * @param wrong the first wrong answer, or null
   * @param failure reason of an early end, or null
   */
  public record Outcome(
      String store, List<CellResult> results, List<Second> seconds, String wrong, String failure) {

    public Outcome {
      results = List.copyOf(results);
      seconds = List.copyOf(seconds);
    }

    /**
     * Returns whether the process ended normally without a wrong answer, so that its figures are
     * valid.
     */
    public boolean complete() {
      return wrong == null && failure == null;
    }

    /**
     * Checks that the figures are valid.
     *
     * @throws RunFailedException if they are not
     */
    public void check() throws RunFailedException {
      if (!complete()) {
        throw new RunFailedException(failure, wrong != null);
      }
    }
  }

  private static final String HEAP = "1g";

  /** Direct memory in bytes in addition to the memory budget: buffers of clients and readers. */
  private static final long DIRECT_BESIDE = 512L << 20;

  private static final List<String> LMDB_FLAGS =
      List.of(
          "--add-opens=java.base/java.nio=ALL-UNNAMED",
          "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");

  private final StoreSpec spec;
  private final Path directory;
  private final BenchOptions options;
  private final ProgressLine progress;
  private final String[] launcher;
  private final List<CellResult> results = new ArrayList<>();
  private final List<Second> seconds = new ArrayList<>();
  private String store;

  /** Whether each workload is a step of the progress. */
  private boolean steps = true;

  /**
   * Prepares a process with exclusive use of the directory.
   *
   * @param launcher words before the command of the JVM
   */
  public Child(
      StoreSpec spec,
      Path directory,
      BenchOptions options,
      ProgressLine progress,
      String... launcher) {
    this.spec = spec;
    this.store = spec.label();
    this.directory = directory;
    this.options = options.with(List.of(spec));
    this.progress = progress;
    this.launcher = launcher.clone();
  }

  /** Reports each workload as a part of one step instead of a step of its own. */
  public Child inOneStep() {
    steps = false;
    return this;
  }

  /** Returns the flags that every measured JVM gets, separated by blanks. */
  public static String flags() {
    return "-Xms" + HEAP + " -Xmx" + HEAP + " -XX:+UseG1GC";
  }

  /**
   * Runs the process to its end and removes its data. A wrong answer or a failure of the process
   * does not throw; the outcome states it.
   *
   * @throws IOException if the process cannot start, or its directory stays
   */
  public Outcome run() throws IOException, InterruptedException {
    Directories.delete(directory);
    Files.createDirectories(directory);
    try {
      StoreProcess process = new StoreProcess(directory, options);
      ChildJava.Ended ended =
          new ChildJava(directory, jvmFlags(), process, launcher).run(progress, heard());
      return new Outcome(
          store, results, seconds, ended.wrong(), ended.failure(spec.label()).orElse(null));
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

  private Map<String, ChildJava.Lines> heard() {
    Map<String, ChildJava.Lines> heard = new HashMap<>();
    heard.put("store", line -> store = line);
    heard.put("second", line -> seconds.add(RecordJson.parse(line, Second.class)));
    heard.put(
        "result",
        line -> {
          results.add(RecordJson.parse(line, CellResult.class));
          if (steps) {
            progress.finished();
          } else {
            progress.partDone();
          }
        });
    if (!spec.isOurs()) {
      // Libraries of peers may print what they like.
      heard.put("", line -> {});
    }
    return heard;
  }
}
