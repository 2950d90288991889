// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.base.bytes.Bytes;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryHooks;
import io.coppice.entry.EntryKind;
import io.coppice.entry.Expiry;
import io.coppice.entry.OperandStack;
import io.coppice.entry.RangeDeletions;
import io.coppice.memtable.EmptyRanges;
import io.coppice.read.stats.FamilyReadCounters;
import java.util.Arrays;

/**
 * User's view of all entries: the newest visible version of each key inside bounds, with operands
 * combined, and without deleted or expired keys. Moves in both directions. Not safe to share
 * between threads.
 *
 * <p>Going forward, the entries cursor is at the entry shown. If operands were combined, the entry
 * shown is a copy, the <em>saved</em> key and value, and the entries cursor is at or behind the
 * versions of that key. Going backward, the versions of a key arrive oldest first, so the entry
 * shown is the saved copy, and the entries cursor is already before all versions of that key.
 *
 * <p>A move that fails leaves the cursor without a position.
 */
public final class VisibleCursor implements AutoCloseable {

  /**
   * Number of hidden entries that a move passes one by one before it seeks. A seek costs about as
   * much as a few steps.
   */
  static final int PATIENCE = 8;

  /**
   * Number of hidden keys, in multiples of the patience, after which a move starts to watch the
   * range for {@link EmptyRanges}.
   */
  private static final int PATIENCE_TO_WATCH = 2;

  /** Number of steps of a cursor before it adds them to the shared counters. */
  private static final int COUNTED_STEPS = 1024;

  private final EntryCursor entries;

  /**
   * Cursor for far moves, to an end or to another key: it wraps {@link #entries} and reads the
   * blocks of all runs at once. Near moves, among the versions of one key, seek in {@link
   * #entries}, which keeps its present blocks.
   */
  private final EntryCursor jumps;

  private final long sequence;
  private final byte[] low;
  private final byte[] high;

  private final EntryHooks hooks;
  private final FamilyReadCounters reads;
  private final long nowMillis;

  /**
   * Cache of empty ranges; null if merges may have dropped entries that the sequence number would
   * show.
   */
  private final EmptyRanges emptyRanges;

  private final int patience;

  /** Number of hidden keys that the current move has passed since its last jump over a range. */
  private int hidden;

  /** Key where the move began to watch a range, or the begin of the empty range found there. */
  private byte[] hiddenBound;

  /** Steps not added to the shared counters yet. */
  private int steps;

  /** Collected operands, or null before the first one. */
  private OperandStack operands;

  private boolean valid;
  private boolean forward = true;

  /** Whether the entry shown is a copy. */
  private boolean copied;

  private byte[] savedKey = new byte[64];
  private int savedKeyLength;
  private byte[] savedValue = new byte[256];
  private int savedValueLength;

  /**
   * Creates an unpositioned cursor.
   *
   * @param entries cursor over all entries, owned by this object and closed by {@link #close()}
   * @param jumps the same cursor for far moves
   * @param hooks the merge operator and the clock for the expiry of entries
   * @param emptyRanges cache of the family; null if the cursor may see less than its sequence
   *     number says
   * @param patience number of hidden entries passed before a seek; {@link #PATIENCE} except in
   *     tests
   * @param reads counters of the family
   * @param sequence the newest visible sequence number
   * @param low the first key, inclusive, or null
   * @param high the end, exclusive, or null
   */
  public VisibleCursor(
      EntryCursor entries,
      EntryCursor jumps,
      EntryHooks hooks,
      EmptyRanges emptyRanges,
      int patience,
      FamilyReadCounters reads,
      long sequence,
      byte[] low,
      byte[] high) {
    this.entries = entries;
    this.jumps = jumps;
    this.hooks = hooks;
    this.reads = reads;
    this.nowMillis = hooks.clock().millis();
    this.emptyRanges = hooks.filter() == null ? emptyRanges : null;
    this.patience = patience;
    this.sequence = sequence;
    this.low = low;
    this.high = high;
  }

  /** Returns whether the cursor is at a key. */
  public boolean valid() {
    return valid;
  }

