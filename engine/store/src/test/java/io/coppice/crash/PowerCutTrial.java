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

/**
 * Base of trials that cut the power before each disk operation of a call and check the remaining
 * states.
 */
abstract class PowerCutTrial {

  /** Wraps the disk of the call. */
  final UnaryOperator<Disk> wrapper;

  final Random random;
  final int statesPerPoint;
  final Set<Long> states = new HashSet<>();
  long checkedStates;
  private final CrashCoverage coverage;

  PowerCutTrial(
      UnaryOperator<Disk> wrapper, CrashCoverage coverage, Random random, int statesPerPoint) {
    this.wrapper = wrapper;
    this.coverage = coverage;
    this.random = random;
    this.statesPerPoint = statesPerPoint;
  }

  /** Returns the distinct contents that were opened. */
  final Set<Long> states() {
    return states;
  }

  /** Returns the number of checked states, repeated ones included. */
  final long checkedStates() {
    return checkedStates;
  }

  /**
   * Returns the states that a cut may leave: all, nothing, and {@code drawn} random ones.
   *
   * @param next operation that the cut may leave half done; null after the last one
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
