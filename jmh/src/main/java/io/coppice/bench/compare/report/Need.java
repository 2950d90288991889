// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare.report;

import static io.coppice.bench.report.Texts.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * Amounts that the runs of a row must reach before the row is judged. They are counts and bytes, so
 * a slow machine judges the same rows as a fast one. A run below them shows its figures without a
 * verdict. Pure.
 *
 * @param flushes flushes over which the means of the load are taken
 * @param sstables live SSTables at the end of the load
 * @param liveBytes keys and values of the rows alive at the major compaction
 * @param reads point reads during the major compaction
 */
record Need(int flushes, int sstables, long liveBytes, long reads) {

  private static final long MEGABYTE = 1_000_000;
  private static final long MAJOR_BYTES = 1_500 * MEGABYTE;

  /** Needs of write amplification, space and runs per token, which are means over flushes. */
  static final Need LOAD = new Need(65, 0, 0, 0);

  /**
   * Needs of deferred merges: the flushes of {@link #LOAD}, and SSTables for several full levels.
   * The first level holds ten.
   */
  static final Need LEVELS = new Need(LOAD.flushes, 50, 0, 0);

  /**
   * Needs of space and speed of a major compaction, so that one SSTable and one second weigh
   * little.
   */
  static final Need MAJOR = new Need(0, 0, MAJOR_BYTES, 0);

  /** Needs of the 99th percentile of reads during a major compaction. */
  static final Need MAJOR_READS = new Need(0, 0, MAJOR_BYTES, 1_000);

  /** Needs by the names that the table of rows uses. */
  static final Map<String, Need> NAMED =
      Map.of("load", LOAD, "levels", LEVELS, "major", MAJOR, "major-reads", MAJOR_READS);

  /** Returns a text about the missing amounts of the given runs; empty if each run has enough. */
  Optional<String> lack(List<RunResult> runs) {
    List<String> lacking = new ArrayList<>();
    lack(lacking, "flushes in the window", flushes, least(runs, Need::flushes));
    lack(lacking, "live SSTables", sstables, least(runs, Need::sstables));
    lack(
        lacking,
        "MB of live data",
        liveBytes / MEGABYTE,
        least(runs, run -> run.major().liveBytes()) / MEGABYTE);
    lack(lacking, "reads meanwhile", reads, least(runs, run -> run.major().reads()));
    return lacking.isEmpty()
        ? Optional.empty()
        : Optional.of("not judged at this scale: " + String.join(", ", lacking));
  }

  private static void lack(List<String> lacking, String what, long needed, long held) {
    if (held < needed) {
      lacking.add(text("%,d of %,d %s", held, needed, what));
    }
  }

  private static long least(List<RunResult> runs, ToLongFunction<RunResult> held) {
    return runs.stream().mapToLong(held).min().orElse(0);
  }

  private static long flushes(RunResult run) {
    return run.load().window().flushes();
  }

  private static long sstables(RunResult run) {
    return run.load().structure().tables();
  }
}