  /**
   * Moves to the first key inside the bounds. The cursor becomes invalid if there is none. A move
   * reads blocks that are not in memory and waits for them.
   *
   * @throws io.coppice.base.CorruptionException if an entry that it needs is damaged; the cursor
   *     then has no position
   */
  public void first() {
    begun(low == null ? Bytes.EMPTY : low);
    if (low == null) {
      jumps.first();
    } else {
      jumps.seek(low, 0, low.length);
    }
    settleForward();
  }

  /** Moves to the last key inside the bounds, as {@link #first} does. */
  public void last() {
    begun(high);
    if (high == null) {
      jumps.last();
    } else {
      jumps.seekBefore(high, 0, high.length, EntryCursor.NEWEST_VERSION);
    }
    settleBackward();
  }

  /** Moves to the first key inside the bounds at or after the given one, as {@link #first} does. */
  public void seek(byte[] key) {
    if (low != null && Arrays.compareUnsigned(key, low) < 0) {
      first();
      return;
    }
    begun(key);
    jumps.seek(key, 0, key.length);
    settleForward();
  }

  /** Moves to the last key inside the bounds at or before the given one, as {@link #first} does. */
  public void seekForPrev(byte[] key) {
    if (high != null && Arrays.compareUnsigned(key, high) >= 0) {
      last();
      return;
    }
    begun(key);
    jumps.seekForPrev(key, 0, key.length);
    settleBackward();
  }

  /** Moves to the next key, or past the last one; the cursor must be {@link #valid}. */
  public void next() {
    step();
    if (forward) {
      if (!copied) {
        saveKey();
      }
      skipSavedKey();
    } else {
      // A step is not enough: a memtable may have received smaller keys since the last move.
      entries.seek(savedKey, 0, savedKeyLength, EntryCursor.BEHIND_VERSIONS);
    }
    settleForward();
  }

  /** Moves to the previous key, or before the first one; the cursor must be {@link #valid}. */
  public void prev() {
    step();
    if (forward) {
      if (!copied) {
        saveKey();
      }
      entries.seekBefore(savedKey, 0, savedKeyLength, EntryCursor.NEWEST_VERSION);
    }
    settleBackward();
  }

  /**
   * Begins a move to an end or to another key, and counts it as a scan.
   *
   * @param towards target key; null is after all keys
   */
  private void begun(byte[] towards) {
    valid = false;
    reads.scans.increment();
    if (towards == null) {
      reads.scansIn.countLast();
    } else {
      reads.scansIn.count(towards, 0, towards.length);
    }
    countSteps();
  }

  /** Begins a move by one key. */
  private void step() {
    valid = false;
    if (++steps == COUNTED_STEPS) {
      countSteps();
    }
  }

  private void countSteps() {
    if (steps > 0) {
      reads.scannedEntries.add(steps);
      steps = 0;
    }
  }

  /** Returns the array of the key, lent until the next move. */
  public byte[] keyArray() {
    return copied ? savedKey : entries.keyArray();
  }

  /** Returns the index of the first byte of the key. */
  public int keyOffset() {
    return copied ? 0 : entries.keyOffset();
  }

  /** Returns the length of the key in bytes. */
  public int keyLength() {
    return copied ? savedKeyLength : entries.keyLength();
  }

  /** Returns the array of the value, lent until the next move. */
  public byte[] valueArray() {
    return copied ? savedValue : entries.valueArray();
  }

  /** Returns the index of the first byte of the value. */
  public int valueOffset() {
    return copied ? 0 : entries.valueOffset() + valuePrefix();
  }

  /** Returns the length of the value in bytes. */
  public int valueLength() {
    return copied ? savedValueLength : entries.valueLength() - valuePrefix();
  }

  /**
   * Returns the number of bytes before the value in the entry of {@link #entries}, such as an
   * expiry time.
   */
  private int valuePrefix() {
    return entries.kind() == EntryKind.EXPIRING ? Expiry.BYTES : 0;
  }

  @Override
  public void close() {
    valid = false;
    countSteps();
    entries.close();
  }

