// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.DiskFullException;
import io.coppice.base.JvmErrors;
import io.coppice.base.Limits;
import io.coppice.base.ReadOnlyException;
import io.coppice.base.bytes.ByteSink;
import io.coppice.base.bytes.Checksum;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;

/**
 * Writer of a new log, whose records are recovered whole or not at all. After the first failed
 * append or sync the log accepts nothing more. A record after a torn one would hide the tear, and a
 * repeated sync may report success for lost bytes. It stays usable after two failures: a full disk,
 * reported by {@link DiskFullException}, and a lack of heap or stack. In both cases the bytes of
 * the append are cut off, durably, before the exception is thrown; only if that fails does the log
 * end too. {@link #isBroken} returns whether a failed append has ended the log.
 *
 * <p>Appends come from one thread at a time, and so do syncs; an append may overlap with a sync.
 */
public final class RecordLogWriter implements Closeable {

  /**
   * Every write ends a record or ends at an offset that is a multiple of this. The system may store
   * any number of writes, so a file ends at a record or between two sectors, as readers require.
   */
  private static final int WRITE_BYTES = 64 << 10;

  /** Initial buffer size in bytes, enough for a log of short records. */
  private static final int FIRST_BYTES = 4 << 10;

  private final String name;
  private final long number;
  private final Disk.OutputFile file;
  private final Checksum checksum = new Checksum();
  private final ByteSink frame = new ByteSink(FIRST_BYTES);
  private final byte[] header = new byte[RecordLayout.HEADER_BYTES];
  private final Object syncing = new Object();

  /** Offset after the last whole record; changed by the appending thread. */
  private volatile long end = FileHeader.BYTES;

  private volatile long synced;
  private volatile Throwable failure;

  /**
   * Whether a part of a record may follow {@link #end}. The appending thread sets it before the
   * first byte of a record.
   */
  private volatile boolean torn;

  private RecordLogWriter(String name, long number, Disk.OutputFile file) {
    this.name = name;
    this.number = number;
    this.file = file;
  }

  /**
   * Creates the file with its header, in the first format. The file and its name are not durable
   * yet. The caller closes the log.
   *
   * @throws java.nio.file.FileAlreadyExistsException if it exists; it is untouched
   * @throws DiskFullException if there is no room; the file is then removed, durably
   * @throws TooManyOpenFilesException if the process is out of file descriptors; the file is then
   *     removed, durably
   * @throws IOException if it fails otherwise; the file is closed, and may be left without a valid
   *     header
   */
  public static RecordLogWriter create(Disk disk, FileKind kind, long number) throws IOException {
    return create(disk, kind, FileKind.FIRST_FORMAT, number);
  }

  /** Creates a log like {@link #create(Disk, FileKind, long)}, in the given format. */
  public static RecordLogWriter create(Disk disk, FileKind kind, int format, long number)
      throws IOException {
    String name = kind.fileName(number);
    Disk.OutputFile file = null;
    try {
      file = disk.create(name);
      file.write(FileHeader.of(kind, number).in(format).encode(), 0, FileHeader.BYTES);
      return new RecordLogWriter(name, number, file);
    } catch (DiskFullException | TooManyOpenFilesException e) {
      closeQuietly(file, e);
      disk.delete(name);
      disk.syncDirectory();
      throw e;
    } catch (IOException | RuntimeException | Error e) {
      closeQuietly(file, e);
      throw e;
    }
  }

  private static void closeQuietly(Closeable file, Throwable reason) {
    try {
      if (file != null) {
        file.close();
      }
    } catch (IOException e) {
      reason.addSuppressed(e);
    }
  }

  /** Returns the file's name. */
  public String name() {
    return name;
  }

  /**
   * Returns the number of bytes in the file up to the end of the last record, with the file header.
   */
  public long position() {
    return end;
  }

  /** Returns the number of leading bytes of the file known to be durable. */
  public long syncedPosition() {
    return synced;
  }

  /**
   * Appends one record of these bytes, which are read before this returns. The record is then
   * handed to the system, but not durable.
   *
   * @return the offset in the file of the record's header
   * @throws IllegalArgumentException if the record is empty or longer than {@link
   *     Limits#MAX_RECORD_BYTES}; nothing was written
   * @throws DiskFullException if the disk is full; the file then holds nothing of the record
   * @throws IOException if the write fails; the log is read-only from then on
   * @throws ReadOnlyException if the log failed before
   */
  public long append(byte[] payload, int from, int length) throws IOException {
    checkWhole();
    checkLength(length);
    checksum.reset().add(payload, from, length);
    long offset = startRecord(length);
    try {
      put(header, 0, header.length);
      put(payload, from, length);
      writeFrame();
      endRecord();
    } catch (DiskFullException e) {
      throw undo(e);
    } catch (IOException | RuntimeException | Error e) {
      breakOff(e);
      throw e;
    }
    return offset;
  }

