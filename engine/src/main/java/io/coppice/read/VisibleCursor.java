// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.base.Bytes;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.Expiry;
import io.coppice.entry.Extensions;
import io.coppice.entry.Kind;
import io.coppice.entry.OperandStack;
import java.util.Arrays;

/**
 * The user's view over all entries: of each key the newest version at or below one sequence number,
 * operands combined, deletions and what is past its end left out, inside bounds. Moves both ways.
 * Not safe to share between threads.
 *
 * <p>Going forward, the entries cursor stands on the entry shown, unless operands were combined:
 * then the entry shown is a copy, and the entries cursor stands on or behind the versions of that
 * key. Going backward, the versions of a key arrive oldest first, so the entry shown is a copy and
 * the entries cursor already stands before all versions of that key.
 *
 * <p>A move that fails leaves the cursor on no key.
 */
public final class VisibleCursor implements AutoCloseable {

  /** Steps are told to those who count them, so many at once. */
  private static final int TOLD_STEPS = 1024;

  private final EntryCursor entries;

  /** The same cursor, to be moved far: to an end or to a key. */
  private final EntryCursor jumps;

  private final long sequence;
  private final byte[] low;
  private final byte[] high;

  private final Extensions extensions;
  private final FamilyReads reads;
  private final long nowMillis;

  /** Steps that were not told yet. */
  private int steps;

  /** Null until the first operand. */
  private OperandStack operands;

  private boolean valid;
  private boolean forward = true;

  /** True if the entry shown is a copy. */
  private boolean copied;

  private byte[] savedKey = new byte[64];
  private int savedKeyLength;
  private byte[] savedValue = new byte[256];
  private int savedValueLength;

  /**
   * Takes the cursor over, and closes it in {@link #close()}.
   *
   * @param jumps moves the same cursor where it has far to go
   * @param extensions combine operands, and tell the time by which entries end for the cursor
   * @param reads counts what it does
   * @param sequence the newest sequence number that is visible
   * @param low the first key, inclusive, or null
   * @param high the end, exclusive, or null
   */
  VisibleCursor(
      EntryCursor entries,
      EntryCursor jumps,
      Extensions extensions,
      FamilyReads reads,
      long sequence,
      byte[] low,
      byte[] high) {
    this.entries = entries;
    this.jumps = jumps;
    this.extensions = extensions;
    this.reads = reads;
    this.nowMillis = extensions.clock().millis();
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
    begun(low == null ? Bytes.EMPTY : low);
    if (low == null) {
      jumps.first();
    } else {
      jumps.seek(low, 0, low.length);
    }
    settleForward();
  }

  /** Moves to the last key inside the bounds. */
  public void last() {
    begun(high);
    if (high == null) {
      jumps.last();
    } else {
      seekBefore(high);
    }
    settleBackward();
  }

  /** Moves to the first key at or after the given one. */
  public void seek(byte[] key) {
    if (low != null && Arrays.compareUnsigned(key, low) < 0) {
      first();
      return;
    }
    begun(key);
    jumps.seek(key, 0, key.length);
    settleForward();
  }

  /** Moves to the last key at or before the given one. */
  public void seekForPrev(byte[] key) {
    if (high != null && Arrays.compareUnsigned(key, high) >= 0) {
      last();
      return;
    }
    begun(key);
    jumps.seekForPrev(key, 0, key.length);
    settleBackward();
  }

  /** Moves to the next key. */
  public void next() {
    step();
    if (forward) {
      if (!copied) {
        saveKey();
      }
    } else if (entries.valid()) {
      entries.next();
    } else {
      jumps.first();
    }
    skipSavedKey();
    settleForward();
  }

  /** Moves to the previous key. */
  public void prev() {
    step();
    if (forward) {
      if (!copied) {
        saveKey();
      }
      if (!entries.valid()) {
        jumps.last();
      }
      while (entries.valid() && compareToSaved() >= 0) {
        entries.prev();
      }
    }
    settleBackward();
  }

  /** Begins to move somewhere else; null is behind all keys. */
  private void begun(byte[] towards) {
    valid = false;
    reads.scans.increment();
    if (towards == null) {
      reads.scansIn.countLast();
    } else {
      reads.scansIn.count(towards, 0, towards.length);
    }
    tell();
  }

  /** Begins to move by one key. */
  private void step() {
    valid = false;
    if (++steps == TOLD_STEPS) {
      tell();
    }
  }

  private void tell() {
    if (steps > 0) {
      reads.scannedEntries.add(steps);
      steps = 0;
    }
  }

  /** The array that holds the key; lent until the next move. */
  public byte[] keyArray() {
    return copied ? savedKey : entries.keyArray();
  }

  /** The position of the first byte of the key. */
  public int keyOffset() {
    return copied ? 0 : entries.keyOffset();
  }

