// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.wal;

import io.coppice.base.CorruptionException;
import io.coppice.base.Limits;
import io.coppice.base.bytes.ByteSource;
import io.coppice.entry.EntryBatchReader;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.RecordLogReader;
import io.coppice.io.TornTail;
import java.io.Closeable;
import java.io.IOException;

/**
 * Reader of the groups of one log, in order of writing. A group is checked completely before its
 * first entry is returned. Not safe to share between threads.
 */
public final class WalReader implements Closeable {

  private final RecordLogReader log;
  private final ByteSource source = new ByteSource();
  private final EntryBatchReader entries = new EntryBatchReader();
  private long firstSequence;
  private int count;
  private long nextSequence;

  private WalReader(RecordLogReader log) {
    this.log = log;
  }

  /**
   * Opens the log of this number, before its first group. A file header that was torn leaves it
   * empty under {@link TornTail#DROP}.
   *
   * @throws java.nio.file.NoSuchFileException if there is none
   * @throws CorruptionException if its file header is damaged
   * @throws io.coppice.base.VersionException if its format is newer than this version reads
   * @throws IOException if it cannot be read; the file is closed
   */
  public static WalReader open(Disk disk, long number, TornTail tornTail) throws IOException {
    return new WalReader(RecordLogReader.open(disk, FileKind.WAL, number, tornTail));
  }

  /**
   * Moves to the next group. Returns false at the end of the log.
   *
   * @throws CorruptionException if the log is damaged here, or its tail is torn and the reader
   *     refuses that
   * @throws IOException if the file cannot be read
   */
  public boolean next() throws IOException {
    if (!log.next()) {
      return false;
    }
    source.reset(log.name(), log.payloadOffset(), log.payload(), 0, log.payloadLength());
    firstSequence = source.fixed64();
    count = source.fixed32();
    if (count < 1 || firstSequence < nextSequence || firstSequence > Limits.MAX_SEQUENCE - count) {
      throw new CorruptionException(
          log.name(),
          log.recordOffset(),
          String.format(
              "a group from sequence %d on was expected, found %d entries from %d on",
              nextSequence, count, firstSequence));
    }
    nextSequence = firstSequence + count;
    rewind();
    int found = 0;
    while (entries.next()) {
      found++;
    }
    if (found != count) {
      throw new CorruptionException(
          log.name(), log.recordOffset(), count + " entries were expected, found " + found);
    }
    rewind();
    return true;
  }

  private void rewind() {
    entries.reset(
        log.name(),
        log.payloadOffset() + GroupLayout.HEADER_BYTES,
        log.payload(),
        GroupLayout.HEADER_BYTES,
        log.payloadLength() - GroupLayout.HEADER_BYTES);
  }

  /** Returns the offset in the file after the last group read. */
  public long end() {
    return log.end();
  }

  /** Returns the sequence number of the group's first entry; the others are consecutive. */
  public long firstSequence() {
    return firstSequence;
  }

  /** Returns the number of the group's entries. */
  public int count() {
    return count;
  }

  /** Returns the group's entries, before the first; <em>lent until the next move</em>. */
  public EntryBatchReader entries() {
    return entries;
  }

  /**
   * Checks that the family of the last entry read can exist.
   *
   * @param nextFamily lowest family number that was never given out
   * @throws CorruptionException if the entry's family has this number or a larger one
   */
  public void checkFamily(int nextFamily) {
    if (entries.family() >= nextFamily) {
      throw new CorruptionException(
          log.name(),
          log.recordOffset(),
          "an entry of a family below %s was expected, found one of family %s"
              .formatted(nextFamily, entries.family()));
    }
  }

  /**
   * Returns the number of leading bytes known to be durable, as recorded by the groups read before.
   */
  public long syncedBytes() {
    return log.syncedBytes();
  }

  /** Returns the omitted bytes of a torn tail; final once {@link #next} returned false. */
  public long droppedBytes() {
    return log.droppedBytes();
  }

  /**
   * Returns whether the tail is torn, even if no byte of it exists; final once {@link #next}
   * returned false.
   */
  public boolean torn() {
    return log.torn();
  }

  /** Closes the file. */
  @Override
  public void close() throws IOException {
    log.close();
  }
}
