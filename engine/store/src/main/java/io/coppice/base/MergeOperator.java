// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Callback of the application that combines {@code merge} operands into one value, so that a
 * counter, set or list grows without a read. A store keeps operands as they arrive. Reads combine
 * them, and merges of tables replace them by the result if no snapshot separates them.
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
 * <p>It must be thread-safe: many threads call it concurrently, including those of readers. Its
 * result must depend only on its arguments. It must be associative: combining some operands and
 * then the others gives the same result as combining all at once, because the store chooses the
 * groups. It must not use the store.
 *
 * <p>If it throws, the read fails with a {@link UserCodeException} that names the operator. A merge
 * of tables that fails in this way keeps all data and is retried later.
 */
public interface MergeOperator {

  /** Returns the operator's permanent name: a store written with one is not opened with another. */
  String name();

  /**
   * Returns the value of a key after these operands.
   *
   * @param key the key; all arrays are copies, which may be kept or changed
   * @param base the value under the operands, or null if the key was absent
   * @param operands oldest first, at least one
   * @return the value, not null, of at most {@link Limits#MAX_VALUE_BYTES}; read before this thread
   *     calls the operator again
   */
  byte[] merge(byte[] key, byte @Nullable [] base, List<byte[]> operands);
}
