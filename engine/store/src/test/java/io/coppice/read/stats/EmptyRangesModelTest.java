// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read.stats;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.MemoryBudget;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryHooks;
import io.coppice.entry.EntryKind;
import io.coppice.entry.Expiry;
import io.coppice.entry.MergingCursor;
import io.coppice.entry.StoreClock;
import io.coppice.memtable.ChunkPool;
import io.coppice.memtable.FamilyMemtables;
import io.coppice.memtable.Memtable;
import io.coppice.memtable.MemtableSet;
import io.coppice.read.VisibleCursor;
import io.coppice.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/**
 * Cursors that share what they learn of deleted keys each show their own moment: older and newer
 * ones, with any bounds, while values come, go and end. Those opened later may have an older time,
 * which stands for cursors that stay open.
 */
class EmptyRangesModelTest {

  private static final int KEYS = 50;
  private static final int STEPS = 400;
  private static final long FOREVER = Long.MAX_VALUE;

  /** What a key has from a sequence number on; {@code end} 0 for a deletion. */
  private record Version(long sequence, int key, long end) {}

  @Test
  void everyCursorShowsItsMoment() {
    Seeds.forEachOfMany(
        75,
        random -> {
          try (ChunkPool pool = new ChunkPool(MemoryBudget.ofMebibytes(64), 2)) {
            new Trial(random, pool).run();
          }
        });
  }

  private static final class Trial {
    private final Random random;
    private final ChunkPool pool;
    private final FamilyMemtables memtables = new FamilyMemtables();
    private final List<Version> versions = new ArrayList<>();
    private final int patience;
    private long sequence;
    private long now = 1_000;

    Trial(Random random, ChunkPool pool) {
      this.random = random;
      this.pool = pool;
      this.patience = 1 + random.nextInt(3);
    }

    void run() {
      memtables.activate(Memtable.tryCreate(pool));
      for (int i = 0; i < STEPS; i++) {
        int dice = random.nextInt(10);
        if (dice < 3) {
          put();
        } else if (dice < 5) {
          int from = random.nextInt(KEYS);
          int to = Math.min(KEYS, from + 1 + random.nextInt(12));
          for (int key = from; key < to; key++) {
            add(EntryKind.DELETE, key, 0);
          }
        } else if (dice == 5 && random.nextInt(10) == 0) {
          memtables.seal().release();
          memtables.activate(Memtable.tryCreate(pool));
        } else if (dice == 5) {
          now += random.nextInt(21) - 10;
        } else {
          walk();
        }
      }
      memtables.close("the memtables");
    }

    private void put() {
      boolean ends = random.nextInt(3) == 0;
      add(
          ends ? EntryKind.EXPIRING : EntryKind.PUT,
          random.nextInt(KEYS),
          ends ? now + random.nextInt(31) - 10 : FOREVER);
    }

    private void add(EntryKind kind, int number, long end) {
      byte[] key = {(byte) number};
      byte[] value = new byte[kind == EntryKind.EXPIRING ? Expiry.BYTES : 0];
      if (kind == EntryKind.EXPIRING) {
        Expiry.put(value, 0, end);
      }
      memtables.active().add(++sequence, kind, key, 0, 1, value, 0, value.length);
      versions.add(new Version(sequence, number, end));
    }

    /** Moves a cursor of some moment through a range, and compares each key. */
    private void walk() {
      long at = random.nextBoolean() ? sequence : random.nextInt((int) sequence + 1);
      int low = random.nextInt(3) == 0 ? random.nextInt(KEYS) : 0;
      int high = random.nextInt(3) == 0 ? low + random.nextInt(KEYS - low) : KEYS;
      NavigableSet<Integer> shown = shown(at).subSet(low, true, high, false);
      MemtableSet set = memtables.acquire();
      List<EntryCursor> sources = new ArrayList<>();
      set.newestFirst().forEach(memtable -> sources.add(memtable.cursor()));
      MergingCursor merge = new MergingCursor(sources);
      try (VisibleCursor cursor =
          new VisibleCursor(
              merge,
              merge,
              new EntryHooks(null, null, new StoreClock(() -> now)),
              memtables.emptyRanges(),
              patience,
              new FamilyReadCounters(),
              at,
              low == 0 ? null : new byte[] {(byte) low},
              high == KEYS ? null : new byte[] {(byte) high})) {
        Integer place = begin(cursor, shown);
        for (int moves = random.nextInt(8); place != null && moves > 0; moves--) {
          if (random.nextBoolean()) {
            cursor.next();
            place = shown.higher(place);
          } else {
            cursor.prev();
            place = shown.lower(place);
          }
          check(cursor, place);
        }
      } finally {
        set.release();
      }
    }

    private Integer begin(VisibleCursor cursor, NavigableSet<Integer> shown) {
      int target = random.nextInt(KEYS);
      byte[] key = {(byte) target};
      Integer place;
      switch (random.nextInt(4)) {
        case 0 -> {
          cursor.first();
          place = shown.isEmpty() ? null : shown.first();
        }
        case 1 -> {
          cursor.last();
          place = shown.isEmpty() ? null : shown.last();
        }
        case 2 -> {
          cursor.seek(key);
          place = shown.ceiling(target);
        }
        default -> {
          cursor.seekForPrev(key);
          place = shown.floor(target);
        }
      }
      check(cursor, place);
      return place;
    }

    private static void check(VisibleCursor cursor, Integer place) {
      Integer found = cursor.valid() ? cursor.keyArray()[cursor.keyOffset()] & 0xFF : null;
      assertThat(found).isEqualTo(place);
    }

    private NavigableSet<Integer> shown(long at) {
      long[] ends = new long[KEYS];
      for (Version version : versions) {
        if (version.sequence <= at) {
          ends[version.key] = version.end;
        }
      }
      NavigableSet<Integer> shown = new TreeSet<>();
      for (int key = 0; key < KEYS; key++) {
        if (ends[key] > now) {
          shown.add(key);
        }
      }
      return shown;
    }
  }
}
