// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import io.coppice.bench.engine.BenchOptions;
import io.coppice.bench.engine.Child;
import io.coppice.bench.engine.Measured;
import io.coppice.bench.suite.ProgressLine;
import io.coppice.bench.suite.SuiteRow;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * The row of a store that runs in a control group of the size that it promises to keep to. The
 * group is named by who runs the suite, and must be empty and theirs to use; no other is touched.
 */
final class MemoryGroup {

  private static final String ID = "resident_memory_cgroup";
  private static final long HEAP = 1L << 30;
  private static final long BESIDE = 128L << 20;

  private MemoryGroup() {}

  static SuiteRow row(String group, Path data, Measured measured, ProgressLine progress)
      throws IOException, InterruptedException {
    if (group.isEmpty()) {
      return SuiteRow.notMeasured(
          ID, "SKIPPED, as no control group was named: --cgroup=DIRECTORY of one to use");
    }
    BenchOptions options = measured.options(PeerTrials.MAIN);
    long limit = HEAP + options.memoryBytes() + BESIDE;
    Path directory = Path.of(group);
    Path second = directory.resolve("memory.max");
    Path file = Files.exists(second) ? second : directory.resolve("memory.limit_in_bytes");
    try {
      Files.writeString(file, Long.toString(limit));
    } catch (IOException e) {
      return SuiteRow.notMeasured(ID, "SKIPPED, as " + file + " cannot be written");
    }
    List<String> launcher =
        List.of("sh", "-c", "echo $$ > \"$0/cgroup.procs\" && exec \"$@\"", directory.toString());
    Child.Outcome outcome = new Child(Stores.FOREST, data, options, progress, launcher).run();
    double[] survived = {outcome.complete() ? 1 : 0};
    return SuiteRow.moreIsBetter(
        ID,
        "survived",
        survived,
        new double[] {1},
        1,
        (limit >> 20) + " MiB" + (outcome.complete() ? "" : "; " + outcome.failure()));
  }
}
