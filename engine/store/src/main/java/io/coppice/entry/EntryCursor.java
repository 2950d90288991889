// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

import io.coppice.base.Limits;

/**
 * Cursor over entries in order: user key ascending as unsigned bytes, then sequence number
 * descending, so the newest version of a key comes first. A new cursor has no position. A method
 * that cannot read throws CorruptionException or UncheckedIOException. After {@link #close} no
 * other method may be called. Not safe to share between threads.
 *
 * <p>Returned arrays are <em>lent until the next move</em>: any method that moves or closes the
 * cursor may reuse or overwrite them. The caller must not write to them.
 */
public interface EntryCursor extends AutoCloseable {

  /** Returns whether the cursor is at an entry, which all accessors below require. */
  boolean valid();

  /** Moves to the first entry; an empty cursor stays invalid. */
  void first();

  /** Moves to the last entry. */
  void last();

  /** Sequence number before all versions of a key. */
  long NEWEST_VERSION = Limits.MAX_SEQUENCE;

  /** Sequence number after all versions of a key. */
  long BEHIND_VERSIONS = -1;

  /**
   * Moves to the first entry at or after the position of a key and a sequence number. This is the
   * newest version of the key up to that number, otherwise the first entry of a larger key.
   *
   * @param sequence {@link #NEWEST_VERSION} for all versions, {@link #BEHIND_VERSIONS} for none
   */
  void seek(byte[] key, int offset, int length, long sequence);

  /**
   * Moves to the last entry before the position of a key and a sequence number. This is the oldest
   * version of the key above that number, otherwise the last entry of a smaller key.
   *
   * @param sequence {@link #NEWEST_VERSION} for no version, {@link #BEHIND_VERSIONS} for all
   */
  void seekBefore(byte[] key, int offset, int length, long sequence);

  /**
   * Moves to the first entry whose user key is at least the given one: the newest version of that
   * key.
   */
  default void seek(byte[] key, int offset, int length) {
    seek(key, offset, length, NEWEST_VERSION);
  }

  /**
   * Moves to the last entry whose user key is at most the given one: the oldest version of that
   * key.
   */
  default void seekForPrev(byte[] key, int offset, int length) {
    seekBefore(key, offset, length, BEHIND_VERSIONS);
  }

  /** Moves from an entry to the next one; past the last one the cursor is no longer valid. */
  void next();

  /**
   * Moves from an entry to the previous one; before the first one the cursor is no longer valid.
   */
  void prev();

  /**
   * Returns the array with the user key, from {@link #keyOffset()} for {@link #keyLength()} bytes.
   */
  byte[] keyArray();

  /** Returns the index of the first byte of the user key. */
  int keyOffset();

  /** Returns the length of the user key in bytes. */
  int keyLength();

  /** Returns the entry's sequence number, from 0 to {@link #NEWEST_VERSION}. */
  long sequence();

  /** Returns the kind of the entry. */
  EntryKind kind();

  /** Returns the array with the value, from {@link #valueOffset()}; may load the value first. */
  byte[] valueArray();

  /** Returns the index of the first byte of the value. */
  int valueOffset();

  /** Returns the length of the value in bytes, without loading it; 0 for a deletion. */
  int valueLength();

  /** Closes the cursor and releases its resources. Idempotent. */
  @Override
  void close();
}
