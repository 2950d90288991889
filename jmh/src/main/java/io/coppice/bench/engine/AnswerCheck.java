// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.store.ReadSession;
import io.coppice.bench.suite.WrongAnswerException;
import io.coppice.workload.Values;
import java.io.IOException;
import java.util.function.IntUnaryOperator;

/**
 * Check of a store's answers against the written data. It compares the presence and length of each
 * answer, and all values or a sample byte by byte. Used by one thread.
 */
public final class AnswerCheck {

  /** Mask that compares every value. */
  public static final int EACH = 0;

  /** Mask that compares every sixteenth value. */
  public static final int SIXTEENTH = 15;

  /** Mask that compares no value, because other threads change the values. */
  static final int NONE = -1;

  private final Values values;
  private final IntUnaryOperator lastWrite;
  private final int mask;

  private long found;
  private long compared;

  /**
   * Creates a check without answers.
   *
   * @param lastWrite returns the number of the write that made the present value of a key, or a
   *     negative number if the key is absent
   * @param mask {@link #EACH}, {@link #SIXTEENTH} or {@link #NONE}
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

  /**
   * Checks the answer of the session's last lookup.
   *
   * @param index number of the key
   * @param missing whether the key must be absent, by its construction
   * @param length length of the value found in bytes; -1 if none was
   * @throws WrongAnswerException if the answer is wrong
   */
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

  /**
   * Checks that the scan is at a key.
   *
   * @param index number of the key; -1 if the scan must be past the last one
   * @throws WrongAnswerException if it is elsewhere, or has another value there
   */
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
   * Seeks a key, takes some steps, and checks every entry on the way.
   *
   * @param index number of the first key that must be found; negative if there is none
   * @param next returns the number of the key after another in the direction of the scan; negative
   *     if there is none
   * @throws WrongAnswerException if an entry is missing, superfluous or has another value
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
