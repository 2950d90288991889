// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.wal;

import io.coppice.base.ByteSource;
import io.coppice.base.CorruptionException;
import io.coppice.base.Limits;
import io.coppice.entry.EntryBatchReader;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.RecordLogReader;
import io.coppice.io.TornTail;
import java.io.Closeable;
import java.io.IOException;

/**
 * Reads the groups of one log in the order in which they were written. A group is checked in full
 * before its first entry is handed out. Not safe to share between threads.
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
   * Opens the log of this number.
   *
   * @throws java.nio.file.NoSuchFileException if there is none
   * @throws CorruptionException if its envelope is damaged
   * @throws io.coppice.base.VersionException if it is of a newer format than this version reads
   */
  public static WalReader open(Disk disk, long number, TornTail tornTail) throws IOException {
    return new WalReader(RecordLogReader.open(disk, FileKind.WAL, number, tornTail));
  }

  /**
   * Moves to the next group. False at the end of the log.
   *
   * @throws CorruptionException if the log is damaged here, or its tail is torn and that is refused
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

  /** The offset in the file behind the last group that was read. */
  public long end() {
    return log.end();
  }

  /** The sequence number of the group's first entry; the others follow one by one. */
  public long firstSequence() {
    return firstSequence;
  }

  /** The number of the group's entries. */
  public int count() {
    return count;
  }

  /** The group's entries, before the first; <em>lent until the next move</em>. */
  public EntryBatchReader entries() {
    return entries;
  }

  /**
   * Refuses the entry read last if its family cannot exist.
   *
   * @param nextFamily no family has had this number or a larger one
   * @throws CorruptionException if the entry is of such a family
   */
  public void checkFamily(int nextFamily) {
    if (entries.family() >= nextFamily) {
      throw new CorruptionException(
          log.name(),
          log.recordOffset(),
          "an entry of a family below "
              + nextFamily
              + " was expected, found one of family "
              + entries.family());
    }
  }

  /**
   * How many bytes from the first on are known to be durable, by what the groups read so far say.
   */
  public long syncedBytes() {
    return log.syncedBytes();
  }

  /** Bytes of a torn tail that were left out; final once {@link #next} returned false. */
  public long droppedBytes() {
    return log.droppedBytes();
  }

  /** True if there was such a tail, also if nothing of it is there; final likewise. */
  public boolean torn() {
    return log.torn();
  }

  /** Closes the file. */
  @Override
  public void close() throws IOException {
    log.close();
  }
}
