// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import io.coppice.bench.store.ResourceCheck;
import io.coppice.bench.suite.ChildJava;
import io.coppice.bench.suite.ChildTask;
import io.coppice.bench.suite.Directories;
import io.coppice.bench.suite.ProgressLine;
import io.coppice.bench.suite.RunFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Experiment on interrupted merges. It kills processes at random points of a merge of four runs,
 * reopens the store, and counts the tables written again; each kill uses a copy of one load. It
 * then pauses such a merge, once while lookups read from the device and once while they read from
 * memory.
 */
record ResumptionRun(PaperScale scale, long seed, Path data, ProgressLine progress) {

  private static final List<String> FLAGS = List.of("-Xms256m", "-Xmx512m", "-XX:+UseSerialGC");

  private static final double SECONDS_OF_PROCESS = 1.5;

  private static final double SECONDS_OF_PAUSED = 15;

  /** Number of processes whose merge is paused. */
  private static final int PAUSED = 2;

  /** Number of copies of the store on disk: the load, and the copy in use. */
  private static final int COPIES = 2;

  /** Returns a sentence about the lacking resource; empty if the machine has enough. */
  static Optional<String> lacking(Path target) throws IOException {
    long killed = COPIES * ResourceCheck.peakBytes(ResumeProcess.maxBytes());
    return ResourceCheck.lacking(
        Math.max(killed, ResourceCheck.peakBytes(PauseProcess.maxBytes())), 0, target);
  }

  /** Returns the expected seconds on a machine of nominal speed. */
  static double seconds(PaperScale scale) {
    double share = Math.min(1, (double) scale.entries() / PauseProcess.MAX_ENTRIES);
    return SECONDS_OF_PROCESS * processes(scale) + SECONDS_OF_PAUSED * PAUSED * share;
  }

  /** Returns the number of processes: one that loads, two for each kill, and the paused ones. */
  private static int processes(PaperScale scale) {
    return 1 + 2 * scale.kills() + PAUSED;
  }

  Resumption run() throws IOException, InterruptedException, RunFailedException {
    Path base = data.resolve("base");
    Files.createDirectories(base);
    progress.begin("merges that are killed and paused", processes(scale), seconds(scale));
    long total = child(new ResumeProcess.Load(merged(base)), "LOAD", Long.class);
    Random random = new Random(seed);
    double most = 0;
    for (int kill = 0; kill < scale.kills(); kill++) {
      progress.at("kill " + (kill + 1), 0.0);
      Path copy = copy(base);
      long made = kill(copy, (long) (random.nextDouble() * total));
      ChildTask resume = new ResumeProcess.Resume(merged(copy), total, made);
      most = Math.max(most, child(resume, "RESUME", Double.class));
    }
    Directories.delete(data.resolve("copy"));
    Directories.delete(base);
    Pauses onDevice = pauses(true);
    Pauses inMemory = pauses(false);
    Directories.delete(data);
    progress.finished();
    return new Resumption(scale.kills(), most, FourRuns.CLEANING + 1.0, onDevice, inMemory);
  }

  private Pauses pauses(boolean direct)
      throws IOException, InterruptedException, RunFailedException {
    progress.at("pauses", 0.0);
    Path store = Files.createDirectories(data.resolve("paused"));
    PauseProcess.Task task = new PauseProcess.Task(store, scale.entries(), direct, seed);
    Pauses found = child(task, "PAUSE", Pauses.class);
    Directories.delete(store);
    return found;
  }

  private ResumeProcess.Merged merged(Path directory) {
    return new ResumeProcess.Merged(directory, scale.entries(), seed);
  }

  /**
   * Runs a process that kills itself after a part of the merge, and returns the bytes that the
   * merge wrote. A kill from outside would depend on the start time of the process.
   *
   * @param wanted least bytes that the merge writes before
   * @throws RunFailedException if the process fails otherwise
   */
  long kill(Path store, long wanted) throws IOException, InterruptedException, RunFailedException {
    ChildTask kill = new ResumeProcess.Kill(merged(store), wanted);
    return child(kill, "KILL", Long.class);
  }

  private Path copy(Path base) throws IOException {
    Path copy = data.resolve("copy");
    Directories.delete(copy);
    Files.createDirectories(copy);
    try (Stream<Path> files = Files.list(base)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName()));
      }
    }
    return copy;
  }

  private <T> T child(ChildTask task, String name, Class<T> type)
      throws IOException, InterruptedException, RunFailedException {
    T result = new ChildJava(data, FLAGS, task).result(type, name, progress);
    progress.partDone();
    return result;
  }
}
