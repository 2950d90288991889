// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import io.coppice.Store;
import io.coppice.bench.suite.ChildTask;
import io.coppice.bench.suite.ParentLines;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;

/**
 * Process that loads four runs, merges them until it kills itself, or resumes such a merge and
 * reports the tables written again.
 */
final class ResumeProcess {

  /** Task of a process. */
  enum Step {
    LOAD,
    KILL,
    RESUME
  }

  /** Exit code of a process that killed itself; no other process ends with it. */
  static final int KILLED = 137;

  /** The file, beside the store, that says how many bytes of tables such a process has made. */
  static final String MADE = "made";

  private static final int MAX_ENTRIES = 400_000;
  private static final String TOTAL = "written";

  private final Path directory;
  private final FourRuns runs;

  private ResumeProcess(Task task) {
    directory = task.directory;
    runs = new FourRuns(directory, Math.min(task.entries, MAX_ENTRIES), task.seed);
  }

  /** Returns the bytes of its keys and values at the largest scale. */
  static long maxBytes() {
    return FourRuns.bytes(MAX_ENTRIES);
  }

  /**
   * Work of a process.
   *
   * @param share of the merge that is written before the process kills itself
   */
  record Task(Step step, Path directory, int entries, long seed, double share)
      implements ChildTask {
    @Override
    public void run(ParentLines parent) throws Exception {
      ResumeProcess process = new ResumeProcess(this);
      switch (step) {
        case LOAD -> process.load();
        case KILL -> process.kill(share);
        case RESUME -> parent.say("result", process.resume());
      }
    }
  }

  /** Loads the four runs and leaves the size of all tables in a file. */
  private void load() throws IOException {
    Files.writeString(directory.resolveSibling(TOTAL), Long.toString(runs.load(false)));
  }

  private long total() throws IOException {
    return Long.parseLong(Files.readString(directory.resolveSibling(TOTAL)));
  }

  /** Halts without cleanup once the given share of the merge is written. */
  private void kill(double share) throws Exception {
    Set<Path> before = runs.tables();
    long wanted = (long) (share * total());
    Store store = runs.open(false);
    Thread merge = FourRuns.merge(store);
    while (merge.isAlive() && runs.made(before) < wanted) {
      Thread.onSpinWait();
    }
    Files.writeString(directory.resolveSibling(MADE), Long.toString(runs.made(before)));
    Runtime.getRuntime().halt(KILLED);
  }

  /** Returns the tables that were made before the end and are made again. */
  private double resume() throws Exception {
    try (Store store = runs.open(false)) {
      store.compact();
      store.awaitIdle();
      long made = Long.parseLong(Files.readString(directory.resolveSibling(MADE)));
      long again = made + store.stats().mergedBytes() - total();
      runs.check(store);
      return Math.max(0, (double) again / runs.tableBytes());
    }
  }
}