  /**
   * Appends one record whose payload is the concatenation of the parts.
   *
   * @see #append(byte[], int, int)
   */
  public long append(List<ByteSink> parts) throws IOException {
    checkWhole();
    long length = 0;
    checksum.reset();
    for (ByteSink part : parts) {
      length += part.length();
      checksum.add(part.array(), 0, part.length());
    }
    checkLength(length);
    long offset = startRecord((int) length);
    try {
      put(header, 0, header.length);
      for (ByteSink part : parts) {
        put(part.array(), 0, part.length());
      }
      writeFrame();
      endRecord();
    } catch (DiskFullException e) {
      throw undo(e);
    } catch (IOException | RuntimeException | Error e) {
      breakOff(e);
      throw e;
    }
    return offset;
  }

  private void endRecord() {
    end = file.position();
    torn = false;
  }

  /**
   * Cuts off a record that found no room. The cut must be durable before the next record: after a
   * loss of power, the remains of two records at one offset would look like damage.
   *
   * @return {@code full}, for the caller to throw
   * @throws IOException if the cut fails; it suppresses {@code full}, and the log accepts nothing
   *     more
   */
  private DiskFullException undo(DiskFullException full) throws IOException {
    try {
      cut();
    } catch (IOException | RuntimeException | Error e) {
      e.addSuppressed(full);
      throw e;
    }
    return full;
  }

  /**
   * Ends the log after a failed append, or cuts off the bytes of an append that lacked heap or
   * stack.
   */
  private void breakOff(Throwable cause) {
    if (JvmErrors.in(cause) == null) {
      failure = cause;
      return;
    }
    try {
      cut();
    } catch (IOException | RuntimeException | Error e) {
      // The log has failed: a crash may recover the record that the append was to write.
    }
  }

  /**
   * Cuts off, durably, the bytes of a failed append. If the cut fails, the log accepts nothing
   * more.
   */
  private void cut() throws IOException {
    if (!torn) {
      return;
    }
    try {
      file.truncate(end);
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
      throw e;
    }
    syncFile();
    torn = false;
  }

  private long startRecord(int length) {
    long offset = end;
    int payloadSum = checksum.value(number, offset + RecordLayout.HEADER_BYTES);
    RecordLayout.putHeader(header, 0, number, offset, length, payloadSum, synced);
    frame.clear();
    return offset;
  }

  private void put(byte[] bytes, int from, int length) throws IOException {
    int position = from;
    int end = from + length;
    while (position < end) {
      long filled = file.position() + frame.length();
      int count = (int) Math.min(end - position, WRITE_BYTES - filled % WRITE_BYTES);
      frame.bytes(bytes, position, count);
      position += count;
      if ((filled + count) % WRITE_BYTES == 0) {
        writeFrame();
      }
    }
  }

  private void writeFrame() throws IOException {
    if (frame.length() > 0) {
      torn = true;
      file.write(frame.array(), 0, frame.length());
      frame.clear();
    }
  }

  /**
   * Makes all records appended before this call durable. Waits for that, and for a sync in
   * progress.
   *
   * @throws IOException if it fails; the log is read-only from then on, and the durable part of its
   *     tail is unknown
   * @throws ReadOnlyException if the log failed before
   */
  public void sync() throws IOException {
    synchronized (syncing) {
      checkUsable();
      if (synced < end) {
        syncFile();
      }
    }
  }

  /** Syncs the file even if all records are durable, so that a cut is durable too. */
  private void syncFile() throws IOException {
    synchronized (syncing) {
      checkUsable();
      long position = end;
      try {
        file.sync();
      } catch (IOException | RuntimeException | Error e) {
        failure = e;
        throw e;
      }
      synced = position;
    }
  }

  /**
   * Syncs the log, and waits for that, before another log follows it. First cuts off the bytes
   * after its records. Appending may continue.
   *
   * @throws IOException if it fails; the log is read-only from then on
   * @throws ReadOnlyException if the log failed before
   */
  public void finish() throws IOException {
    checkWhole();
    try {
      file.cutAhead();
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
      throw e;
    }
    syncFile();
  }

  /** Closes the file as it is, without a sync. */
  @Override
  public void close() throws IOException {
    file.close();
  }

  /**
   * Returns whether the log accepts nothing more. The bytes after its last record are then unknown.
   * Called by the appending thread.
   */
  public boolean isBroken() {
    return failure != null || torn;
  }

  private void checkWhole() {
    checkUsable();
    if (torn) {
      throw new ReadOnlyException(
          name + " has a part of a record at its end, which could not be cut off", null);
    }
  }

  private void checkUsable() {
    Throwable cause = failure;
    if (cause != null) {
      throw new ReadOnlyException(name + " failed: " + cause.getMessage(), cause);
    }
  }

  private static void checkLength(long length) {
    if (length < 1 || length > Limits.MAX_RECORD_BYTES) {
      throw new IllegalArgumentException(
          "a record of " + length + " bytes must have 1 to " + Limits.MAX_RECORD_BYTES);
    }
  }
}
