// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.Bytes;
import io.coppice.base.Checksum;
import io.coppice.base.CorruptionException;
import java.io.Closeable;
import java.io.IOException;

/**
 * Reads the records of a log in order. Not safe to share between threads.
 *
 * <p>A record that does not match its checksums is either a <em>torn tail</em>, the natural trace
 * of a stop in the middle of writing, or damage. It is a torn tail if nothing behind it contradicts
 * that it was never durable:
 *
 * <ol>
 *   <li>no header behind it says that the file was synced beyond it, and
 *   <li>no whole record stands behind it, or a 512-byte sector of the damaged span is all zeros, at
 *       least from the damaged record on: the system wrote a later sector first, and this one
 *       never, or not since the record before, and
 *   <li>it is not the case that one changed bit explains it, with the rest of the record sound and
 *       the next one's header, while no sector of it is all zeros.
 * </ol>
 *
 * A write-ahead log may end in zeros, which were written ahead of its records (see {@link
 * LogFile}); its end is the last record, where a torn tail is allowed. Of a sector of it that was
 * stored in the middle of a copy only the first {@link LogFile#HELD_BYTES} bytes, or those from the
 * damaged record on, need be zeros.
 *
 * <p>The last record of a synced log, damaged in more than one bit, cannot be told from a torn one
 * by the log alone. All that stands behind a torn record is dropped with it.
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

  /** All that stands behind is zeros written ahead, unless a record reaches beyond. */
  private final long written;

  private byte[] payload = Bytes.EMPTY;
  private int payloadLength;
  private long recordOffset = -1;

  /** Behind the last record that was read, or the envelope. */
  private long nextOffset;

  private long recordSyncedBytes;
  private long syncedBytes;
  private long droppedBytes;
  private boolean torn;

  /** The end of a damaged unit that is one changed bit away from a sound one; else 0. */
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
   * Opens a log and reads its envelope. An envelope that never became durable is a torn tail too:
   * the log is empty then.
   *
   * @throws java.nio.file.NoSuchFileException if there is no such file
   * @throws CorruptionException if the envelope is damaged or belongs to another file
   * @throws io.coppice.base.VersionException if the format is newer than this version reads
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

  /** The end of the last byte that is not zero. */
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
      Envelope.read(file, kind, number);
      nextOffset = Envelope.BYTES;
    } catch (CorruptionException e) {
      if (isMisplaced()) {
        throw e;
      }
      endAt(0, e);
    }
  }

  /** True if the envelope is sound in itself, so that a stop in the middle cannot be the cause. */
  private boolean isMisplaced() throws IOException {
    if (file.length() < Envelope.BYTES) {
      return false;
    }
    return Envelope.isSound(window, load(0, Envelope.BYTES));
  }

  /** The file's name. */
  public String name() {
    return file.name();
  }

  /**
   * Moves to the next record. False at the end of the log.
   *
   * @throws CorruptionException if the log is damaged here, or its tail is torn and that is refused
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

  /** The record's bytes, from position 0; <em>lent until the next move</em>. */
  public byte[] payload() {
    return payload;
  }

  /** The length of the record's bytes. */
  public int payloadLength() {
    return payloadLength;
  }

  /** The offset in the file of the record's bytes. */
  public long payloadOffset() {
    return recordOffset + RecordLayout.HEADER_BYTES;
  }

  /** The offset in the file behind the last record that was read; 0 without an envelope. */
  public long end() {
    return nextOffset;
  }

  /** The offset in the file of the record. */
  public long recordOffset() {
    return recordOffset;
  }

  /**
   * How many bytes from the first on are known to be durable, by what the records read so far say.
   * Of those behind, a sync may have failed.
   */
  public long syncedBytes() {
    return syncedBytes;
  }

  /** Bytes of a torn tail that were left out; final once {@link #next} returned false. */
  public long droppedBytes() {
    return droppedBytes;
  }

  /**
   * True if the log has a torn tail, also if nothing of it is there, not even the envelope; final
   * once {@link #next} returned false.
   */
  public boolean torn() {
    return torn;
  }

  /** Closes the file. */
  @Override
  public void close() throws IOException {
    file.close();
  }

  /** Reads the record at the offset; null if it is sound, else what is wrong with it. */
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

  /** True if the header, with one bit changed back, is sound and so is what it describes. */
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
   * True if this byte of a record is one of those that are copied last in their sector, and these
   * are zeros: then a bit that is not there was perhaps never there.
   */
  private boolean isHeldBack(long offset, long at) throws IOException {
    long sector = at - at % LogFile.SECTOR_BYTES;
    return kind == FileKind.WAL
        && sector > offset
        && at - sector < LogFile.HELD_BYTES
        && hasSectorOfZeros(sector, sector + 1, LogFile.HELD_BYTES);
  }

  /** True if the log ends here or another record's header follows. */
  private boolean goesOnAt(long offset) throws IOException {
    return offset >= written
        || file.length() - offset < RecordLayout.HEADER_BYTES
        || RecordLayout.isHeader(window, load(offset, RecordLayout.HEADER_BYTES), number, offset);
  }

  /** Ends the log before the damage at {@code offset} if that is a torn tail, else throws. */
  private void endAt(long offset, CorruptionException damage) throws IOException {
    boolean flipped =
        flippedEnd > offset && !hasSectorOfZeros(offset, flippedEnd, LogFile.SECTOR_BYTES);
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
    int zeros = kind == FileKind.WAL ? LogFile.HELD_BYTES : LogFile.SECTOR_BYTES;
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
   * True if in a sector that touches the bytes from {@code from} to before {@code to} all is zero,
   * or the first {@code most} bytes if there are more; where {@code from} lies in it, of what
   * follows.
   */
  private boolean hasSectorOfZeros(long from, long to, int most) throws IOException {
    long end;
    for (long start = from; start < to; start = end) {
      end = Math.min(file.length(), start + LogFile.SECTOR_BYTES - start % LogFile.SECTOR_BYTES);
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

  /** Brings bytes of the file into the window; returns the position of the first. */
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
