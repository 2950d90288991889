// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * A log whose records are copied into memory as {@link LogFile} does it: the bytes of a record in
 * any order, but for the first eight in each sector, which come last.
 */
final class CopiedLog {

  private static final int FILE = 5;

  /** Bytes that appear at once, and no others of their sector. */
  private record Copy(int from, int to) {}

  private final List<Integer> offsets = new ArrayList<>();
  private final List<Copy> copies = new ArrayList<>();
  private final byte[] whole;

  /** The records that were synced, and the copies made by then. */
  private int synced;

  private int copiesSynced;

  /** Writes some records and syncs some of them. */
  CopiedLog(Random random) throws IOException {
    MemDisk disk = new MemDisk();
    try (RecordLogWriter log = RecordLogWriter.create(disk, FileKind.WAL, FILE)) {
      log.sync();
      copy(0, Envelope.BYTES, random);
      copiesSynced = copies.size();
      int records = 2 + random.nextInt(20);
      for (int i = 0; i < records; i++) {
        byte[] payload = new byte[1 + random.nextInt(random.nextInt(4) == 0 ? 1_500 : 200)];
        random.nextBytes(payload);
        int from = random.nextInt(payload.length);
        int zeros = random.nextInt(4) == 0 ? random.nextInt(payload.length - from) : 0;
        Arrays.fill(payload, from, from + zeros, (byte) 0);
        int offset = (int) log.append(payload, 0, payload.length);
        offsets.add(offset);
        copy(offset, (int) log.position(), random);
        if (random.nextInt(8) == 0) {
          log.sync();
          synced = i + 1;
          copiesSynced = copies.size();
        }
      }
    }
    whole = disk.bytes(FileKind.WAL.fileName(FILE));
  }

  private void copy(int from, int to, Random random) {
    List<Copy> rest = new ArrayList<>();
    List<Copy> held = new ArrayList<>();
    int end;
    for (int start = from; start < to; start = end) {
      end = Math.min(to, start + LogFile.SECTOR_BYTES - start % LogFile.SECTOR_BYTES);
      int body = Math.min(end, start + LogFile.HELD_BYTES);
      held.add(new Copy(start, body));
      while (body < end) {
        int next = Math.min(end, body + 1 + random.nextInt(64));
        rest.add(new Copy(body, next));
        body = next;
      }
    }
    Collections.shuffle(rest, random);
    copies.addAll(rest);
    copies.addAll(held);
  }

  /** Where a record begins. */
  long offset(int record) {
    return offsets.get(record);
  }

  /** Records that are durable. */
  int synced() {
    return synced;
  }

  /** The file, with zeros ahead, each sector as it was at some moment since the last sync. */
  byte[] atSomeMoments(Random random) {
    int sectors = whole.length / LogFile.SECTOR_BYTES + 1 + random.nextInt(4);
    int[] moments = new int[sectors];
    for (int i = 0; i < sectors; i++) {
      moments[i] = copiesSynced + random.nextInt(copies.size() - copiesSynced + 1);
    }
    byte[] found = new byte[sectors * LogFile.SECTOR_BYTES];
    for (int i = 0; i < copies.size(); i++) {
      Copy copy = copies.get(i);
      if (i < moments[copy.from() / LogFile.SECTOR_BYTES]) {
        System.arraycopy(whole, copy.from(), found, copy.from(), copy.to() - copy.from());
      }
    }
    return found;
  }
}
