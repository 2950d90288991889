// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

/**
 * The largest things a store holds. All are checked at the public door before anything changes, and
 * again where a length comes from disk before memory is taken for it.
 */
public final class Limits {

  /** The longest key: what 16 bits count. */
  public static final int MAX_KEY_BYTES = (1 << 16) - 1;

  /** The longest value: 256 MiB, so that a value, its key and their frame fit one Java array. */
  public static final int MAX_VALUE_BYTES = 256 << 20;

  /** The largest batch in encoded form: two of the largest values, keys and numbers, one array. */
  public static final int MAX_BATCH_BYTES = 2 * (MAX_VALUE_BYTES + MAX_KEY_BYTES + 64);

  /** The largest group of batches in one record: one largest batch and one of a small kind. */
  public static final int MAX_GROUP_BYTES = MAX_BATCH_BYTES + (16 << 20);

  /** The largest record of a log: a group and its header. */
  public static final int MAX_RECORD_BYTES = MAX_GROUP_BYTES + 64;

  /**
   * The most that is held in memory to combine one key's operands, base and bookkeeping included:
   * two of the largest values. A read that needs more fails; a merge of tables leaves the operands.
   */
  public static final long MAX_FOLD_BYTES = 2L * MAX_VALUE_BYTES;

  /**
   * A memtable with so many range deletions is flushed before the next group. They take up to half
   * a kilobyte of heap each, which the memory budget does not count.
   */
  public static final int MAX_MEMTABLE_RANGES = 2048;

  /** The most range deletions in one batch: some 16 MiB of heap once they are written. */
  public static final int MAX_BATCH_RANGES = 32_768;

  /** The largest sequence number: 55 bits, so that eight bits of kind fit beside it in a long. */
  public static final long MAX_SEQUENCE = (1L << 55) - 1;

  /** The longest array that every JVM can make. */
  public static final int MAX_ARRAY_BYTES = Integer.MAX_VALUE - 8;

  private Limits() {}
}
