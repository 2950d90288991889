// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import java.util.Arrays;
import java.util.Locale;

/** A part of the load, in the order in which they come; of a hundred operations so many. */
enum Phase {
  WRITE(95, 5, 0),
  READ(5, 70, 25),
  MIXED(45, 45, 10);

  private final int puts;
  private final int gets;
  private final int scans;

  Phase(int puts, int gets, int scans) {
    this.puts = puts;
    this.gets = gets;
    this.scans = scans;
  }

  static Phase named(String label) {
    return Arrays.stream(values()).filter(phase -> phase.label().equals(label)).findFirst().get();
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** True if the operation is a put, by a draw of 0 to 99. */
  boolean puts(long draw) {
    return draw < puts;
  }

  /** True if it is a lookup, by the same draw; else it walks a range. */
  boolean gets(long draw) {
    return draw >= puts && draw < puts + gets;
  }

  /** For people. */
  String mix() {
    return label() + " " + puts + " % puts, " + gets + " % lookups, " + scans + " % walks";
  }
}
