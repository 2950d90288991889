// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import io.coppice.io.Disk;
import io.coppice.io.DiskImage;
import io.coppice.io.DiskImage.State;
import io.coppice.io.DiskOp;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Cuts the power before each operation that a call makes on its disk, and counts what is left. */
abstract class PowerCutTrial {

  /** Put between the call and its disk. */
  final UnaryOperator<Disk> between;

  final Random random;
  final int statesPerPoint;
  final Set<Long> states = new HashSet<>();
  long checked;
  private final CrashCoverage coverage;

  PowerCutTrial(
      UnaryOperator<Disk> between, CrashCoverage coverage, Random random, int statesPerPoint) {
    this.between = between;
    this.coverage = coverage;
    this.random = random;
    this.statesPerPoint = statesPerPoint;
  }

  /** Distinct contents that were opened. */
  final Set<Long> states() {
    return states;
  }

  /** States checked, also those seen before. */
  final long checked() {
    return checked;
  }

  /**
   * Returns what a cut may leave: all, nothing, and so many drawn states.
   *
   * @param next the operation that the cut may leave done in part, null behind the last one
   */
  final List<State> cut(DiskImage image, @Nullable DiskOp next, int drawn) {
    List<State> found = new ArrayList<>(List.of(image.allLost(), image.allKept()));
    for (int i = 0; i < drawn; i++) {
      found.add(image.random(random));
      State torn = next == null ? null : image.torn(next, random);
      if (torn != null) {
        coverage.tearable(next);
        coverage.torn(next);
        found.add(torn);
      }
    }
    return found;
  }

  final void apply(DiskImage image, DiskOp op) {
    image.apply(op);
    coverage.beforeAndAfter(op);
  }
}