  /** Moves from the present entry forward to the first visible key. */
  private void settleForward() {
    forward = true;
    copied = false;
    valid = false;
    hidden = 0;
    hiddenBound = null;
    int newer = 0;
    while (entries.valid()) {
      if (high != null && compareTo(high) >= 0) {
        keepEmpty(high);
        return;
      }
      if (entries.sequence() > sequence) {
        newer = skipNewer(newer);
      } else if (entries.kind() == EntryKind.MERGE) {
        keepEmptyUpToEntry();
        combineForward();
        return;
      } else if (isAbsent()) {
        newer = 0;
        saveKey();
        entries.next();
        skipSavedKey();
        if (++hidden % patience == 0 && passEmptyForward()) {
          return;
        }
      } else {
        keepEmptyUpToEntry();
        valid = true;
        return;
      }
    }
    keepEmpty(high);
  }

  /**
   * Skips a version that is too new to be visible. Seeks once several versions of one key were
   * skipped.
   *
   * @param passed number of versions of the key skipped before this one
   * @return the number including this one; 0 after a seek
   */
  private int skipNewer(int passed) {
    if (passed > 0 && compareToSaved() == 0) {
      if (passed == patience) {
        entries.seek(savedKey, 0, savedKeyLength, sequence);
        return 0;
      }
      entries.next();
      return passed + 1;
    }
    saveKey();
    entries.next();
    return 1;
  }

  /**
   * Jumps over the empty range that contains the saved key, or starts a watch for one.
   *
   * @return whether no key follows
   */
  private boolean passEmptyForward() {
    if (emptyRanges == null) {
      return false;
    }
    EmptyRanges.Found range = emptyRanges.find(savedKey, 0, savedKeyLength, sequence, nowMillis);
    if (range == null) {
      if (hiddenBound == null) {
        hiddenBound = Bytes.copy(savedKey, 0, savedKeyLength);
      } else if (hidden == PATIENCE_TO_WATCH * patience) {
        emptyRanges.watch(hiddenBound, sequence);
      }
      return false;
    }
    jumped(range.begin());
    byte[] end = range.end();
    if (end != null) {
      jumps.seek(end, 0, end.length, EntryCursor.NEWEST_VERSION);
    }
    return end == null;
  }

  /**
   * Restarts the count of hidden keys after a jump over a range; hidden keys before the range still
   * count.
   *
   * @param bound bound of the range where the move entered it
   */
  private void jumped(byte[] bound) {
    if (hiddenBound == null) {
      hiddenBound = bound;
      hidden = 0;
    } else {
      hidden = Math.min(hidden, patience);
    }
  }

  private void keepEmptyUpToEntry() {
    if (isLong()) {
      keepEmpty(Bytes.copy(entries.keyArray(), entries.keyOffset(), entries.keyLength()));
    }
  }

  /**
   * Adds to the cache that all keys from the first hidden one to an end are absent, if the move
   * passed enough of them.
   *
   * @param end exclusive; null if no key follows
   */
  private void keepEmpty(byte[] end) {
    if (isLong()) {
      emptyRanges.keep(hiddenBound, end, sequence, nowMillis);
    }
  }

  /** Returns whether the entry of {@link #entries} is a deletion or has expired. */
  private boolean isAbsent() {
    return entries.kind() == EntryKind.DELETE
        || (entries.kind() == EntryKind.EXPIRING
            && Expiry.isPast(entries.valueArray(), entries.valueOffset(), nowMillis));
  }

