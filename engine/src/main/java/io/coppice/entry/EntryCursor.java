// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

/**
 * Walks entries in order: user key ascending as unsigned bytes, then sequence number descending, so
 * the newest version of a key comes first. Starts unpositioned ({@code valid()} is false). Not safe
 * to share between threads.
 *
 * <p>Arrays handed out are <em>lent until the next move</em>: they may be reused or overwritten by
 * any method that moves or closes the cursor, and must not be written to.
 */
public interface EntryCursor extends AutoCloseable {

  /** True if the cursor stands on an entry; all accessors below need it. */
  boolean valid();

  /** Moves to the first entry. */
  void first();

  /** Moves to the last entry. */
  void last();

  /** Moves to the first entry whose user key is at least the given one (its newest version). */
  void seek(byte[] key, int offset, int length);

  /** Moves to the last entry whose user key is at most the given one (its oldest version). */
  void seekForPrev(byte[] key, int offset, int length);

  /** Moves to the next entry; past the last one the cursor is no longer valid. */
  void next();

  /** Moves to the previous entry; before the first one the cursor is no longer valid. */
  void prev();

  /**
   * The array that holds the user key, from {@link #keyOffset()} for {@link #keyLength()} bytes.
   */
  byte[] keyArray();

  /** The position of the first byte of the user key. */
  int keyOffset();

  /** The length of the user key in bytes. */
  int keyLength();

  /** The entry's sequence number, at least 0. */
  long sequence();

  /** What the entry does. */
  Kind kind();

  /** The array that holds the value, from {@link #valueOffset()}; its content may load lazily. */
  byte[] valueArray();

  /** The position of the first byte of the value. */
  int valueOffset();

  /** The length of the value in bytes; 0 for a deletion. */
  int valueLength();

  /** Gives back what the cursor holds. Idempotent. */
  @Override
  void close();
}
