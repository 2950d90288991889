// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.wal;

import io.coppice.base.DiskFullException;
import io.coppice.base.Limits;
import io.coppice.base.bytes.ByteSink;
import io.coppice.entry.EntryBatch;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.RecordLogWriter;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Writer of one log. A group of batches becomes one record, so it is recovered completely or not at
 * all. One thread at a time appends groups, and one syncs; a group may be appended during a sync.
 * After a failed sync, or a failed append whose bytes could not be cut off, the log refuses further
 * writes, and {@link #isBroken} is true. After {@link DiskFullException} it stays usable.
 */
public final class WalWriter implements Closeable {

  private final RecordLogWriter log;
  private final ByteSink header = new ByteSink(GroupLayout.HEADER_BYTES);
  private final List<ByteSink> parts = new ArrayList<>();

  private WalWriter(RecordLogWriter log) {
    this.log = log;
  }

  /**
   * Creates the empty log of this number; file and name are durable on return.
   *
   * @throws java.nio.file.FileAlreadyExistsException if it exists; it is untouched
   * @throws DiskFullException if there is no room; the file was removed
   * @throws io.coppice.io.TooManyOpenFilesException if the process is out of file descriptors; the
   *     file was removed
   * @throws IOException if it fails otherwise; the file is closed, and may be left empty
   */
  public static WalWriter create(Disk disk, long number) throws IOException {
    RecordLogWriter log = RecordLogWriter.create(disk, FileKind.WAL, number);
    try {
      log.sync();
      disk.syncDirectory();
      return new WalWriter(log);
    } catch (IOException | RuntimeException | Error e) {
      try {
        log.close();
      } catch (IOException again) {
        e.addSuppressed(again);
      }
      throw e;
    }
  }

  /**
   * Appends the batches as one record. On return the system has it, so it survives the death of the
   * process; it survives a loss of power after the next {@link #sync}.
   *
   * @param firstSequence the sequence number of the first entry; the others are consecutive
   * @param batches at least one entry in all, at most {@link Limits#MAX_GROUP_BYTES} bytes
   * @throws DiskFullException if the disk is full; the log then holds nothing of the group
   * @throws IOException if the write fails; the group may or may not be recovered
   * @throws io.coppice.base.ReadOnlyException if the log failed before
   */
  public void append(long firstSequence, List<EntryBatch> batches) throws IOException {
    parts.clear();
    parts.add(header);
    int count = 0;
    for (EntryBatch batch : batches) {
      count = Math.addExact(count, batch.count());
      parts.add(batch.bytes());
    }
    assert count > 0 : "an empty group";
    assert firstSequence >= 0 && firstSequence <= Limits.MAX_SEQUENCE - count : firstSequence;
    header.clear();
    header.fixed64(firstSequence).fixed32(count);
    try {
      log.append(parts);
    } finally {
      parts.clear();
    }
  }

  /**
   * Makes all groups appended before this call durable, and waits for that.
   *
   * @throws IOException if it fails; the log then refuses further writes
   * @throws io.coppice.base.ReadOnlyException if the log failed before
   */
  public void sync() throws IOException {
    log.sync();
  }

  /**
   * Syncs as {@link #sync} does, before another log begins: afterwards the file ends with its last
   * group. The caller appends no group during the call; appending may continue afterwards.
   *
   * @throws IOException if it fails; the log then refuses further writes
   * @throws io.coppice.base.ReadOnlyException if the log failed before
   */
  public void finish() throws IOException {
    log.finish();
  }

  /** Returns whether the log refuses further writes. Called by the appending thread. */
  public boolean isBroken() {
    return log.isBroken();
  }

  /** Returns the file's name. */
  public String name() {
    return log.name();
  }

  /**
   * Returns the number of bytes in the file up to the end of the last group, with the file header.
   */
  public long position() {
    return log.position();
  }

  /** Returns the number of leading bytes of the file known to be durable. */
  public long syncedPosition() {
    return log.syncedPosition();
  }

  /**
   * Closes the file without a sync. Groups after the last sync survive the process; a loss of power
   * may drop them.
   */
  @Override
  public void close() throws IOException {
    log.close();
  }
}
