// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import io.coppice.base.Limits;

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

  /** A sequence number in front of all versions of a key. */
  long NEWEST_VERSION = Limits.MAX_SEQUENCE;

  /** A sequence number behind all versions of a key. */
  long BEHIND_VERSIONS = -1;

  /**
   * Moves to the first entry at or after the place of a key and a sequence number: the newest
   * version of the key up to that number, or else the first entry of a larger key.
   *
   * @param sequence {@link #NEWEST_VERSION} for all versions, {@link #BEHIND_VERSIONS} for none
   */
  void seek(byte[] key, int offset, int length, long sequence);

  /**
   * Moves to the last entry before the place of a key and a sequence number: the oldest version of
   * the key above that number, or else the last entry of a smaller key.
   *
   * @param sequence {@link #NEWEST_VERSION} for no version, {@link #BEHIND_VERSIONS} for all
   */
  void seekBefore(byte[] key, int offset, int length, long sequence);

  /** Moves to the first entry whose user key is at least the given one (its newest version). */
  default void seek(byte[] key, int offset, int length) {
    seek(key, offset, length, NEWEST_VERSION);
  }

  /** Moves to the last entry whose user key is at most the given one (its oldest version). */
  default void seekForPrev(byte[] key, int offset, int length) {
    seekBefore(key, offset, length, BEHIND_VERSIONS);
  }

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
