// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.wal;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.bytes.Bytes;
import io.coppice.entry.CursorModel;
import io.coppice.entry.EntryBatch;
import io.coppice.entry.EntryBatchReader;
import io.coppice.entry.EntryKind;
import io.coppice.entry.ListCursor.Entry;
import io.coppice.io.MemDisk;
import io.coppice.io.TornTail;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WalTest {

  @Test
  void whatWasAppendedIsReplayedInOrder() {
    Seeds.forEach(
        20,
        random -> {
          MemDisk disk = new MemDisk();
          List<Entry> written = new ArrayList<>();
          try (WalWriter log = WalWriter.create(disk, 7)) {
            long sequence = 10;
            for (int i = 0; i < 20; i++) {
              sequence += appendGroup(log, random, sequence, written);
            }
          }
          assertThat(disk.openFiles()).isZero();
          assertThat(replay(disk, 0)).isEqualTo(written);
        });
  }

  @Test
  void aNewLogOutlivesACrash() throws IOException {
    MemDisk disk = new MemDisk();
    WalWriter.create(disk, 7).close();
    assertThat(replay(disk.crash(), 0)).isEmpty();
  }

  @Test
  void afterACrashAPrefixOfWholeGroupsIsLeftAndAllThatWasSynced() {
    Seeds.forEach(
        300,
        random -> {
          MemDisk disk = new MemDisk();
          List<List<Entry>> states = new ArrayList<>();
          List<Entry> written = new ArrayList<>();
          states.add(List.of());
          int synced = 0;
          try (WalWriter log = WalWriter.create(disk, 7)) {
            long sequence = 1;
            int groups = 1 + random.nextInt(12);
            for (int i = 0; i < groups; i++) {
              sequence += appendGroup(log, random, sequence, written);
              states.add(List.copyOf(written));
              if (random.nextInt(3) == 0) {
                log.sync();
                synced = states.size() - 1;
              }
            }
          }
          MemDisk after = disk.crash(random);
          List<Entry> found = replay(after, -1);
          assertThat(states.subList(synced, states.size())).contains(found);
          assertThat(replay(disk.crash(), 0)).isEqualTo(states.get(synced));
        });
  }

  private static int appendGroup(WalWriter log, Random random, long sequence, List<Entry> written)
      throws IOException {
    List<EntryBatch> group = new ArrayList<>();
    int count = 0;
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      EntryBatch batch = new EntryBatch();
      for (int j = 1 + random.nextInt(4); j > 0; j--) {
        Entry entry = CursorModel.randomEntry(random, sequence + count);
        if (random.nextInt(4) == 0) {
          byte[] value = new byte[random.nextInt(1500)];
          random.nextBytes(value);
          entry = Entry.of(entry.keyBytes(), sequence + count, EntryKind.PUT, value);
        }
        add(batch, entry);
        written.add(entry);
        count++;
      }
      group.add(batch);
    }
    log.append(sequence, group);
    return count;
  }

  private static void add(EntryBatch batch, Entry entry) {
    byte[] key = entry.keyBytes();
    byte[] value = entry.valueBytes();
    if (entry.kind() == EntryKind.PUT) {
      batch.put(key, 0, key.length, value, 0, value.length);
    } else {
      batch.delete(key, 0, key.length);
    }
  }

  /** All entries of log 7; its torn tail must have that many bytes unless that is negative. */
  private static List<Entry> replay(MemDisk disk, long droppedBytes) throws IOException {
    List<Entry> found = new ArrayList<>();
    try (WalReader reader = WalReader.open(disk, 7, TornTail.DROP)) {
      while (reader.next()) {
        EntryBatchReader entries = reader.entries();
        long sequence = reader.firstSequence();
        while (entries.next()) {
          found.add(
              Entry.of(
                  Bytes.copy(entries.array(), entries.keyFrom(), entries.keyLength()),
                  sequence++,
                  entries.kind(),
                  Bytes.copy(entries.array(), entries.valueFrom(), entries.valueLength())));
        }
      }
      assertThat(droppedBytes < 0 || reader.droppedBytes() == droppedBytes).isTrue();
    }
    return found;
  }
}
