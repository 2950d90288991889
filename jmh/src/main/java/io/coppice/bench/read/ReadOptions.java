// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.suite.OptionReader;
import java.util.List;
import java.util.Map;

/**
 * Options of the suite {@code read}.
 *
 * @param seconds duration of each side in each round, above 0
 * @param rounds number of times that each side is measured
 * @param rows glob for the ids of the rows to measure
 * @param keep whether the data stay for a later run
 * @param record whether each process makes a flight recording
 * @param progress {@code bar}, {@code plain} or {@code auto}
 */
public record ReadOptions(
    ReadScale scale,
    double seconds,
    int rounds,
    String rows,
    long seed,
    boolean keep,
    boolean record,
    String progress) {

  private static final List<String> NAMES =
      List.of("suite", "scale", "seconds", "rounds", "rows", "seed", "keep", "record", "progress");

  private static final double MAX_SECONDS = 3600;
  private static final int MAX_ROUNDS = 99;

  /**
   * Reads options by name, without their dashes; missing ones have their defaults.
   *
   * @param unknown arguments that are no option, as typed
   * @throws InvalidOptionsException naming every fault
   */
  public static ReadOptions parse(Map<String, String> given, List<String> unknown) {
    OptionReader reader = new OptionReader(given).only(NAMES, unknown, "a suite");
    ReadScale scale = reader.named("scale", ReadScale.DEFAULT, ReadScale.ALL);
    double seconds = reader.decimal("seconds", scale.seconds(), MAX_SECONDS);
    if (seconds == 0) {
      reader.fault("--seconds (%s) must be above 0", given.get("seconds"));
    }
    String rows = reader.text("rows", "*");
    if (ReadRows.matching(rows).isEmpty()) {
      reader.fault("--rows (%s) matches no row; try *, or one of those of --help", rows);
    }
    ReadOptions options =
        new ReadOptions(
            scale,
            seconds,
            reader.whole("rounds", scale.rounds(), 1, MAX_ROUNDS),
            rows,
            reader.seed(),
            reader.flag("keep"),
            reader.flag("record"),
            reader.progress());
    reader.check();
    return options;
  }
}
