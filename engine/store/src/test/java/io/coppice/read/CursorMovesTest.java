// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.MemoryBudget;
import io.coppice.base.bytes.Bytes;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryHooks;
import io.coppice.entry.EntryKind;
import io.coppice.entry.MergingCursor;
import io.coppice.memtable.ChunkPool;
import io.coppice.memtable.FamilyMemtables;
import io.coppice.memtable.Memtable;
import io.coppice.memtable.MemtableSet;
import io.coppice.read.stats.FamilyReadCounters;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How many moves a cursor makes over deleted keys and old versions. */
class CursorMovesTest {

  private static final int KEYS = 10_000;
  private static final int NONE = -1;

  /** For one move over hidden entries, however many they are. */
  private static final int FEW_MOVES = 64;

  private final ChunkPool pool = new ChunkPool(MemoryBudget.ofMebibytes(64), 0);
  private final FamilyMemtables memtables = new FamilyMemtables();
  private long sequence;

  @BeforeEach
  void activate() {
    memtables.activate(Memtable.tryCreate(pool));
  }

  @AfterEach
  void close() {
    memtables.close("the memtables");
    pool.close();
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }

  private void put(int from, int to) {
    for (int i = from; i < to; i++) {
      add(EntryKind.PUT, i, Bytes.EMPTY);
    }
  }

  private void delete(int from, int to) {
    for (int i = from; i < to; i++) {
      add(EntryKind.DELETE, i, Bytes.EMPTY);
    }
  }

  private void add(EntryKind kind, int number, byte[] value) {
    byte[] key = key(number);
    Memtable active = memtables.active();
    assertThat(active.add(++sequence, kind, key, 0, 4, value, 0, value.length)).isTrue();
  }

  /** Goes on in another memtable. */
  private void seal() {
    memtables.seal().release();
    activate();
  }

  /** Moves a cursor of now; returns how often it moved its entries. */
  private int moves(int expected, Consumer<VisibleCursor> move) {
    return moves(sequence, null, null, expected, move);
  }

  private int moves(long at, byte[] low, byte[] high, int expected, Consumer<VisibleCursor> move) {
    MemtableSet set = memtables.acquire();
    List<EntryCursor> sources = new ArrayList<>();
    set.newestFirst().forEach(memtable -> sources.add(memtable.cursor()));
    CountingCursor counting = new CountingCursor(new MergingCursor(sources));
    try (VisibleCursor cursor =
        new VisibleCursor(
            counting,
            counting,
            EntryHooks.none(),
            memtables.emptyRanges(),
            VisibleCursor.PATIENCE,
            new FamilyReadCounters(),
            at,
            low,
            high)) {
      move.accept(cursor);
      assertThat(cursor.valid()).isEqualTo(expected != NONE);
      if (expected != NONE) {
        int from = cursor.keyOffset();
        assertThat(ByteBuffer.wrap(cursor.keyArray(), from, 4).getInt()).isEqualTo(expected);
      }
    } finally {
      set.release();
    }
    return counting.moves;
  }

  @Test
  void aQueueThatGrowsAtItsEndIsPoppedInFewMoves() {
    put(0, KEYS);
    for (int head = 0; head < 3 * KEYS; head++) {
      assertThat(moves(head, VisibleCursor::first)).as("head %d", head).isLessThan(FEW_MOVES);
      delete(head, head + 1);
      put(KEYS + head, KEYS + head + 1);
      if (head % KEYS == KEYS / 2) {
        seal();
      }
    }
  }

  @Test
  void aStackIsPoppedInFewMoves() {
    put(0, KEYS);
    for (int top = KEYS - 1; top >= 0; top--) {
      assertThat(moves(top, VisibleCursor::last)).as("top %d", top).isLessThan(FEW_MOVES);
      delete(top, top + 1);
    }
  }

