// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import io.coppice.bench.engine.Child;
import io.coppice.bench.engine.Trial;
import io.coppice.bench.engine.TrialResults;
import io.coppice.bench.report.SuiteRow;
import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.suite.ControlGroup;
import io.coppice.bench.suite.ProgressLine;
import io.coppice.bench.suite.RunFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Measurement of the resident memory of a store in a control group, whose limit is the memory that
 * the store promises to keep to. The user names the group, which must be empty and writable. The
 * suite changes no other group.
 */
final class MemoryGroup {

  private static final String ID = "resident_memory_cgroup";
  private static final long HEAP = 1L << 30;
  private static final long BESIDE = 128L << 20;

  private MemoryGroup() {}

  /**
   * Returns the report's row about the store in the group. If the group cannot be used, the row
   * gives the reason.
   *
   * @param seconds expected duration, for the progress
   * @throws RunFailedException if the store answered wrongly, which invalidates the whole run
   */
  static SuiteRow row(
      String group, Path data, TrialResults measured, ProgressLine progress, double seconds)
      throws IOException, InterruptedException, RunFailedException {
    if (measured != null && !measured.has(PeerTrials.MAIN)) {
      return skipped("its load, " + PeerTrials.MAIN + ", was left out");
    }
    if (group.isEmpty()) {
      return skipped("no control group was named: --cgroup=DIRECTORY of one to use");
    }
    Path directory = Path.of(group);
    Optional<String> unusable = unusable(directory);
    if (unusable.isPresent()) {
      return skipped(unusable.get());
    }
    BenchOptions options = measured.options(PeerTrials.MAIN);
    long limit = HEAP + options.memoryBytes() + BESIDE;
    Path second = directory.resolve("memory.max");
    Path file = Files.exists(second) ? second : directory.resolve("memory.limit_in_bytes");
    try {
      Files.writeString(file, Long.toString(limit));
    } catch (IOException e) {
      return skipped(file + " cannot be written");
    }
    progress.begin("main in its group", options.benchmarks().size(), seconds);
    String[] launcher = ControlGroup.launcher(directory).toArray(String[]::new);
    return of(limit, new Child(Stores.FOREST, data, options, progress, launcher).inOneStep().run());
  }

  /**
   * Returns the expected seconds of the process in the group on a machine of nominal speed; 0 if
   * the trials lack its load.
   */
  static double seconds(List<Trial> trials) {
    return trials.stream()
        .filter(trial -> trial.id().equals(PeerTrials.MAIN))
        .mapToDouble(Trial::seconds)
        .sum();
  }

  /**
   * Returns the reason why processes cannot run in a group; empty if they can. A short process
   * tries it.
   */
  private static Optional<String> unusable(Path directory)
      throws IOException, InterruptedException {
    Path members = directory.resolve("cgroup.procs");
    try {
      if (!Files.readString(members).isBlank()) {
        return Optional.of(directory + " is not empty: it must be a group of its own");
      }
    } catch (IOException e) {
      return Optional.of(members + " cannot be read");
    }
    List<String> command = new ArrayList<>(ControlGroup.launcher(directory));
    command.add("true");
    int code =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start()
            .waitFor();
    return code == 0 ? Optional.empty() : Optional.of(members + " cannot be written");
  }

  private static SuiteRow skipped(String reason) {
    return SuiteRow.notMeasured(ID, "SKIPPED, as " + reason);
  }

  /**
   * Returns the report's row about a run in a group.
   *
   * @param limit memory limit of the group in bytes
   * @throws RunFailedException if the store answered wrongly
   */
  static SuiteRow of(long limit, Child.Outcome outcome) throws RunFailedException {
    if (outcome.wrong() != null) {
      throw new RunFailedException(
          "wrong answer of " + Stores.FOREST.label() + " in its group: " + outcome.wrong(), true);
    }
    double[] survived = {outcome.complete() ? 1 : 0};
    return SuiteRow.moreIsBetter(
        ID,
        "survived",
        survived,
        new double[] {1},
        1,
        (limit >> 20)
            + " MiB"
            + (outcome.complete() ? "" : "; " + outcome.failure().lines().findFirst().orElse("")));
  }
}
