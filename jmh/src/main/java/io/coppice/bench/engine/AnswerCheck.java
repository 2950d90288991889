// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.suite.WrongAnswerException;
import io.coppice.workload.Values;

/**
 * Compares a store's answers with the written data: the presence and length of each answer, and
 * every sixteenth value byte by byte. Used by one thread.
 */
final class AnswerCheck {

  private static final int VALUE_CHECK_MASK = 15;

  private final Values values;
  private final Expected expected;

  /** Whether values stay constant during the reads. */
  private final boolean valuesStand;

  private long found;
  private long compared;

  AnswerCheck(Values values, Expected expected, boolean valuesStand) {
    this.values = values;
    this.expected = expected;
    this.valuesStand = valuesStand;
  }

  long found() {
    return found;
  }

  long compared() {
    return compared;
  }

  /** A lookup gave a value of this length, or -1. */
  void lookedUp(ReadSession session, int index, boolean missing, int length) {
    boolean present = !missing && expected.isPresent(index);
    if (present != length >= 0) {
      throw new WrongAnswerException(
          "key " + index + (missing ? "+1" : "") + (present ? " was not found" : " was found"));
    }
    if (!present) {
      return;
    }
    if (length != values.length()) {
      throw new WrongAnswerException("key " + index + " has a value of " + length + " bytes");
    }
    if (isCompared()
        && !session.found(values.pool(), values.position(expected.lastWrite(index)), length)) {
      throw new WrongAnswerException("key " + index + " has another value");
    }
  }

  /** The scan must stand on this key, or behind the last one for -1. */
  void standsAt(ReadSession.Scan scan, int index) {
    long at = scan.valid() ? scan.index() : -1;
    if (at != index) {
      throw new WrongAnswerException("a scan stands on key " + at + " instead of " + index);
    }
    if (at < 0) {
      return;
    }
    int from = values.position(expected.lastWrite(index));
    if (isCompared() && !scan.found(values.pool(), from, values.length())) {
      throw new WrongAnswerException("a scan finds another value at key " + index);
    }
  }

  private boolean isCompared() {
    found++;
    if (!valuesStand || (found & VALUE_CHECK_MASK) != 0) {
      return false;
    }
    compared++;
    return true;
  }
}
