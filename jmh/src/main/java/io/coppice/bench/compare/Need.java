// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import static io.coppice.bench.suite.Texts.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToLongFunction;

/**
 * How much the runs of a row must hold before the row is judged. All of it is counted, so a slow
 * machine judges the same rows as a fast one. A run that holds less shows its figures without a
 * verdict. Pure.
 *
 * @param flushes in the window of a load
 * @param sstables live at the end of a load
 * @param liveBytes keys and values of the rows alive at the major compaction
 * @param reads point reads during the major compaction
 */
record Need(int flushes, int sstables, long liveBytes, long reads) {

  private static final long MEGABYTE = 1_000_000;
  private static final long MAJOR_BYTES = 1_500 * MEGABYTE;

  /** Write amplification, space and runs per token: means over enough flushes. */
  static final Need LOAD = new Need(65, 0, 0, 0);

  /** Deferred merges: the flushes and several full levels. The first level holds ten SSTables. */
  static final Need LEVELS = new Need(LOAD.flushes, 50, 0, 0);

  /** Space and speed of a major compaction: one SSTable and one second weigh little in it. */
  static final Need MAJOR = new Need(0, 0, MAJOR_BYTES, 0);

  /** The slowest hundredth of the reads during a major compaction. */
  static final Need MAJOR_READS = new Need(0, 0, MAJOR_BYTES, 1_000);

  /** The needs by the names that the table of rows has. */
  static final Map<String, Need> NAMED =
      Map.of("load", LOAD, "levels", LEVELS, "major", MAJOR, "major-reads", MAJOR_READS);

  /** Returns what the given runs lack, or empty if each of them holds enough. */
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
