// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Combines what was written by {@code merge} into one value, so that a counter, a set or a list
 * grows without being read first. A store keeps the operands as they come; reads combine them, and
 * merges of tables replace them by the result where no snapshot stands between.
 *
 * <pre>{@code
 * MergeOperator sum = new MergeOperator() {
 *   public String name() {
 *     return "sum";
 *   }
 *   public byte[] merge(byte[] key, byte @Nullable [] base, List<byte[]> operands) {
 *     long total = base == null ? 0 : ByteBuffer.wrap(base).getLong();
 *     for (byte[] operand : operands) {
 *       total += ByteBuffer.wrap(operand).getLong();
 *     }
 *     return ByteBuffer.allocate(8).putLong(total).array();
 *   }
 * };
 * }</pre>
 *
 * <p>Called by many threads at once, those of readers among them. It must depend on nothing but its
 * arguments, and combining some operands and then the others must give what combining all at once
 * gives: how they are grouped is the store's choice. It must not use the store.
 *
 * <p>If it throws, the read fails with a {@link UserCodeException} that names it. A merge of tables
 * that fails so loses nothing and is tried again later.
 */
public interface MergeOperator {

  /** Names the operator for ever: a store written with one is not opened with another. */
  String name();

  /**
   * The value of a key after these operands.
   *
   * @param key the key; all arrays are copies, which may be kept or changed
   * @param base the value under the operands, or null if the key was absent
   * @param operands oldest first, at least one
   * @return the value, not null, of at most {@link Limits#MAX_VALUE_BYTES}; read before the
   *     operator is called again by this thread
   */
  byte[] merge(byte[] key, byte @Nullable [] base, List<byte[]> operands);
}
