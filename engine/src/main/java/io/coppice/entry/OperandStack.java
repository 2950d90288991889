// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import io.coppice.base.Bytes;
import io.coppice.base.Limits;
import io.coppice.base.MergeOperator;
import io.coppice.base.UserCodeException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * The operands of one key, gathered in either direction, and what they make of their base. Holds
 * copies, of at most {@link Limits#MAX_FOLD_BYTES}. Reusable; not safe to share between threads.
 */
public final class OperandStack {

  /** What an operand takes beside its bytes: its array, its number and its places in the lists. */
  private static final int OVERHEAD_BYTES = 40;

  private final List<byte[]> operands = new ArrayList<>();
  private long bytes;

  /** An empty stack. */
  public OperandStack() {}

  /**
   * Adds an operand, which is copied.
   *
   * @return false if there is no room; nothing has changed then
   */
  public boolean add(byte[] array, int offset, int length) {
    if (bytes + length + OVERHEAD_BYTES > Limits.MAX_FOLD_BYTES) {
      return false;
    }
    bytes += length + OVERHEAD_BYTES;
    operands.add(Bytes.copy(array, offset, length));
    return true;
  }

  /** True if there is none. */
  public boolean isEmpty() {
    return operands.isEmpty();
  }

  /** How many there are. */
  public int size() {
    return operands.size();
  }

  /** An operand, in the order in which they were added. */
  public byte[] get(int index) {
    return operands.get(index);
  }

  /** Forgets them all. */
  public void clear() {
    operands.clear();
    bytes = 0;
  }

  /** Turns the order round. */
  public void reverse() {
    Collections.reverse(operands);
  }

  /** True if base and operands together are within the limit. */
  public boolean hasRoomFor(int baseBytes) {
    return bytes + baseBytes <= Limits.MAX_FOLD_BYTES;
  }

  /**
   * Combines the operands, which stand oldest first.
   *
   * @param operator null if the store has none
   * @param key handed over
   * @param base handed over; null if the key was absent under the operands
   * @throws UserCodeException if the operator fails, or there is none
   */
  public byte[] fold(MergeOperator operator, byte[] key, byte[] base) {
    if (operator == null) {
      throw new UserCodeException(
          "a key has operands, and the store was opened without a merge operator", null);
    }
    byte[] value;
    try {
      value = operator.merge(key, base, new ArrayList<>(operands));
    } catch (OutOfMemoryError e) {
      throw e;
    } catch (RuntimeException | Error e) {
      throw new UserCodeException("merge operator " + operator.name() + " failed", e);
    }
    if (value == null || value.length > Limits.MAX_VALUE_BYTES) {
      throw new UserCodeException(
          "merge operator "
              + operator.name()
              + " gave "
              + (value == null ? "no value" : "a value of " + value.length + " bytes"),
          null);
    }
    return value;
  }

  /** Says that a key has more operands than may be held. */
  public static UserCodeException tooLarge() {
    return new UserCodeException(
        "the operands of a key take more than "
            + Limits.MAX_FOLD_BYTES
            + " bytes; put or delete the key to be rid of them",
        null);
  }
}
