// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import io.coppice.Store;
import io.coppice.bench.suite.BenchExitCode;
import io.coppice.bench.suite.ChildTask;
import io.coppice.bench.suite.ParentLines;
import java.nio.file.Path;
import java.util.Set;

/**
 * Processes that load a store of four runs, merge them until they kill themselves, or resume such a
 * merge and report the tables written again.
 */
final class ResumeProcess {

  private static final int MAX_ENTRIES = 400_000;

  private ResumeProcess() {}

  /** Returns the bytes of the process's keys and values at the largest scale. */
  static long maxBytes() {
    return FourRuns.bytes(MAX_ENTRIES);
  }

  /**
   * Directory and content of the store of four runs that the processes open one after the other.
   *
   * @param entries keys in all, above 400,000 taken as 400,000
   * @param seed seed of keys and values
   */
  record Merged(Path directory, int entries, long seed) {
    private FourRuns runs() {
      return new FourRuns(directory, Math.min(entries, MAX_ENTRIES), seed);
    }
  }

  /** Loads the four runs and reports the bytes of all tables. */
  record Load(Merged store) implements ChildTask {
    @Override
    public void run(ParentLines parent) {
      parent.say("result", store.runs().load(false));
    }
  }

  /**
   * Reports the bytes of the tables that a merge wrote, and halts without cleanup.
   *
   * @param wanted least bytes that the merge writes before
   */
  record Kill(Merged store, long wanted) implements ChildTask {
    @Override
    public void run(ParentLines parent) {
      FourRuns runs = store.runs();
      Set<Path> before = runs.tables();
      Thread merge = FourRuns.merge(runs.open(false));
      while (merge.isAlive() && runs.made(before) < wanted) {
        Thread.onSpinWait();
      }
      parent.say("result", runs.made(before));
      Runtime.getRuntime().halt(BenchExitCode.DONE);
    }
  }

  /**
   * Resumes the killed merge and reports the bytes it wrote again, in tables (a fraction; 0 if
   * none).
   *
   * @param merged store of the killed process
   * @param total bytes of all tables
   * @param made bytes of the tables that the merge had written when it was killed
   */
  record Resume(Merged merged, long total, long made) implements ChildTask {
    @Override
    public void run(ParentLines parent) {
      FourRuns runs = merged.runs();
      try (Store store = runs.open(false)) {
        store.compact();
        store.awaitIdle();
        long again = made + store.stats().mergedBytes() - total;
        runs.check(store);
        parent.say("result", Math.max(0, (double) again / runs.tableBytes()));
      }
    }
  }
}