  /** The length of the key in bytes. */
  public int keyLength() {
    return copied ? savedKeyLength : entries.keyLength();
  }

  /** The array that holds the value; lent until the next move. */
  public byte[] valueArray() {
    return copied ? savedValue : entries.valueArray();
  }

  /** The position of the first byte of the value. */
  public int valueOffset() {
    return copied ? 0 : entries.valueOffset() + hiddenBytes();
  }

  /** The length of the value in bytes. */
  public int valueLength() {
    return copied ? savedValueLength : entries.valueLength() - hiddenBytes();
  }

  /** Bytes in front of the value of the entry on which the entries cursor stands. */
  private int hiddenBytes() {
    return entries.kind() == Kind.EXPIRING ? Expiry.BYTES : 0;
  }

  @Override
  public void close() {
    valid = false;
    tell();
    entries.close();
  }

  /** From an entry on: finds the first visible one, and stands on it. */
  private void settleForward() {
    forward = true;
    copied = false;
    valid = false;
    while (entries.valid()) {
      if (high != null && compareTo(high) >= 0) {
        return;
      }
      if (entries.sequence() > sequence) {
        entries.next();
      } else if (entries.kind() == Kind.MERGE) {
        combineForward();
        return;
      } else if (isAbsent()) {
        saveKey();
        entries.next();
        skipSavedKey();
      } else {
        valid = true;
        return;
      }
    }
  }

  /** True for a deletion and for what is past its end. */
  private boolean isAbsent() {
    return entries.kind() == Kind.DELETE
        || (entries.kind() == Kind.EXPIRING
            && Expiry.isPast(entries.valueArray(), entries.valueOffset(), nowMillis));
  }

  /** Gathers the operands of a key down to what they stand on, and shows a copy of the result. */
  private void combineForward() {
    saveKey();
    clearOperands();
    boolean based = false;
    do {
      if (entries.kind() == Kind.MERGE) {
        addOperand();
        entries.next();
      } else {
        based = !isAbsent();
        break;
      }
    } while (entries.valid() && compareToSaved() == 0);
    operands.reverse();
    combine(based ? base() : null);
    valid = true;
  }

  private void clearOperands() {
    if (operands == null) {
      operands = new OperandStack();
    }
    operands.clear();
  }

  private void addOperand() {
    if (!operands.add(entries.valueArray(), entries.valueOffset(), entries.valueLength())) {
      throw OperandStack.tooLarge();
    }
  }

  /** A copy of the value of the entry on which the entries cursor stands. */
  private byte[] base() {
    int hidden = hiddenBytes();
    return Bytes.copy(
        entries.valueArray(), entries.valueOffset() + hidden, entries.valueLength() - hidden);
  }

  /** Makes the entry shown a copy: the saved key with what the operands make of a base. */
  private void combine(byte[] base) {
    if (!operands.hasRoomFor(base == null ? 0 : base.length)) {
      throw OperandStack.tooLarge();
    }
    byte[] value =
        operands.fold(extensions.operator(), Bytes.copy(savedKey, 0, savedKeyLength), base);
    operands.clear();
    saveValue(value, 0, value.length);
    copied = true;
  }

  /** From the oldest version of a key backward: finds the last visible key, and copies it. */
  private void settleBackward() {
    forward = false;
    copied = true;
    valid = false;
    while (entries.valid()) {
      if (low != null && compareTo(low) < 0) {
        return;
      }
      saveKey();
      boolean present = false;
      boolean combined = false;
      do {
        if (entries.sequence() <= sequence) {
          if (entries.kind() == Kind.MERGE) {
            if (!combined) {
              clearOperands();
              combined = true;
            }
            addOperand();
          } else {
            combined = false;
            present = !isAbsent();
            if (present) {
              int hidden = hiddenBytes();
              saveValue(
                  entries.valueArray(),
                  entries.valueOffset() + hidden,
                  entries.valueLength() - hidden);
            }
          }
        }
        entries.prev();
      } while (entries.valid() && compareToSaved() == 0);
      if (combined) {
        combine(present ? Bytes.copy(savedValue, 0, savedValueLength) : null);
        present = true;
      }
      if (present) {
        valid = true;
        return;
      }
    }
  }

  /**
   * Skips all entries up to the saved key. Smaller keys appear after a turn if a memtable took them
   * since the last move.
   */
  private void skipSavedKey() {
    while (entries.valid() && compareToSaved() <= 0) {
      entries.next();
    }
  }

  private void seekBefore(byte[] end) {
    jumps.seekForPrev(end, 0, end.length);
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

  private void saveValue(byte[] array, int from, int length) {
    savedValueLength = length;
    if (savedValue.length < length) {
      savedValue = new byte[Math.max(length, savedValue.length * 2)];
    }
    System.arraycopy(array, from, savedValue, 0, length);
  }
}
