// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.bytes.Coding;
import io.coppice.io.file.MappedLogFile;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * A log whose records {@link MappedLogFile} has copied into memory, and all that a system may have
 * stored of it: between two fences bytes appear in any order.
 */
final class CopiedLog {

  private static final int FILE = 5;

  /** Bytes that appear at once, and no others of their sector. */
  private record Copy(int at, byte[] bytes) {}

  private final List<Integer> offsets = new ArrayList<>();
  private final List<Copy> copies = new ArrayList<>();
  private final byte[] whole;

  /** The records that were synced, and the copies made by then. */
  private int synced;

  private int copiesSynced;

  /** Writes down what is copied, in some order that may be seen. */
  private final class Recorder implements MappedLogFile.Memory {
    private final Random random;
    private final List<Copy> unordered = new ArrayList<>();

    Recorder(Random random) {
      this.random = random;
    }

    @Override
    public void put(int to, byte[] bytes, int from, int count) {
      // Less than a word comes by single bytes right after another, which no trial falls between.
      int most = count < RecordLayout.HELD_BYTES ? count : 1 + random.nextInt(64);
      for (int done = 0; done < count; done += most) {
        int end = Math.min(count, done + most);
        unordered.add(new Copy(to + done, Arrays.copyOfRange(bytes, from + done, from + end)));
      }
    }

    @Override
    public void putLong(int to, long value) {
      byte[] bytes = new byte[Long.BYTES];
      Coding.putFixed64(bytes, 0, value);
      unordered.add(new Copy(to, bytes));
    }

    @Override
    public void fence() {
      Collections.shuffle(unordered, random);
      copies.addAll(unordered);
      unordered.clear();
    }
  }

  /** Writes some records and syncs some of them. */
  CopiedLog(Random random) throws IOException {
    Recorder recorder = new Recorder(random);
    MemDisk disk = new MemDisk();
    String name = FileKind.WAL.fileName(FILE);
    try (RecordLogWriter log = RecordLogWriter.create(disk, FileKind.WAL, FILE)) {
      log.sync();
      copy(recorder, disk.bytes(name), 0, FileHeader.BYTES);
      copiesSynced = copies.size();
      int records = 2 + random.nextInt(20);
      for (int i = 0; i < records; i++) {
        int length = 1 + random.nextInt(random.nextInt(4) == 0 ? 1_500 : 200);
        byte[] payload = payload(random, (int) log.position(), length);
        int offset = (int) log.append(payload, 0, payload.length);
        offsets.add(offset);
        copy(recorder, disk.bytes(name), offset, (int) log.position());
        if (random.nextInt(8) == 0) {
          log.sync();
          synced = i + 1;
          copiesSynced = copies.size();
        }
      }
    }
    whole = disk.bytes(name);
  }

  /** Random, with zeros in some, and in some with a single bit where a sector begins. */
  private static byte[] payload(Random random, int at, int length) {
    byte[] payload = new byte[length];
    random.nextBytes(payload);
    int from = random.nextInt(length);
    int zeros = random.nextInt(4) == 0 ? random.nextInt(length - from) : 0;
    Arrays.fill(payload, from, from + zeros, (byte) 0);
    if (random.nextInt(4) == 0) {
      int start = at + RecordLayout.HEADER_BYTES;
      int sector = start + RecordLayout.SECTOR_BYTES - start % RecordLayout.SECTOR_BYTES;
      for (int i = sector - start; i + Long.BYTES <= length; i += RecordLayout.SECTOR_BYTES) {
        Coding.putFixed64(payload, i, 1L << random.nextInt(Long.SIZE));
      }
    }
    return payload;
  }

  private static void copy(Recorder recorder, byte[] bytes, int from, int to) {
    MappedLogFile.copy(recorder, bytes, from, to - from, from);
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
    int sectors = whole.length / RecordLayout.SECTOR_BYTES + 1 + random.nextInt(4);
    int[] moments = new int[sectors];
    // In some trials all at one moment, as after the end of the process.
    int one = moment(random);
    boolean same = random.nextInt(4) == 0;
    for (int i = 0; i < sectors; i++) {
      moments[i] = same ? one : moment(random);
    }
    byte[] found = new byte[sectors * RecordLayout.SECTOR_BYTES];
    for (int i = 0; i < copies.size(); i++) {
      Copy copy = copies.get(i);
      if (i < moments[copy.at() / RecordLayout.SECTOR_BYTES]) {
        System.arraycopy(copy.bytes(), 0, found, copy.at(), copy.bytes().length);
      }
    }
    return found;
  }

  private int moment(Random random) {
    return copiesSynced + random.nextInt(copies.size() - copiesSynced + 1);
  }
}
