// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.block;

import io.coppice.base.CorruptionException;
import io.coppice.base.Limits;
import io.coppice.base.bytes.Bytes;
import io.coppice.base.bytes.Coding;
import io.coppice.entry.EntryKind;
import java.util.Arrays;

/**
 * Cursor over the entries of one verified block. A matching checksum does not prove that this code
 * wrote the block, so the cursor checks every number before it uses it. It is reused from block to
 * block without allocation. Not safe to share between threads.
 *
 * <p>A key is stored as the difference to its predecessor. A step forward therefore updates {@code
 * key} in place. A step backward decodes all keys since the last restart into {@code trail}, and
 * further steps backward take them from its end until they reach the restart.
 */
public final class BlockCursor {

  /** Entry kinds by code; null for codes that do not describe an entry of one key. */
  private static final EntryKind[] KINDS = kinds();

  private String file = "";
  private long fileOffset;
  private byte[] data = Bytes.EMPTY;

  /**
   * Position of the block in {@code data}; all positions below count from the start of the array.
   */
  private int start;

  /** End of the entries, which is the start of the restarts. */
  private int entriesEnd;

  private int restartCount;

  /**
   * Position of the current entry, -1 if the cursor is unpositioned; {@code next} is the position
   * after it.
   */
  private int entry = -1;

  private int next;

  private byte[] key = new byte[64];
  private int keyLength;
  private int suffixAt;
  private int shared;
  private int unshared;
  private long sequence;
  private EntryKind kind;
  private int valueOffset;
  private int valueLength;

  /** Varint decoded by {@link #readLong}. */
  private long number;

  /** Keys from a restart to the current entry; in use only during steps backward. */
  private byte[] trail = Bytes.EMPTY;

  /** Positions of the trail's entries; null until the first step backward. */
  private int[] trailEntries;

  private int[] trailKeys;
  private int trailLength;

  private static EntryKind[] kinds() {
    EntryKind[] byCode = new EntryKind[EntryKind.values().length];
    for (EntryKind kind : EntryKind.values()) {
      byCode[kind.code()] = kind.ofOneKey() ? kind : null;
    }
    return byCode;
  }

  /**
   * Moves the cursor to another block, unpositioned. The cursor reads the buffer's array in place,
   * so it is valid until the buffer reads another block.
   *
   * @param file name for messages
   * @param fileOffset offset of the block in the file, for messages
   * @param length length of the block in the buffer, without the trailer
   * @throws CorruptionException if the end of the block is damaged; the cursor is then
   *     unpositioned. All moves throw this too
   */
  public void reset(String file, long fileOffset, BlockBuffer buffer, int length) {
    this.file = file;
    this.fileOffset = fileOffset;
    this.data = buffer.array();
    this.start = buffer.start();
    this.entry = -1;
    this.trailLength = 0;
    int countAt = start + length - Integer.BYTES;
    if (length < BlockLayout.MIN_ENTRY_BYTES + 2 * Integer.BYTES) {
      throw damaged(start, "a block of " + length + " bytes holds no entry");
    }
    restartCount = Coding.fixed32(data, countAt);
    if (restartCount < 1 || restartCount > (countAt - start) / Integer.BYTES) {
      throw damaged(countAt, "a block of " + length + " bytes with " + restartCount + " restarts");
    }
    entriesEnd = countAt - restartCount * Integer.BYTES;
    if (restartAt(0) != start) {
      throw damaged(entriesEnd, "the first restart is not the first entry");
    }
  }

  /** Detaches the cursor from its block. */
  public void clear() {
    data = Bytes.EMPTY;
    start = 0;
    entriesEnd = 0;
    restartCount = 0;
    entry = -1;
    trailLength = 0;
  }

  public boolean valid() {
    return entry >= 0;
  }

  public byte[] keyArray() {
    return trailLength > 0 ? trail : key;
  }

  public int keyOffset() {
    return trailLength > 0 ? trailKeys[trailLength - 1] : 0;
  }

  public int keyLength() {
    return keyLength;
  }

  public long sequence() {
    return sequence;
  }

  public EntryKind kind() {
    return kind;
  }

  public byte[] valueArray() {
    return data;
  }

  public int valueOffset() {
    return valueOffset;
  }

  public int valueLength() {
    return valueLength;
  }

  public void first() {
    startAt(start);
    advance();
  }

  public void last() {
    startAt(restartAt(restartCount - 1));
    advance();
    while (next < entriesEnd) {
      advance();
    }
  }

  public void next() {
    if (trailLength > 0) {
      leaveTrail();
    }
    if (next >= entriesEnd) {
      entry = -1;
    } else {
      advance();
    }
  }

  public void prev() {
    if (trailLength == 0) {
      if (entry == start) {
        entry = -1;
        return;
      }
      layTrail();
    } else if (--trailLength == 0) {
      // The current entry is a restart; its predecessor ends the previous restart interval.
      next = entry;
      if (entry == start) {
        entry = -1;
        return;
      }
      layTrail();
    }
    takeFromTrail();
  }

