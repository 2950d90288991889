// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.CorruptionException;
import io.coppice.base.bytes.Bytes;
import io.coppice.base.bytes.Checksum;
import java.io.Closeable;
import java.io.IOException;

/**
 * Reader of the records of a log in order. Not safe to share between threads.
 *
 * <p>A record that does not match its checksums is either a <em>torn tail</em>, the trace of a stop
 * in the middle of writing, or damage. It is a torn tail if it may never have been durable, which
 * requires three facts:
 *
 * <ol>
 *   <li>No later header says that the file was synced beyond it.
 *   <li>No whole record follows it, or a 512-byte sector of the damaged span is all zeros, at least
 *       from the damaged record on. The system then wrote a later sector first, and this one never
 *       or not since the record before.
 *   <li>One changed bit cannot explain it, or a sector of it is all zeros. One bit explains it if
 *       the rest of the record and the next record's header are valid.
 * </ol>
 *
 * <p>A write-ahead log may end in zeros that were written ahead of its records (see {@code
 * MappedLogFile}). It ends with its last record, which may be a torn tail. A sector that was stored
 * in the middle of a copy needs only its first {@link RecordLayout#HELD_BYTES} bytes to be zeros,
 * or those from the damaged record on.
 *
 * <p>If the last record of a synced log is damaged in more than one bit, the log alone cannot
 * distinguish it from a torn one. All records after a torn record are dropped with it.
 */
public final class RecordLogReader implements Closeable {

  private static final int WINDOW_BYTES = 64 << 10;

  private final Disk.InputFile file;
  private final FileKind kind;
  private final long number;
  private final TornTail tornTail;
  private final Checksum checksum = new Checksum();

  private final byte[] window = new byte[WINDOW_BYTES];
  private long windowOffset;
  private int windowLength;

  /**
   * Offset of the end of the written bytes. The rest is zeros written ahead, unless a record
   * extends beyond.
   */
  private final long written;

  private byte[] payload = Bytes.EMPTY;
  private int payloadLength;
  private long recordOffset = -1;

  /** Offset after the last record that was read, or after the file header. */
  private long nextOffset;

  private long recordSyncedBytes;
  private long syncedBytes;
  private long droppedBytes;
  private boolean torn;

  /**
   * Offset of the end of a damaged header or record that is one changed bit away from a valid one;
   * else 0.
   */
  private long flippedEnd;

  private RecordLogReader(Disk.InputFile file, FileKind kind, long number, TornTail tornTail)
      throws IOException {
    this.file = file;
    this.kind = kind;
    this.number = number;
    this.tornTail = tornTail;
    boolean mayHaveZeros = kind == FileKind.WAL && tornTail == TornTail.DROP;
    written = mayHaveZeros ? endOfWritten() : file.length();
  }