  /**
   * Collects the operands of a key down to the value below them, and shows a copy of the result.
   */
  private void combineForward() {
    saveKey();
    clearOperands();
    boolean based = false;
    do {
      if (entries.kind() == EntryKind.MERGE) {
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

  /** Returns a copy of the value of the entry of {@link #entries}. */
  private byte[] base() {
    int hidden = valuePrefix();
    return Bytes.copy(
        entries.valueArray(), entries.valueOffset() + hidden, entries.valueLength() - hidden);
  }

  /** Shows the saved key with a copy of the value that its operands and a base give. */
  private void combine(byte[] base) {
    if (!operands.hasRoomFor(base == null ? 0 : base.length)) {
      throw OperandStack.tooLarge();
    }
    byte[] value = operands.fold(hooks.operator(), Bytes.copy(savedKey, 0, savedKeyLength), base);
    operands.clear();
    saveValue(value, 0, value.length);
    copied = true;
  }

  /** Moves backward, from the oldest version of a key, to the last visible key, and copies it. */
  private void settleBackward() {
    forward = false;
    copied = true;
    valid = false;
    hidden = 0;
    hiddenBound = null;
    while (entries.valid()) {
      if (low != null && compareTo(low) < 0) {
        break;
      }
      saveKey();
      if (collectBackward()) {
        keepEmptyBehindSaved();
        copied = true;
        forward = false;
        valid = true;
        return;
      }
      if (++hidden % patience == 0) {
        passEmptyBackward();
      }
    }
    if (isLong()) {
      keepEmptyBehind(low == null ? Bytes.EMPTY : low);
    }
  }

  /**
   * Collects the versions of the saved key, oldest first, and moves before them. Seeks once several
   * were collected.
   *
   * @return whether the key has a value, which is then saved
   */
  private boolean collectBackward() {
    boolean present = false;
    boolean combined = false;
    int versions = 0;
    do {
      if (++versions > patience) {
        return lookUpBackward();
      }
      if (entries.sequence() <= sequence) {
        if (entries.kind() == EntryKind.MERGE) {
          if (!combined) {
            clearOperands();
            combined = true;
          }
          addOperand();
        } else {
          combined = false;
          present = !isAbsent();
          if (present) {
            saveEntryValue();
          }
        }
      }
      entries.prev();
    } while (entries.valid() && compareToSaved() == 0);
    if (combined) {
      combine(present ? Bytes.copy(savedValue, 0, savedValueLength) : null);
    }
    return present || combined;
  }

  /**
   * Collects the versions of the saved key from the newest visible one. Moves and returns as {@link
   * #collectBackward} does.
   */
  private boolean lookUpBackward() {
    entries.seek(savedKey, 0, savedKeyLength, sequence);
    boolean present = false;
    if (entries.valid() && compareToSaved() == 0) {
      if (entries.kind() == EntryKind.MERGE) {
        combineForward();
        present = true;
      } else if (!isAbsent()) {
        saveEntryValue();
        present = true;
      }
    }
    valid = false;
    entries.seekBefore(savedKey, 0, savedKeyLength, EntryCursor.NEWEST_VERSION);
    return present;
  }

  private void saveEntryValue() {
    int valuePrefix = valuePrefix();
    saveValue(
        entries.valueArray(),
        entries.valueOffset() + valuePrefix,
        entries.valueLength() - valuePrefix);
  }

  /** Jumps over the empty range that contains the saved key. */
  private void passEmptyBackward() {
    if (emptyRanges == null) {
      return;
    }
    EmptyRanges.Found range = emptyRanges.find(savedKey, 0, savedKeyLength, sequence, nowMillis);
    if (range != null) {
      jumped(Bytes.copy(savedKey, 0, savedKeyLength));
      jumps.seekBefore(range.begin(), 0, range.begin().length, EntryCursor.NEWEST_VERSION);
    } else if (hiddenBound == null) {
      hiddenBound = Bytes.copy(savedKey, 0, savedKeyLength);
    }
  }

  private void keepEmptyBehindSaved() {
    if (isLong()) {
      byte[] begin = RangeDeletions.successor(Bytes.copy(savedKey, 0, savedKeyLength));
      if (begin != null) {
        keepEmptyBehind(begin);
      }
    }
  }

  /**
   * Adds to the cache that all keys from a key to the last hidden one are absent.
   *
   * @param begin inclusive
   */
  private void keepEmptyBehind(byte[] begin) {
    byte[] end = RangeDeletions.successor(hiddenBound);
    emptyRanges.keep(begin, end, sequence, nowMillis);
  }

  /** Returns whether the move has passed enough hidden keys for their range to be cached. */
  private boolean isLong() {
    return hiddenBound != null && hidden >= patience;
  }

  /** Skips the versions of the saved key. Seeks once several were skipped. */
  private void skipSavedKey() {
    for (int i = 0; entries.valid() && compareToSaved() == 0; i++) {
      if (i == patience) {
        entries.seek(savedKey, 0, savedKeyLength, EntryCursor.BEHIND_VERSIONS);
        return;
      }
      entries.next();
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
