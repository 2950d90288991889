// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.entry;

/**
 * Key that a lookup seeks in tables, with its hash and the newest sequence number that the lookup
 * may see. Used by one thread, for any number of lookups.
 */
public final class LookupKey {

  private byte[] bytes;
  private int offset;
  private int length;
  private long hash;
  private long sequence;

  /**
   * Sets the key, whose bytes must not change until the lookup ends.
   *
   * @param newest the newest sequence number that the lookup sees, inclusive
   */
  public void set(byte[] key, int from, int bytesOfKey, long keyHash, long newest) {
    bytes = key;
    offset = from;
    length = bytesOfKey;
    hash = keyHash;
    sequence = newest;
  }

  /** Drops the reference to the key's bytes after a lookup. */
  public void clear() {
    bytes = null;
  }

  /** Returns the array that contains the key, possibly among other bytes. */
  public byte[] bytes() {
    return bytes;
  }

  public int offset() {
    return offset;
  }

  public int length() {
    return length;
  }

  /** Returns the hash of the key that filters take, its {@code KeyHash}. */
  public long hash() {
    return hash;
  }

  public long sequence() {
    return sequence;
  }

  /**
   * Sets a lower sequence number, so that the lookup continues with versions older than the one
   * found.
   *
   * @param newest the newest sequence number that the lookup still sees, inclusive
   */
  public void sequence(long newest) {
    sequence = newest;
  }
}
