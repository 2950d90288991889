// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import java.util.Locale;

/**
 * What became of merges that were killed and of one that was paused.
 *
 * @param kills processes that were killed in the middle of a merge
 * @param mostRewritten most tables that were written again after one of them
 * @param bound tables that may be
 * @param mergingMicros p99 of a lookup while a merge runs
 * @param pausedMicros the same while it is paused
 * @param pausedExtraTables tables written beyond those of a merge that was not paused
 */
record Resumption(
    int kills,
    double mostRewritten,
    double bound,
    double mergingMicros,
    double pausedMicros,
    double pausedExtraTables) {

  /** As one line that {@link #parse} reads. */
  String text() {
    return String.format(
        Locale.ROOT,
        "%d %.3f %.3f %.3f %.3f %.3f",
        kills,
        mostRewritten,
        bound,
        mergingMicros,
        pausedMicros,
        pausedExtraTables);
  }

  static Resumption parse(String text) {
    String[] words = text.split(" ");
    return new Resumption(
        Integer.parseInt(words[0]),
        Double.parseDouble(words[1]),
        Double.parseDouble(words[2]),
        Double.parseDouble(words[3]),
        Double.parseDouble(words[4]),
        Double.parseDouble(words[5]));
  }
}
