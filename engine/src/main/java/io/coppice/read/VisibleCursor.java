// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.entry.EntryCursor;
import io.coppice.entry.Kind;
import java.util.Arrays;

/**
 * The user's view over all entries: of each key the newest version at or below one sequence number,
 * deletions left out, inside bounds. Moves both ways. Not safe to share between threads.
 *
 * <p>Going forward, the entries cursor stands on the entry shown. Going backward, the versions of a
 * key arrive oldest first, so the entry shown is a copy and the entries cursor already stands
 * before all versions of that key.
 *
 * <p>A move that fails leaves the cursor on no key.
 */
public final class VisibleCursor implements AutoCloseable {

  private final EntryCursor entries;
  private final long sequence;
  private final byte[] low;
  private final byte[] high;

  private boolean valid;
  private boolean forward = true;
  private byte[] savedKey = new byte[64];
  private int savedKeyLength;
  private byte[] savedValue = new byte[256];
  private int savedValueLength;

  /**
   * Takes the cursor over, and closes it in {@link #close()}.
   *
   * @param sequence the newest sequence number that is visible
   * @param low the first key, inclusive, or null
   * @param high the end, exclusive, or null
   */
  public VisibleCursor(EntryCursor entries, long sequence, byte[] low, byte[] high) {
    this.entries = entries;
    this.sequence = sequence;
    this.low = low;
    this.high = high;
  }

  /** True if the cursor stands on a key. */
  public boolean valid() {
    return valid;
  }

  /** Moves to the first key inside the bounds. */
  public void first() {
    valid = false;
    if (low == null) {
      entries.first();
    } else {
      entries.seek(low, 0, low.length);
    }
    settleForward();
  }

  /** Moves to the last key inside the bounds. */
  public void last() {
    valid = false;
    if (high == null) {
      entries.last();
    } else {
      seekBefore(high);
    }
    settleBackward();
  }

  /** Moves to the first key at or after the given one. */
  public void seek(byte[] key) {
    valid = false;
    if (low != null && Arrays.compareUnsigned(key, low) < 0) {
      first();
      return;
    }
    entries.seek(key, 0, key.length);
    settleForward();
  }

  /** Moves to the last key at or before the given one. */
  public void seekForPrev(byte[] key) {
    valid = false;
    if (high != null && Arrays.compareUnsigned(key, high) >= 0) {
      last();
      return;
    }
    entries.seekForPrev(key, 0, key.length);
    settleBackward();
  }

  /** Moves to the next key. */
  public void next() {
    valid = false;
    if (forward) {
      saveKey();
    } else if (entries.valid()) {
      entries.next();
    } else {
      entries.first();
    }
    skipSavedKey();
    settleForward();
  }

  /** Moves to the previous key. */
  public void prev() {
    valid = false;
    if (forward) {
      saveKey();
      do {
        entries.prev();
      } while (entries.valid() && compareToSaved() >= 0);
    }
    settleBackward();
  }

  /** The array that holds the key; lent until the next move. */
  public byte[] keyArray() {
    return forward ? entries.keyArray() : savedKey;
  }

  /** The position of the first byte of the key. */
  public int keyOffset() {
    return forward ? entries.keyOffset() : 0;
  }

  /** The length of the key in bytes. */
  public int keyLength() {
    return forward ? entries.keyLength() : savedKeyLength;
  }

  /** The array that holds the value; lent until the next move. */
  public byte[] valueArray() {
    return forward ? entries.valueArray() : savedValue;
  }

  /** The position of the first byte of the value. */
  public int valueOffset() {
    return forward ? entries.valueOffset() : 0;
  }

  /** The length of the value in bytes. */
  public int valueLength() {
    return forward ? entries.valueLength() : savedValueLength;
  }

  @Override
  public void close() {
    valid = false;
    entries.close();
  }

  /** From an entry on: finds the first visible one, and stands on it. */
  private void settleForward() {
    forward = true;
    valid = false;
    while (entries.valid()) {
      if (high != null && compareTo(high) >= 0) {
        return;
      }
      if (entries.sequence() > sequence) {
        entries.next();
      } else if (entries.kind() == Kind.DELETE) {
        saveKey();
        entries.next();
        skipSavedKey();
      } else {
        valid = true;
        return;
      }
    }
  }

  /** From the oldest version of a key backward: finds the last visible key, and copies it. */
  private void settleBackward() {
    forward = false;
    valid = false;
    while (entries.valid()) {
      if (low != null && compareTo(low) < 0) {
        return;
      }
      saveKey();
      boolean present = false;
      do {
        if (entries.sequence() <= sequence) {
          present = entries.kind() == Kind.PUT;
          if (present) {
            saveValue();
          }
        }
        entries.prev();
      } while (entries.valid() && compareToSaved() == 0);
      if (present) {
        valid = true;
        return;
      }
    }
  }

  private void skipSavedKey() {
    while (entries.valid() && compareToSaved() == 0) {
      entries.next();
    }
  }

  private void seekBefore(byte[] end) {
    entries.seekForPrev(end, 0, end.length);
    while (entries.valid() && compareTo(end) >= 0) {
      entries.prev();
    }
  }

  private int compareTo(byte[] key) {
    int from = entries.keyOffset();
    return Arrays.compareUnsigned(
        entries.keyArray(), from, from + entries.keyLength(), key, 0, key.length);
  }

  private int compareToSaved() {
    int from = entries.keyOffset();
    return Arrays.compareUnsigned(
        entries.keyArray(), from, from + entries.keyLength(), savedKey, 0, savedKeyLength);
  }

  private void saveKey() {
    savedKeyLength = entries.keyLength();
    if (savedKey.length < savedKeyLength) {
      savedKey = new byte[savedKeyLength * 2];
    }
    System.arraycopy(entries.keyArray(), entries.keyOffset(), savedKey, 0, savedKeyLength);
  }

  private void saveValue() {
    savedValueLength = entries.valueLength();
    if (savedValue.length < savedValueLength) {
      savedValue = new byte[Math.max(savedValueLength, savedValue.length * 2)];
    }
    System.arraycopy(entries.valueArray(), entries.valueOffset(), savedValue, 0, savedValueLength);
  }
}