  @Test
  void manyDeletedKeysArePassedOneByOneOnlyOnce() {
    put(0, 3 * KEYS);
    delete(KEYS, 2 * KEYS);
    seal();
    byte[] low = key(KEYS);
    byte[] high = key(2 * KEYS);
    assertThat(moves(2 * KEYS, cursor -> cursor.seek(low))).isGreaterThan(KEYS);
    assertThat(moves(2 * KEYS, cursor -> cursor.seek(low))).isLessThan(FEW_MOVES);
    assertThat(moves(KEYS - 1, cursor -> cursor.seekForPrev(key(2 * KEYS - 1))))
        .isLessThan(FEW_MOVES);
    assertThat(moves(sequence, low, high, NONE, VisibleCursor::first)).isLessThan(FEW_MOVES);
    assertThat(moves(sequence, low, high, NONE, VisibleCursor::last)).isLessThan(FEW_MOVES);
    put(KEYS + 50, KEYS + 51);
    assertThat(moves(KEYS + 50, cursor -> cursor.seek(low))).isLessThan(4 * FEW_MOVES);
    delete(KEYS + 50, KEYS + 51);
    moves(2 * KEYS, cursor -> cursor.seek(low));
    assertThat(moves(2 * KEYS, cursor -> cursor.seek(low))).isLessThan(FEW_MOVES);
  }

  @Test
  void keysOfADeletedRangeOfTheSameMemtableArePassedOneByOneOnlyOnce() {
    put(0, KEYS);
    add(EntryKind.DELETE_RANGE, 0, key(KEYS - 1));
    MemtableSet set = memtables.acquire();
    try {
      for (int i = 0; i < 2; i++) {
        CursorSources sources = new CursorSources(null, sequence);
        set.newestFirst().forEach(sources::add);
        CountingCursor counting = new CountingCursor(new MergingCursor(sources.cursors()));
        try (VisibleCursor cursor =
            new VisibleCursor(
                counting,
                counting,
                EntryHooks.none(),
                memtables.emptyRanges(),
                VisibleCursor.PATIENCE,
                new FamilyReadCounters(),
                sequence,
                null,
                null)) {
          cursor.first();
          assertThat(cursor.valid()).isTrue();
        }
        if (i > 0) {
          assertThat(counting.moves).isLessThan(FEW_MOVES);
        }
      }
    } finally {
      set.release();
    }
  }

  @Test
  void aValueIsSeenBehindEachRangeThatWasKept() {
    put(0, KEYS);
    delete(0, KEYS);
    assertThat(moves(NONE, VisibleCursor::first)).isGreaterThan(KEYS);
    long before = sequence;
    put(KEYS / 2, KEYS / 2 + 1);
    assertThat(moves(KEYS / 2, VisibleCursor::first)).isLessThan(FEW_MOVES);
    assertThat(moves(KEYS / 2, VisibleCursor::last)).isPositive();
    assertThat(moves(before, null, null, NONE, VisibleCursor::first)).isPositive();
    assertThat(moves(1, null, null, 0, VisibleCursor::first)).isPositive();
  }

  @Test
  void aKeyWithManyVersionsCostsNoMoreThanAnother() {
    put(0, 10);
    long before = sequence;
    for (int i = 0; i < KEYS; i++) {
      put(5, 6);
    }
    Consumer<VisibleCursor> forward =
        cursor -> {
          cursor.first();
          for (int i = 0; i < 10; i++) {
            assertThat(cursor.valid()).isTrue();
            cursor.next();
          }
        };
    Consumer<VisibleCursor> backward =
        cursor -> {
          cursor.last();
          for (int i = 0; i < 10; i++) {
            assertThat(cursor.valid()).isTrue();
            cursor.prev();
          }
        };
    for (long at : new long[] {sequence, before, before + KEYS / 2}) {
      assertThat(moves(at, null, null, NONE, forward)).isLessThan(FEW_MOVES);
      assertThat(moves(at, null, null, NONE, backward)).isLessThan(FEW_MOVES);
      assertThat(moves(at, null, null, 5, cursor -> cursor.seek(key(5)))).isLessThan(FEW_MOVES);
    }
  }
}
