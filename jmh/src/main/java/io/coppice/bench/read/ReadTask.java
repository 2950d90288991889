// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.bench.suite.ChildTask;
import io.coppice.bench.suite.ParentLines;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/**
 * Task of one process of the suite {@code read}.
 *
 * @param data directory of all data sets
 * @param subject name of the data set or side; empty if the task has no choice
 * @param round number of the round, from 1
 * @param cells ids of its measurements, in order
 */
record ReadTask(
    Kind kind, Path data, ReadOptions options, String subject, int round, List<String> cells)
    implements ChildTask {

  /** Kinds of tasks of a process. */
  enum Kind {
    LOAD,
    RUNS,
    COUNTS,
    SIDE
  }

  @Override
  public void run(ParentLines parent) throws Exception {
    switch (kind) {
      case LOAD -> new LoadProcess(this, parent).load();
      case RUNS -> new RunsProcess(this, parent).run(cells(Contest::named));
      case COUNTS -> new CountsProcess(options, data, parent).run();
      case SIDE -> SideProcess.measure(this, parent);
    }
  }

  /** Returns the seed of the random numbers of this round. */
  long seed() {
    return options.seed() + ((long) round << 32);
  }

  ReadScale scale() {
    return options.scale();
  }

  <T> List<T> cells(Function<String, T> named) {
    return cells.stream().map(named).toList();
  }
}
