// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.ClosedException;
import io.coppice.base.Limits;
import io.coppice.base.MemoryBudget;
import io.coppice.base.MemoryBudget.Role;
import io.coppice.base.bytes.Bytes;
import io.coppice.base.bytes.Coding;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryKind;
import io.coppice.entry.ListCursor.Entry;
import io.coppice.testing.Seeds;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class MemtableTest {

  private static final int MIB = 1 << 20;

  @Test
  void anEmptyMemtableHoldsNoEntry() {
    MemoryBudget budget = MemoryBudget.ofMebibytes(1);
    Memtable table = Memtable.tryCreate(new ChunkPool(budget, 0));
    assertThat(table.entries()).isZero();
    assertThat(table.bytes()).isEqualTo(MemtableArena.FIRST_BYTES);
    assertThat(table.find(Bytes.EMPTY, 0, 0, Limits.MAX_SEQUENCE)).isZero();
    try (EntryCursor cursor = table.cursor()) {
      cursor.first();
      assertThat(cursor.valid()).isFalse();
      cursor.last();
      assertThat(cursor.valid()).isFalse();
    }
    table.release();
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void theLargestKeysAndSequencesAndLargeValuesAreKept() {
    MemoryBudget budget = MemoryBudget.ofMebibytes(64);
    Memtable table = Memtable.tryCreate(new ChunkPool(budget, 0));
    Random random = new Random(1);
    List<Entry> written = new ArrayList<>();
    int[] lengths = {0, 1, 100_000, 131_000, 131_072, 140_000, MIB - 200, MIB, 3 * MIB};
    for (int i = 0; i < lengths.length; i++) {
      byte[] key = new byte[i % 2 == 0 ? Limits.MAX_KEY_BYTES : 9];
      key[0] = (byte) i;
      byte[] value = new byte[lengths[i]];
      random.nextBytes(value);
      written.add(Entry.of(key, Limits.MAX_SEQUENCE - i, EntryKind.PUT, value));
    }
    long payload = 0;
    for (Entry entry : written) {
      MemtableModelTest.add(table, entry);
      payload += entry.key().size() + entry.value().size();
    }
    assertThat(MemtableModelTest.entries(table)).isEqualTo(written);
    assertThat(table.bytes()).isBetween(payload, payload + 2 * MIB);
    assertThat(table.bytes()).isEqualTo(budget.usedBytes(Role.MEMTABLE));
    table.release();
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void aLedgerThatRefusesLeavesTheMemtableAsItWas() {
    MemoryBudget budget = MemoryBudget.ofMebibytes(2);
    ChunkPool pool = new ChunkPool(budget, 4);
    Memtable table = Memtable.tryCreate(pool);
    byte[] value = new byte[1000];
    byte[] key = new byte[8];
    int added = 0;
    while (true) {
      Coding.putFixed64(key, 0, Long.reverseBytes(added));
      if (!table.add(added, EntryKind.PUT, key, 0, 8, value, 0, value.length)) {
        break;
      }
      added++;
    }
    assertThat(added).isBetween(2 * MIB / 1100, 2 * MIB / 1000);
    assertThat(table.entries()).isEqualTo(added);
    assertThat(table.find(key, 0, 8, Limits.MAX_SEQUENCE)).isZero();
    assertThat(MemtableModelTest.entries(table)).hasSize(added);
    assertThat(Memtable.tryCreate(pool)).isNull();
    table.release();
    assertThat(budget.usedBytes()).as("spare chunks stay reserved").isEqualTo(MIB);
    Memtable next = Memtable.tryCreate(pool);
    assertThat(next).isNotNull();
    next.release();
    pool.close();
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void waitingChunksMakeRoomForSmallOnes() {
    MemoryBudget budget = MemoryBudget.ofMebibytes(2);
    ChunkPool pool = new ChunkPool(budget, 4);
    Chunk first = pool.take(ChunkPool.CHUNK_BYTES);
    Chunk second = pool.take(ChunkPool.CHUNK_BYTES);
    pool.give(first);
    pool.give(second);
    assertThat(budget.usedBytes()).as("both wait").isEqualTo(2 * MIB);
    Chunk small = pool.take(4096);
    assertThat(small).isNotNull();
    assertThat(budget.usedBytes()).isEqualTo(MIB + 4096);
    assertThat(pool.take(2 * MIB)).as("more than there is").isNull();
    pool.give(small);
    pool.close();
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void aPoolHasRoomForWhatOthersLeave() {
    MemoryBudget budget = MemoryBudget.ofMebibytes(4);
    ChunkPool pool = new ChunkPool(budget, 2);
    Memtable table = Memtable.tryCreate(pool);
    for (int i = 0; table.bytes() < 2 * MIB; i++) {
      add(table, i, new byte[900]);
    }
    long room = 4 * MIB - table.bytes();
    assertThat(pool.hasRoom(room)).isTrue();
    assertThat(pool.hasRoom(room + 1)).isFalse();
    table.release();
    assertThat(budget.usedBytes()).as("a spare chunk").isPositive();
    assertThat(pool.hasRoom(4 * MIB)).isTrue();
    pool.trim();
    assertThat(budget.tryReserve(Role.CACHE, 3 * MIB + 1)).isTrue();
    assertThat(pool.hasRoom(1)).as("less than a chunk").isFalse();
    budget.release(Role.CACHE, 3 * MIB + 1);
    assertThat(budget.usedBytes()).isZero();
  }

  @Test
  void afterEnsureWhatWasCountedFits() {
    Seeds.forEach(
        15,
        random -> {
          MemoryBudget budget = MemoryBudget.ofMebibytes(24);
          Memtable table = Memtable.tryCreate(new ChunkPool(budget, 2));
          MemoryDemand demand = new MemoryDemand();
          long sequence = 0;
          boolean room = true;
          while (room) {
            demand.clear();
            int[] lengths = new int[1 + random.nextInt(40)];
            for (int i = 0; i < lengths.length; i++) {
              lengths[i] =
                  random.nextInt(20) == 0
                      ? MIB - 64 + random.nextInt(64)
                      : random.nextInt(random.nextInt(10) == 0 ? 300_000 : 5_000);
              demand.add(8, lengths[i]);
            }
            room = table.ensure(demand);
            if (room) {
              room = table.ensure(demand);
              assertThat(room).as("asking twice takes nothing more").isTrue();
              // Somebody else takes all that is left.
              long rest = budget.capacityBytes() - budget.usedBytes();
              assertThat(budget.tryReserve(Role.CACHE, rest)).isTrue();
              for (int length : lengths) {
                add(table, sequence++, new byte[length]);
              }
              budget.release(Role.CACHE, rest);
            }
          }
          assertThat(table.entries()).isEqualTo((int) sequence).isPositive();
          table.release();
        });
  }

  /** A small entry must not begin the chunk that a large entry was promised. */
  @Test
  void anEntryOfTheSizeOfAChunkDoesNotShareTheOneThatWasEnsuredForSmallEntries() {
    Seeds.forEach(
        200,
        random -> {
          MemoryBudget budget = MemoryBudget.ofMebibytes(8);
          Memtable table = Memtable.tryCreate(new ChunkPool(budget, 0));
          long sequence = 0;
          for (int entries = random.nextInt(1_500); entries > 0; entries--) {
            add(table, sequence++, new byte[900]);
          }
          int chunk = ChunkPool.CHUNK_BYTES >> random.nextInt(3);
          byte[] whole = new byte[chunk - 36];
          assertThat(EntryNodeLayout.bytes(8, whole.length)).isEqualTo(chunk);
          byte[] small = new byte[random.nextInt(100_000)];
          MemoryDemand demand = new MemoryDemand();
          demand.add(8, small.length);
          demand.add(8, whole.length);
          assertThat(table.ensure(demand)).isTrue();
          long rest = budget.capacityBytes() - budget.usedBytes();
          assertThat(budget.tryReserve(Role.CACHE, rest)).isTrue();
          add(table, sequence++, small);
          add(table, sequence, whole);
          table.release();
        });
  }

  /** A memtable of a few entries takes little, and one of many wastes little. */
  @Test
  void theMemoryHeldFollowsWhatIsInIt() {
    Seeds.forEach(
        40,
        random -> {
          Memtable table = Memtable.tryCreate(new ChunkPool(MemoryBudget.ofMebibytes(64), 2));
          int largest = 1 << random.nextInt(18);
          for (int i = 0; i < 300 && table.usedBytes() < 8 * MIB; i++) {
            add(table, i, new byte[random.nextInt(largest)]);
            assertThat(table.bytes())
                .as("with %d bytes in it", table.usedBytes())
                .isLessThanOrEqualTo(
                    Math.max(MemtableArena.FIRST_BYTES, 9 * table.usedBytes() / 4 + 4L * largest));
          }
          table.release();
        });
  }

  @Test
  void theGuideTakesNothingOfWhatWasEnsuredForSmallEntries() {
    Seeds.forEach(
        3,
        random -> {
          MemoryBudget budget = MemoryBudget.ofMebibytes(3);
          Memtable table = Memtable.tryCreate(new ChunkPool(budget, 2));
          MemoryDemand demand = new MemoryDemand();
          long sequence = 0;
          while (true) {
            int count = 1 + random.nextInt(random.nextBoolean() ? 3 : 4_000);
            int length = random.nextInt(40);
            demand.clear();
            for (int i = 0; i < count; i++) {
              demand.add(8, length);
            }
            if (!table.ensure(demand)) {
              break;
            }
            long rest = budget.capacityBytes() - budget.usedBytes();
            assertThat(budget.tryReserve(Role.CACHE, rest)).isTrue();
            for (int i = 0; i < count; i++) {
              add(table, sequence++, new byte[length]);
            }
            budget.release(Role.CACHE, rest);
          }
          assertThat(table.usedBytes()).isBetween(2L * MIB, table.bytes());
          byte[] key = new byte[8];
          for (long i = 0; i < sequence; i++) {
            Coding.putFixed64(key, 0, i * 0x9E3779B97F4A7C15L);
            int place = table.find(key, 0, 8, Limits.MAX_SEQUENCE);
            assertThat(table.sequence(place)).isEqualTo(i);
          }
          table.release();
        });
  }

  private static void add(Memtable table, long sequence, byte[] value) {
    byte[] key = new byte[8];
    Coding.putFixed64(key, 0, sequence * 0x9E3779B97F4A7C15L);
    assertThat(table.add(sequence, EntryKind.PUT, key, 0, 8, value, 0, value.length)).isTrue();
  }

  @Test
  void aCursorKeepsTheMemoryUntilItIsClosed() {
    MemoryBudget budget = MemoryBudget.ofMebibytes(4);
    Memtable table = Memtable.tryCreate(new ChunkPool(budget, 0));
    add(table, 1, new byte[] {7});
    EntryCursor cursor = table.cursor();
    table.release();
    cursor.first();
    assertThat(Entry.at(cursor).valueBytes()).containsExactly(7);
    assertThat(budget.usedBytes()).isEqualTo(MemtableArena.FIRST_BYTES);
    cursor.close();
    cursor.close();
    assertThat(budget.usedBytes()).isZero();
    assertThatThrownBy(cursor::first).isInstanceOf(ClosedException.class);
    assertThatThrownBy(table::cursor).isInstanceOf(ClosedException.class);
    assertThatThrownBy(() -> table.find(new byte[8], 0, 8, 1)).isInstanceOf(ClosedException.class);
    assertThat(table.tryRetain()).isFalse();
  }

  @Test
  void readersSeeWhatWasAddedWhileEntriesAreAdded() throws Exception {
    MemoryBudget budget = MemoryBudget.ofMebibytes(64);
    Memtable table = Memtable.tryCreate(new ChunkPool(budget, 0));
    int count = 60_000;
    AtomicInteger published = new AtomicInteger();
    ExecutorService pool = Executors.newSingleThreadExecutor();
    try {
      Future<?> reader = pool.submit(() -> readAlong(table, published, count));
      byte[] key = new byte[12];
      byte[] value = new byte[40];
      for (int i = 0; i < count && !reader.isDone(); i++) {
        fill(key, value, i);
        assertThat(table.add(i, EntryKind.PUT, key, 0, key.length, value, 0, value.length))
            .isTrue();
        published.setRelease(i + 1);
      }
      reader.get();
    } finally {
      pool.shutdown();
    }
    assertThat(MemtableModelTest.entries(table)).hasSize(count);
    table.release();
    assertThat(budget.usedBytes()).isZero();
  }

  private static void fill(byte[] key, byte[] value, int i) {
    Coding.putFixed64(key, 0, i * 0x9E3779B97F4A7C15L);
    Coding.putFixed32(key, 8, i);
    for (int j = 0; j < value.length; j += 8) {
      Coding.putFixed64(value, j, i * 31L + j);
    }
  }

  private static Void readAlong(Memtable table, AtomicInteger published, int count) {
    Random random = new Random(9);
    byte[] key = new byte[12];
    byte[] value = new byte[40];
    byte[] found = new byte[40];
    int known = 0;
    try (EntryCursor cursor = table.cursor()) {
      while (known < count) {
        known = published.getAcquire();
        for (int i = 0; i < 50 && known > 0; i++) {
          int chosen = i == 0 ? known - 1 : random.nextInt(known);
          fill(key, value, chosen);
          int place = table.find(key, 0, key.length, Limits.MAX_SEQUENCE);
          assertThat(place).isNotZero();
          table.copyValue(place, found, 0);
          assertThat(found).isEqualTo(value);
        }
        walk(cursor, random, key, value);
      }
    }
    return null;
  }

  /** Goes on from a random place and compares order and content. */
  private static void walk(EntryCursor cursor, Random random, byte[] key, byte[] value) {
    random.nextBytes(key);
    cursor.seek(key, 0, key.length);
    byte[] last = key.clone();
    for (int steps = 0; cursor.valid() && steps < 100; steps++) {
      assertThat(Bytes.compare(last, 0, 12, cursor.keyArray(), 0, 12)).isNegative();
      System.arraycopy(cursor.keyArray(), 0, last, 0, 12);
      fill(key, value, (int) cursor.sequence());
      assertThat(last).isEqualTo(key);
      assertThat(Bytes.copy(cursor.valueArray(), cursor.valueOffset(), cursor.valueLength()))
          .isEqualTo(value);
      if (random.nextInt(8) == 0) {
        cursor.prev();
        assertThat(!cursor.valid() || Bytes.compare(cursor.keyArray(), 0, 12, last, 0, 12) < 0)
            .isTrue();
        return;
      }
      cursor.next();
    }
  }

  @Test
  void readersFindWhatWasAddedWhileBlocksOfTheGuideAreSplitAndFilledAgain() throws Exception {
    Memtable table = Memtable.tryCreate(new ChunkPool(MemoryBudget.ofMebibytes(64), 0));
    int runs = 400;
    int run = 100;
    AtomicInteger published = new AtomicInteger();
    ExecutorService pool = Executors.newFixedThreadPool(2);
    try {
      List<Future<?>> readers = new ArrayList<>();
      for (int seed = 0; seed < 2; seed++) {
        Random random = new Random(seed);
        readers.add(pool.submit(() -> findAlong(table, published, runs * run, random)));
      }
      byte[] key = new byte[16];
      for (int i = 0; i < runs * run && readers.stream().noneMatch(Future::isDone); i++) {
        scattered(key, i);
        assertThat(table.add(i, EntryKind.PUT, key, 0, key.length, Bytes.EMPTY, 0, 0)).isTrue();
        published.setRelease(i + 1);
      }
      for (Future<?> reader : readers) {
        reader.get();
      }
    } finally {
      pool.shutdown();
    }
    table.release();
  }

  /**
   * The first eight bytes are those of few runs; within one, keys come from the last to the first.
   */
  private static void scattered(byte[] key, int i) {
    long run = i / 100 * 0x9E3779B97F4A7C15L;
    Coding.putFixed64(key, 0, i % 3 == 0 ? run & 0xFF : run);
    Coding.putFixed64(key, 8, Long.reverseBytes(Integer.MAX_VALUE - i));
  }

  private static Void findAlong(Memtable table, AtomicInteger published, int count, Random random) {
    byte[] key = new byte[16];
    int known = 0;
    while (known < count) {
      known = published.getAcquire();
      for (int i = 0; i < 100 && known > 0; i++) {
        int chosen =
            i % 2 == 0 ? known - 1 - random.nextInt(Math.min(known, 200)) : random.nextInt(known);
        scattered(key, chosen);
        int place = table.find(key, 0, key.length, Limits.MAX_SEQUENCE);
        assertThat(place).as("entry %d of %d", chosen, known).isNotZero();
        assertThat(table.sequence(place)).isEqualTo(chosen);
      }
    }
    return null;
  }

  @Test
  void aQuarterGibibyteOfEntriesTakesNextToNoHeap() {
    MemoryBudget budget = MemoryBudget.ofMebibytes(260);
    ChunkPool pool = new ChunkPool(budget, 8);
    Memtable table = Memtable.tryCreate(pool);
    byte[] key = new byte[16];
    byte[] value = new byte[484];
    long heapBefore = usedHeap();
    long payload = 0;
    for (int i = 0; payload < 256L * MIB; i++) {
      Coding.putFixed64(key, 0, i * 0x9E3779B97F4A7C15L);
      if (!table.add(i, EntryKind.PUT, key, 0, 16, value, 0, value.length)) {
        break;
      }
      payload += 512;
    }
    assertThat(table.bytes()).isGreaterThanOrEqualTo(256L * MIB);
    assertThat(budget.usedBytes()).isEqualTo(table.bytes());
    assertThat(usedHeap() - heapBefore).as("heap growth").isLessThan(16L * MIB);
    table.release();
    pool.close();
    assertThat(budget.usedBytes()).isZero();
  }

  private static long usedHeap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
