// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

/**
 * Size limits of a store. The public API checks the limits of keys, values and batches before
 * anything changes. A length that comes from disk is checked before memory is allocated for it.
 */
public final class Limits {

  /** Length of the longest key in bytes: the largest number of 16 bits. */
  public static final int MAX_KEY_BYTES = (1 << 16) - 1;

  /**
   * Length of the longest value in bytes: 256 MiB, so that a value, its key and their lengths fit
   * one Java array.
   */
  public static final int MAX_VALUE_BYTES = 256 << 20;

  /**
   * Size of the largest encoded batch in bytes: two of the largest values with their keys, lengths
   * and kinds, in one array.
   */
  public static final int MAX_BATCH_BYTES = 2 * (MAX_VALUE_BYTES + MAX_KEY_BYTES + 64);

  /**
   * Size of the largest group of batches in one log record, in bytes as encoded: one largest batch
   * plus 16 MiB.
   */
  public static final int MAX_GROUP_BYTES = MAX_BATCH_BYTES + (16 << 20);

  /** Size of the largest log record in bytes: a group and its header. */
  public static final int MAX_RECORD_BYTES = MAX_GROUP_BYTES + 64;

  /**
   * Maximum memory in bytes for combining one key's operands, base and bookkeeping included: two of
   * the largest values. A read that needs more fails; a merge of tables leaves the operands as they
   * are.
   */
  public static final long MAX_FOLD_BYTES = 2L * MAX_VALUE_BYTES;

  /**
   * Number of range deletions that makes writers flush a memtable before the next group of batches.
   * Each takes up to half a kilobyte of heap, which the memory budget does not count.
   */
  public static final int MAX_MEMTABLE_RANGES = 2048;

  /** Maximum range deletions in one batch: some 16 MiB of heap once they are written. */
  public static final int MAX_BATCH_RANGES = 32_768;

  /** Largest sequence number: 55 bits, so that eight bits of kind fit beside it in a long. */
  public static final long MAX_SEQUENCE = (1L << 55) - 1;

  /** Length of the longest array, in elements, that every JVM can allocate. */
  public static final int MAX_ARRAY_BYTES = Integer.MAX_VALUE - 8;

  private Limits() {}
}
