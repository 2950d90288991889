// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.suite.WrongAnswerException;
import io.coppice.workload.Values;
import java.io.IOException;
import java.util.function.IntUnaryOperator;

/**
 * Compares a store's answers with the written data: the presence and length of each answer, and
 * some or all values byte by byte. Used by one thread.
 */
public final class AnswerCheck {

  /** Mask of a check that compares each value. */
  public static final int EACH = 0;

  /** Mask of a check that compares every sixteenth value. */
  public static final int SIXTEENTH = 15;

  /** Mask of a check that compares no value, because writers change them. */
  static final int NONE = -1;

  private final Values values;
  private final IntUnaryOperator lastWrite;
  private final int mask;

  private long found;
  private long compared;

  /**
   * Makes a check without answers.
   *
   * @param lastWrite number of the write that made the value of a key, or negative for an absent
   *     key
   * @param mask {@link #EACH} or {@link #SIXTEENTH} value
   */
  public AnswerCheck(Values values, IntUnaryOperator lastWrite, int mask) {
    this.values = values;
    this.lastWrite = lastWrite;
    this.mask = mask;
  }

  long found() {
    return found;
  }

  long compared() {
    return compared;
  }

  /** Checks a lookup that gave a value of this length, or -1 for none. */
  public void lookedUp(ReadSession session, int index, boolean missing, int length) {
    int write = lastWrite.applyAsInt(index);
    boolean present = !missing && write >= 0;
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
    if (isCompared() && !session.found(values.pool(), values.position(write), length)) {
      throw new WrongAnswerException("key " + index + " has another value");
    }
  }

  /** Checks that the scan stands at this key, or past the last key for -1. */
  void standsAt(ReadSession.Scan scan, int index) {
    long at = scan.valid() ? scan.index() : -1;
    if (at != index) {
      throw new WrongAnswerException("a scan stands on key " + at + " instead of " + index);
    }
    if (at < 0) {
      return;
    }
    int from = values.position(lastWrite.applyAsInt(index));
    if (isCompared() && !scan.found(values.pool(), from, values.length())) {
      throw new WrongAnswerException("a scan finds another value at key " + index);
    }
  }

  /**
   * Seeks a key and steps on.
   *
   * @param index of the first key that is to be found, or negative if there is none
   * @param next the key after or before another, or negative if there is none
   */
  public void walked(
      ReadSession session,
      byte[] key,
      int index,
      int steps,
      boolean backwards,
      IntUnaryOperator next)
      throws IOException {
    try (ReadSession.Scan scan = session.scan()) {
      scan.seek(key);
      int at = index;
      standsAt(scan, at);
      for (int step = 0; step < steps && at >= 0; step++) {
        if (backwards) {
          scan.previous();
        } else {
          scan.next();
        }
        at = next.applyAsInt(at);
        standsAt(scan, at);
      }
    }
  }

  private boolean isCompared() {
    found++;
    boolean isCompared = (found & mask) == 0;
    compared += isCompared ? 1 : 0;
    return isCompared;
  }
}
