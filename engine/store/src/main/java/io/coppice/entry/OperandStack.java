// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import io.coppice.base.Limits;
import io.coppice.base.MergeOperator;
import io.coppice.base.UserCodeException;
import io.coppice.base.bytes.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Operands of one key, collected in either direction, and their combination with a base. Holds
 * copies, of at most {@link Limits#MAX_FOLD_BYTES}. Reusable; not safe to share between threads.
 */
public final class OperandStack {

  /**
   * Bytes of memory that an operand takes beside its own: array header, sequence number and list
   * entries.
   */
  private static final int OVERHEAD_BYTES = 40;

  private final List<byte[]> operands = new ArrayList<>();
  private long bytes;

  /** Creates an empty stack. */
  public OperandStack() {}

  /**
   * Adds an operand, which is copied.
   *
   * @return whether there was room; otherwise nothing changed
   */
  public boolean add(byte[] array, int offset, int length) {
    if (bytes + length + OVERHEAD_BYTES > Limits.MAX_FOLD_BYTES) {
      return false;
    }
    bytes += length + OVERHEAD_BYTES;
    operands.add(Bytes.copy(array, offset, length));
    return true;
  }

  /** Returns whether there is no operand. */
  public boolean isEmpty() {
    return operands.isEmpty();
  }

  /** Returns the number of operands. */
  public int size() {
    return operands.size();
  }

  /**
   * Returns an operand, not a copy, by its index in the order of addition, or its reverse after
   * {@link #reverse}.
   */
  public byte[] get(int index) {
    return operands.get(index);
  }

  /** Removes all operands from the stack. */
  public void clear() {
    operands.clear();
    bytes = 0;
  }

  /** Reverses the order of the operands. */
  public void reverse() {
    Collections.reverse(operands);
  }

  /**
   * Returns whether a base of this length in bytes and the operands together are within {@link
   * Limits#MAX_FOLD_BYTES}.
   */
  public boolean hasRoomFor(int baseBytes) {
    return bytes + baseBytes <= Limits.MAX_FOLD_BYTES;
  }

  /**
   * Combines the operands with a base. They must be in order from the oldest, because operators
   * need not commute.
   *
   * @param operator null if the store has none
   * @param key given to the operator, which may keep it
   * @param base value below the operands, given to the operator, which may keep it; null if the key
   *     was absent
   * @return the value of the operator, not a copy, of at most {@link Limits#MAX_VALUE_BYTES}
   * @throws UserCodeException if the operator is missing, fails, or gives null or too long a value;
   *     the operands stay
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

  /** Returns an exception for a key whose operands exceed {@link Limits#MAX_FOLD_BYTES}. */
  public static UserCodeException tooLarge() {
    return new UserCodeException(
        "the operands of a key take more than "
            + Limits.MAX_FOLD_BYTES
            + " bytes; put or delete the key to discard them",
        null);
  }
}
