// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.bench.suite.ParentLines;
import io.coppice.bench.suite.RecordJson;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;

/**
 * Task of one process of the suite.
 *
 * @param data directory of all data sets
 * @param subject name of the data set or side; empty where a process has no choice
 * @param cells ids of the measured cells, in order
 */
record ReadTask(Path data, ReadOptions options, String subject, int round, List<String> cells) {

  /** Work on a task. */
  interface Work {
    void run(ReadTask task, ParentLines parent) throws Exception;
  }

  /** Does the work of the task in a process's arguments. */
  static void main(String[] args, Work work) throws Exception {
    ParentLines parent = new ParentLines(System.out);
    ReadTask task = RecordJson.parse(args[0], ReadTask.class);
    ParentLines.work(() -> work.run(task, parent));
  }

  /** Returns the seed of this round's draws. */
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