  /**
   * Opens a log and reads its file header. A header that never became durable is a torn tail too;
   * the log is then empty.
   *
   * @throws java.nio.file.NoSuchFileException if there is no such file
   * @throws CorruptionException if the header is damaged or belongs to another file
   * @throws io.coppice.base.VersionException if the format is newer than this version reads
   * @throws IOException if the file cannot be read; it is closed
   */
  public static RecordLogReader open(Disk disk, FileKind kind, long number, TornTail tornTail)
      throws IOException {
    Disk.InputFile file = disk.open(kind.fileName(number));
    try {
      RecordLogReader reader = new RecordLogReader(file, kind, number, tornTail);
      reader.readEnvelope();
      return reader;
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  /** Returns the offset after the last nonzero byte. */
  private long endOfWritten() throws IOException {
    long end = file.length();
    while (end > 0) {
      int count = (int) Math.min(WINDOW_BYTES, end);
      int at = load(end - count, count);
      int left = count;
      while (left > 0 && window[at + left - 1] == 0) {
        left--;
      }
      end -= count - left;
      if (left > 0) {
        break;
      }
    }
    return end;
  }

  private void readEnvelope() throws IOException {
    try {
      FileHeader.read(file, kind, number);
      nextOffset = FileHeader.BYTES;
    } catch (CorruptionException e) {
      if (isMisplaced()) {
        throw e;
      }
      endAt(0, e);
    }
  }

  /**
   * Returns whether the file header is valid but belongs to another file. An interrupted write
   * cannot be the cause then.
   */
  private boolean isMisplaced() throws IOException {
    if (file.length() < FileHeader.BYTES) {
      return false;
    }
    return FileHeader.isSound(window, load(0, FileHeader.BYTES));
  }

  /** Returns the file's name. */
  public String name() {
    return file.name();
  }

  /**
   * Moves to the next record; returns false at the end of the log, which may be a torn tail that
   * was dropped.
   *
   * @throws CorruptionException if the log is damaged here, or has a torn tail that the caller
   *     refuses; the reader stays before it
   * @throws IOException if the file cannot be read
   */
  public boolean next() throws IOException {
    if (torn || nextOffset >= written) {
      recordOffset = -1;
      return false;
    }
    long offset = nextOffset;
    String fault = readRecord(offset);
    if (fault != null) {
      recordOffset = -1;
      endAt(offset, new CorruptionException(file.name(), offset, fault));
      return false;
    }
    recordOffset = offset;
    nextOffset = offset + RecordLayout.HEADER_BYTES + payloadLength;
    syncedBytes = Math.max(syncedBytes, recordSyncedBytes);
    return true;
  }

  /**
   * Returns the array with the record's payload from position 0; <em>lent until the next move</em>.
   */
  public byte[] payload() {
    return payload;
  }

  /** Returns the length of the record's payload in bytes. */
  public int payloadLength() {
    return payloadLength;
  }

  /** Returns the offset in the file where the record's payload begins. */
  public long payloadOffset() {
    return recordOffset + RecordLayout.HEADER_BYTES;
  }

  /**
   * Returns the offset in the file after the last record that was read; 0 without a file header.
   */
  public long end() {
    return nextOffset;
  }

  /** Returns the offset in the file where the record's header begins; -1 without a record. */
  public long recordOffset() {
    return recordOffset;
  }

  /**
   * Returns the length of the prefix of the file that is durable according to the records read up
   * to now. The bytes after it may be durable too.
   */
  public long syncedBytes() {
    return syncedBytes;
  }

  /**
   * Returns the number of dropped bytes of a torn tail, without zeros written ahead; final once
   * {@link #next} has returned false.
   */
  public long droppedBytes() {
    return droppedBytes;
  }

  /**
   * Returns whether the log has a torn tail, possibly an empty one; final once {@link #next} has
   * returned false.
   */
  public boolean torn() {
    return torn;
  }

  /** Closes the file. */
  @Override
  public void close() throws IOException {
    file.close();
  }

  /** Reads the record at the offset; returns its fault, or null if it is valid. */
  private String readRecord(long offset) throws IOException {
    long left = file.length() - offset;
    if (left < RecordLayout.HEADER_BYTES) {
      return "a record header was expected, " + left + " bytes are left";
    }
    int at = load(offset, RecordLayout.HEADER_BYTES);
    flippedEnd = 0;
    if (!RecordLayout.isHeader(window, at, number, offset)) {
      if (RecordLayout.isHeaderButForOneBit(window, at, number, offset)
          && isWholeButForOneHeaderBit(offset)) {
        flippedEnd = offset + RecordLayout.HEADER_BYTES;
      }
      return "the record's header does not match its checksum";
    }
    int length = RecordLayout.length(window, at);
    int sum = RecordLayout.payloadSum(window, at);
    recordSyncedBytes = RecordLayout.synced(window, at);
    if (length > left - RecordLayout.HEADER_BYTES) {
      return "a record of " + length + " bytes was expected, the file ends before that";
    }
    long start = offset + RecordLayout.HEADER_BYTES;
    if (payload.length < length) {
      payload = new byte[Math.max(length, Math.min(2 * payload.length, WINDOW_BYTES))];
    }
    payloadLength = length;
    if (length <= WINDOW_BYTES) {
      System.arraycopy(window, load(start, length), payload, 0, length);
    } else {
      file.read(start, payload, 0, length);
    }
    int found = Checksum.of(number, start, payload, 0, length);
    if (found == sum) {
      return null;
    }
    long changed = Checksum.changedByte(found, sum, length);
    if (changed != Checksum.NONE
        && goesOnAt(start + length)
        && (changed == length || !isHeldBack(offset, start + changed))) {
      flippedEnd = start + length;
    }
    return "the record's bytes do not match their checksum";
  }

  /**
   * Returns whether one changed bit in the record's header explains the damage: with it changed
   * back, the header and its record are valid.
   */
  private boolean isWholeButForOneHeaderBit(long offset) throws IOException {
    byte[] header = new byte[RecordLayout.HEADER_BYTES];
    System.arraycopy(window, load(offset, header.length), header, 0, header.length);
    for (int bit = 0; bit < Byte.SIZE * header.length; bit++) {
      header[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
      if (RecordLayout.isHeader(header, 0, number, offset)) {
        return !isHeldBack(offset, offset + bit / Byte.SIZE)
            && isWhole(offset, RecordLayout.length(header, 0), RecordLayout.payloadSum(header, 0));
      }
      header[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
    }
    return false;
  }

  /**
   * Returns whether the byte at {@code at} belongs to those that a copy stores last in its sector,
   * and these are zeros. A bit that differs there was perhaps never written.
   */
  private boolean isHeldBack(long offset, long at) throws IOException {
    long sector = at - at % RecordLayout.SECTOR_BYTES;
    return kind == FileKind.WAL
        && sector > offset
        && at - sector < RecordLayout.HELD_BYTES
        && hasSectorOfZeros(sector, sector + 1, RecordLayout.HELD_BYTES);
  }

  /** Returns whether the log ends at an offset, or the header of another record begins there. */
  private boolean goesOnAt(long offset) throws IOException {
    return offset >= written
        || file.length() - offset < RecordLayout.HEADER_BYTES
        || RecordLayout.isHeader(window, load(offset, RecordLayout.HEADER_BYTES), number, offset);
  }

  /** Ends the log before the damage at {@code offset} if that is a torn tail, else throws. */
  private void endAt(long offset, CorruptionException damage) throws IOException {
    boolean flipped =
        flippedEnd > offset && !hasSectorOfZeros(offset, flippedEnd, RecordLayout.SECTOR_BYTES);
    if (tornTail == TornTail.REFUSE || flipped || !isTorn(offset)) {
      throw damage;
    }
    droppedBytes = Math.max(0, written - offset);
    torn = true;
  }

  private boolean isTorn(long damaged) throws IOException {
    long spanEnd = -1;
    long offset = damaged + 1;
    while (offset <= Math.min(written, file.length() - RecordLayout.HEADER_BYTES)) {
      int at = load(offset, RecordLayout.HEADER_BYTES);
      if (!RecordLayout.isHeader(window, at, number, offset)) {
        offset++;
        continue;
      }
      if (RecordLayout.synced(window, at) > damaged) {
        return false;
      }
      int length = RecordLayout.length(window, at);
      if (isWhole(offset, length, RecordLayout.payloadSum(window, at))) {
        spanEnd = spanEnd < 0 ? offset : spanEnd;
        offset += RecordLayout.HEADER_BYTES + length;
      } else {
        offset++;
      }
    }
    int zeros = kind == FileKind.WAL ? RecordLayout.HELD_BYTES : RecordLayout.SECTOR_BYTES;
    return spanEnd < 0 || hasSectorOfZeros(damaged, spanEnd, zeros);
  }

  private boolean isWhole(long offset, int length, int payloadSum) throws IOException {
    long start = offset + RecordLayout.HEADER_BYTES;
    long end = start + length;
    if (end > file.length()) {
      return false;
    }
    checksum.reset();
    for (long from = start; from < end; from += WINDOW_BYTES) {
      int count = (int) Math.min(WINDOW_BYTES, end - from);
      checksum.add(window, load(from, count), count);
    }
    return checksum.value(number, start) == payloadSum;
  }

  /**
   * Returns whether the bytes from {@code from} to {@code to}, exclusive, overlap a sector of
   * zeros. A sector counts if its first {@code most} bytes are zeros; in the sector of {@code from}
   * only the bytes from there on count.
   */
  private boolean hasSectorOfZeros(long from, long to, int most) throws IOException {
    long end;
    for (long start = from; start < to; start = end) {
      end =
          Math.min(
              file.length(), start + RecordLayout.SECTOR_BYTES - start % RecordLayout.SECTOR_BYTES);
      int count = (int) Math.min(most, end - start);
      int at = load(start, count);
      int zeros = 0;
      while (zeros < count && window[at + zeros] == 0) {
        zeros++;
      }
      if (zeros == count) {
        return true;
      }
    }
    return false;
  }

  /**
   * Loads bytes of the file into the window. Returns the index of the first in the window's array.
   */
  private int load(long offset, int length) throws IOException {
    assert length <= WINDOW_BYTES && offset + length <= file.length();
    if (offset < windowOffset || offset + length > windowOffset + windowLength) {
      windowLength = 0;
      int count = (int) Math.min(WINDOW_BYTES, file.length() - offset);
      file.read(offset, window, 0, count);
      windowOffset = offset;
      windowLength = count;
    }
    return (int) (offset - windowOffset);
  }
}
