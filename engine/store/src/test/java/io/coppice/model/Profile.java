// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import io.coppice.model.Op.Kind;
import java.util.EnumMap;
import java.util.Map;

/**
 * What kind of load is drawn: how often each operation comes, how many keys there are and how large
 * values get.
 */
public enum Profile {
  /** Some of everything. */
  MIXED(1000, 60, 80, 25, 15, 15, 15),
  /** Few keys, overwritten and deleted again and again: long histories of a key. */
  HOT(24, 40, 40, 35, 10, 20, 25),
  /** Many keys, little else than writes: deep trees. */
  WRITES(4000, 100, 20, 15, 2, 0, 0),
  /** As many deletes as puts. */
  DELETES(300, 30, 50, 50, 30, 0, 0),
  /** Cursors and snapshots that stay open, while keys are put that were never there. */
  READS(2500, 50, 60, 25, 0, 0, 0),
  /** The power fails often. */
  CRASHES(200, 40, 50, 30, 15, 15, 15),
  /** Entries as large as a table, writes without a log. */
  LARGE(150, 3000, 50, 25, 5, 10, 0),
  /** Values of one byte to eight tables, half of which compress well, under every codec. */
  SIZES(30, 32 << 10, 40, 15, 5, 5, 40);

  final int keys;
  final int valueBytes;
  final int percentSame;
  final int percentDeletes;
  final int percentClears;
  final int percentMerges;
  final int percentEnds;
  private final Map<Kind, Integer> weights = new EnumMap<>(Kind.class);

  /**
   * Makes one.
   *
   * @param percentSame how often a key is drawn near the last one instead of anywhere
   * @param percentClears of deletes, how many are of a range
   * @param percentMerges of changes, how many append to a value
   * @param percentEnds of puts, how many end
   */
  Profile(
      int keys,
      int valueBytes,
      int percentSame,
      int percentDeletes,
      int percentClears,
      int percentMerges,
      int percentEnds) {
    this.keys = keys;
    this.valueBytes = valueBytes;
    this.percentSame = percentSame;
    this.percentDeletes = percentDeletes;
    this.percentClears = percentClears;
    this.percentMerges = percentMerges;
    this.percentEnds = percentEnds;
  }

  private void weigh(Kind kind, int weight) {
    weights.put(kind, weight);
  }

  int weight(Kind kind) {
    return weights.getOrDefault(kind, 0);
  }

  static {
    for (Profile profile : values()) {
      // In ten-thousandths.
      profile.weigh(Kind.WRITE, 4500);
      profile.weigh(Kind.GET, 4400);
      profile.weigh(Kind.GET_ALL, 60);
      profile.weigh(Kind.CAS, 60);
      profile.weigh(Kind.WALK, 360);
      profile.weigh(Kind.SCAN, 10);
      profile.weigh(Kind.SNAPSHOT, 40);
      profile.weigh(Kind.RELEASE, 30);
      profile.weigh(Kind.OPEN, 40);
      profile.weigh(Kind.MOVE, 120);
      profile.weigh(Kind.CLOSE, 40);
      profile.weigh(Kind.FLUSH, 60);
      profile.weigh(Kind.COMPACT, 3);
      profile.weigh(Kind.SYNC, 30);
      profile.weigh(Kind.STEP, 200);
      profile.weigh(Kind.SETTLE, 3);
      profile.weigh(Kind.PAUSE, 8);
      profile.weigh(Kind.RESUME, 8);
      profile.weigh(Kind.POLICY, 5);
      profile.weigh(Kind.REOPEN, 3);
      profile.weigh(Kind.OPTIONS, 2);
      profile.weigh(Kind.TIME, profile.percentEnds > 0 ? 20 : 0);
      profile.weigh(Kind.READ_ONLY, 2);
      profile.weigh(Kind.CHECKPOINT, 2);
      profile.weigh(Kind.KILL, 2);
      profile.weigh(Kind.CRASH, 5);
    }
    WRITES.weigh(Kind.WRITE, 8000);
    WRITES.weigh(Kind.GET, 1500);
    READS.weigh(Kind.WALK, 1200);
    READS.weigh(Kind.MOVE, 1200);
    READS.weigh(Kind.SNAPSHOT, 90);
    READS.weigh(Kind.OPEN, 90);
    READS.weigh(Kind.SCAN, 20);
    SIZES.weigh(Kind.FLUSH, 200);
    SIZES.weigh(Kind.SETTLE, 150);
    SIZES.weigh(Kind.TIME, 150);
    CRASHES.weigh(Kind.CRASH, 40);
    CRASHES.weigh(Kind.KILL, 10);
  }
}