  /**
   * Moves to the first entry at or after (key, sequence) in entry order. If there is none, the
   * cursor is invalid, but {@link #lastSeenEquals} can still compare the block's last key.
   */
  public void seek(byte[] target, int offset, int length, long wanted) {
    int low = 0;
    int high = restartCount - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      readHeader(restartAt(middle));
      if (shared != 0) {
        throw damaged(restartAt(middle), "a restart shares " + shared + " bytes");
      }
      int order = Bytes.compare(data, suffixAt, unshared, target, offset, length);
      if (order < 0 || (order == 0 && sequence > wanted)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    startAt(restartAt(low));
    do {
      advance();
      int order = Bytes.compare(key, 0, keyLength, target, offset, length);
      if (order > 0 || (order == 0 && sequence <= wanted)) {
        return;
      }
    } while (next < entriesEnd);
    entry = -1;
  }

  /** Returns whether the last key decoded by {@link #seek} equals the given one. */
  public boolean lastSeenEquals(byte[] other, int offset, int length) {
    return Bytes.equal(key, 0, keyLength, other, offset, length);
  }

  private int restartAt(int index) {
    int restart = Coding.fixed32(data, entriesEnd + index * Integer.BYTES);
    if (restart < 0 || restart >= entriesEnd - start) {
      throw damaged(entriesEnd + index * Integer.BYTES, "a restart at position " + restart);
    }
    return start + restart;
  }

  private void startAt(int position) {
    trailLength = 0;
    keyLength = 0;
    next = position;
  }

  private void advance() {
    entry = next;
    int previous = keyLength;
    readHeader(entry);
    if (shared > previous) {
      throw damaged(entry, "a key of " + previous + " bytes cannot share " + shared);
    }
    keyLength = shared + unshared;
    if (key.length < keyLength) {
      key = Arrays.copyOf(key, Math.max(keyLength, 2 * key.length));
    }
    System.arraycopy(data, suffixAt, key, shared, unshared);
  }

  private void readHeader(int position) {
    int at = position;
    if (entriesEnd - at < BlockLayout.MIN_ENTRY_BYTES) {
      throw damaged(position, "the block ends inside an entry");
    }
    int code = data[at++];
    if (code < 0 || code >= KINDS.length || KINDS[code] == null) {
      throw damaged(position, "unknown entry kind " + (code & 0xFF));
    }
    kind = KINDS[code];
    int byteOrMore = data[at];
    if (byteOrMore >= 0) {
      shared = byteOrMore;
      at++;
    } else {
      at = readLong(position, at, Limits.MAX_KEY_BYTES);
      shared = (int) number;
    }
    at = readLong(position, at, Limits.MAX_KEY_BYTES - shared);
    unshared = (int) number;
    at = readLong(position, at, Limits.MAX_SEQUENCE);
    sequence = number;
    at = readLong(position, at, Limits.MAX_VALUE_BYTES);
    valueLength = (int) number;
    if (unshared > entriesEnd - at || valueLength > entriesEnd - at - unshared) {
      throw damaged(position, "an entry of " + unshared + " + " + valueLength + " bytes");
    }
    if (valueLength < kind.minValueBytes() || valueLength > kind.maxValueBytes()) {
      throw damaged(position, kind + " with a value of " + valueLength + " bytes");
    }
    suffixAt = at;
    valueOffset = at + unshared;
    next = valueOffset + valueLength;
  }

  private int readLong(int entryPosition, int from, long max) {
    long value = 0;
    int at = from;
    for (int shift = 0; shift < 63; shift += 7) {
      if (at >= entriesEnd) {
        throw damaged(entryPosition, "the block ends inside an entry");
      }
      byte piece = data[at++];
      value |= (piece & 0x7FL) << shift;
      if (piece >= 0) {
        if (value > max) {
          break;
        }
        number = value;
        return at;
      }
    }
    throw damaged(entryPosition, "a number above " + max);
  }

  /** Decodes the keys from the last restart before the current entry up to its predecessor. */
  private void layTrail() {
    int end = entry;
    int low = 0;
    int high = restartCount - 1;
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      if (restartAt(middle) < end) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    if (trailEntries == null) {
      trailEntries = new int[BlockLayout.MAX_RESTART_INTERVAL];
      trailKeys = new int[BlockLayout.MAX_RESTART_INTERVAL + 1];
    }
    startAt(restartAt(low));
    int bytes = 0;
    int count = 0;
    while (next < end) {
      advance();
      if (count == BlockLayout.MAX_RESTART_INTERVAL) {
        throw damaged(entry, "more than " + count + " entries without a restart");
      }
      if (trail.length < bytes + keyLength) {
        trail = Arrays.copyOf(trail, Math.max(1024, 2 * (bytes + keyLength)));
      }
      System.arraycopy(key, 0, trail, bytes, keyLength);
      trailEntries[count] = entry;
      trailKeys[count++] = bytes;
      bytes += keyLength;
      trailKeys[count] = bytes;
    }
    if (next != end || count == 0) {
      throw damaged(end, "entries before it do not end where it begins");
    }
    trailLength = count;
  }

  private void takeFromTrail() {
    entry = trailEntries[trailLength - 1];
    readHeader(entry);
    keyLength = trailKeys[trailLength] - trailKeys[trailLength - 1];
  }

  private void leaveTrail() {
    if (key.length < keyLength) {
      key = new byte[Math.max(keyLength, 2 * key.length)];
    }
    System.arraycopy(trail, trailKeys[trailLength - 1], key, 0, keyLength);
    trailLength = 0;
  }

  /** Unpositions the cursor and returns the exception for the caller to throw. */
  private CorruptionException damaged(int position, String detail) {
    entry = -1;
    return new CorruptionException(file, fileOffset + position - start, detail);
  }
}
