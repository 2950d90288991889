// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import java.util.Locale;

/**
 * What became of a merge that was paused some times.
 *
 * @param mergingMicros p99 of a lookup while it ran
 * @param pausedMicros the same while it was paused
 * @param extraTables tables written beyond those of a merge that was not paused
 */
record Pauses(double mergingMicros, double pausedMicros, double extraTables) {

  /** As one line that {@link #parse} reads. */
  String text() {
    return String.format(Locale.ROOT, "%.3f %.3f %.3f", mergingMicros, pausedMicros, extraTables);
  }

  static Pauses parse(String text) {
    String[] words = text.split(" ");
    return new Pauses(
        Double.parseDouble(words[0]), Double.parseDouble(words[1]), Double.parseDouble(words[2]));
  }
}
