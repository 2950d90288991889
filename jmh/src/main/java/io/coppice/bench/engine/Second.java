// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import java.util.Locale;

/**
 * One second of a cell. A value.
 *
 * @param second from 1 on
 * @param mergedBytes bytes that merges made in it
 * @param diskBytes in the directory at its end
 * @param debt of the store at its end, as a share of the limit
 */
public record Second(
    Benchmark benchmark,
    int second,
    long reads,
    long readP99Nanos,
    long writes,
    long writeP99Nanos,
    long mergedBytes,
    long diskBytes,
    double debt) {

  /** As one line that {@link #parse} reads. */
  String text() {
    return String.format(
        Locale.ROOT,
        "%s %d %d %d %d %d %d %d %.3f",
        benchmark.label(),
        second,
        reads,
        readP99Nanos,
        writes,
        writeP99Nanos,
        mergedBytes,
        diskBytes,
        debt);
  }

  static Second parse(String text) {
    String[] words = text.split(" ");
    return new Second(
        Benchmark.find(words[0]).orElseThrow(),
        Integer.parseInt(words[1]),
        Long.parseLong(words[2]),
        Long.parseLong(words[3]),
        Long.parseLong(words[4]),
        Long.parseLong(words[5]),
        Long.parseLong(words[6]),
        Long.parseLong(words[7]),
        Double.parseDouble(words[8]));
  }
}
