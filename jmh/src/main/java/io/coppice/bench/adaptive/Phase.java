// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import io.coppice.bench.report.LabeledConstant;
import java.util.ArrayList;
import java.util.List;

/** A phase of the load, in execution order, with its mix in percent of operations. */
enum Phase implements LabeledConstant {
  /** Mostly writes of uniformly drawn keys. */
  WRITE(95, 5, false, 6),
  /** Mostly lookups of uniformly drawn keys. */
  READ(5, 95, false, 0),
  /** Mostly short scans from uniformly drawn keys. */
  SCAN(10, 0, false, 0),
  /** Writes and lookups in equal parts, with keys drawn by Zipf's law. */
  ZIPF(50, 50, true, 5);

  private static final int ALL = 100;

  private final int puts;
  private final int gets;
  private final boolean skewed;
  private final int rung;

  Phase(int puts, int gets, boolean skewed, int rung) {
    this.puts = puts;
    this.gets = gets;
    this.skewed = skewed;
    this.rung = rung;
  }

  /** Returns whether a draw from 0 to 99 selects a put. */
  boolean puts(long draw) {
    return draw < puts;
  }

  /** Returns whether the same draw selects a lookup; all other draws scan a range. */
  boolean gets(long draw) {
    return draw >= puts && draw < puts + gets;
  }

  /** Returns whether the mix has lookups or scans. */
  boolean reads() {
    return puts < ALL;
  }

  /** Returns whether the phase draws keys by Zipf's law. */
  boolean skewed() {
    return skewed;
  }

  /** Returns the index of the rung that costs least in simulations of this phase. */
  int rung() {
    return rung;
  }

  /** Returns a description of the mix. */
  String mix() {
    List<String> shares = new ArrayList<>();
    share(puts, "puts", shares);
    share(gets, "lookups", shares);
    share(ALL - puts - gets, "walks", shares);
    String drawn = skewed ? " of keys by Zipf " + AdaptiveScale.ZIPF : "";
    return label() + " " + String.join(", ", shares) + drawn;
  }

  private static void share(int percent, String what, List<String> shares) {
    if (percent > 0) {
      shares.add(percent + " % " + what);
    }
  }
}
