// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.MemoryBudget;
import io.coppice.base.MemoryBudget.Role;
import io.coppice.table.block.BlockBuffer;
import io.coppice.table.block.OffHeapAllocator;
import io.coppice.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The cache against blocks whose bytes follow from their names. */
class BlockCacheTest {

  private static final int THREADS = 4;
  private static final int OPERATIONS = 60_000;
  private static final int BLOCK = 4096;

  private final MemoryBudget memory = MemoryBudget.ofMebibytes(64);
  private final OffHeapAllocator allocator = new OffHeapAllocator();
  private final List<BlockCache> open = new ArrayList<>();
  private final BlockBuffer buffer = new BlockBuffer();

  private BlockCache cache(long capacity, int blockBytes) {
    BlockCache cache =
        BlockCache.of(memory, allocator, new BlockCacheOptions(capacity, false), blockBytes);
    open.add(cache);
    return cache;
  }

  @AfterEach
  void theLedgerHasWhatIsAllocatedAndNothingInTheEnd() {
    assertThat(memory.usedBytes(Role.CACHE))
        .isEqualTo(allocator.usedBytes())
        .isEqualTo(open.stream().mapToLong(cache -> cache.figures().bytes()).sum());
    open.forEach(BlockCache::close);
    open.forEach(BlockCache::close);
    assertThat(memory.usedBytes()).isZero();
    assertThat(allocator.usedBytes()).isZero();
  }

  /** Blocks of a table, every one of its own length and bytes. */
  private record Blocks(int usualBytes) {

    long offset(int block) {
      return 512 + (long) block * usualBytes;
    }

    int length(long table, int block) {
      return (int) Math.floorMod(BlockCache.hash(table, block), 2L * usualBytes);
    }

    byte[] bytes(long table, int block) {
      byte[] bytes = new byte[length(table, block)];
      for (int i = 0; i < bytes.length; i++) {
        bytes[i] = at(table, block, i);
      }
      return bytes;
    }

    static byte at(long table, int block, int position) {
      return (byte) (31 * (31 * table + block) + (position * 7));
    }

    void check(long table, int block, byte[] found, int length) {
      assertThat(length)
          .as("length of block %d of table %d", block, table)
          .isEqualTo(length(table, block));
      for (int i = 0; i < length; i++) {
        if (found[i] != at(table, block, i)) {
          throw new AssertionError("block " + block + " of table " + table + " is torn at " + i);
        }
      }
    }
  }

  private void useAtRandom(BlockCache cache, Blocks blocks, int names, Random random) {
    BlockBuffer own = new BlockBuffer();
    for (int i = 0; i < OPERATIONS; i++) {
      double skewed = random.nextDouble();
      int name = (int) (names * skewed * skewed);
      long table = 1 + name % 5;
      int length = cache.get(table, blocks.offset(name), own);
      if (length >= 0) {
        blocks.check(table, name, own.array(), length);
      } else {
        byte[] bytes = blocks.bytes(table, name);
        cache.put(table, blocks.offset(name), bytes, bytes.length);
      }
    }
  }

  @Test
  void fourThreadsNeverGetTornOrOtherBytes() throws Exception {
    long seed = Seeds.seed(20261121);
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      // So small that the memory is filled again and again while it is read.
      for (long capacity : new long[] {BlockCache.MIN_BYTES, 3 * BlockCache.MIN_BYTES}) {
        Blocks blocks = new Blocks(400);
        BlockCache cache = cache(capacity, blocks.usualBytes());
        List<Future<?>> running = new ArrayList<>();
        for (int thread = 0; thread < THREADS; thread++) {
          Random random = Seeds.random(seed, thread);
          running.add(threads.submit(() -> useAtRandom(cache, blocks, 900, random)));
        }
        for (Future<?> each : running) {
          each.get();
        }
        BlockCache.Figures figures = cache.figures();
        assertThat(figures.hits() + figures.misses()).isEqualTo((long) THREADS * OPERATIONS);
        assertThat(figures.inserts()).isPositive().isLessThanOrEqualTo(figures.misses());
        assertThat(figures.evictions()).isBetween(figures.inserts() / 2, figures.inserts());
        assertThat(figures.hits()).as(Seeds.replay(getClass(), seed)).isPositive();
        assertThat(figures.bytes()).isBetween(capacity / 2, capacity);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private void put(BlockCache cache, Blocks blocks, long table, int block) {
    byte[] bytes = blocks.bytes(table, block);
    cache.put(table, blocks.offset(block), bytes, bytes.length);
  }

  private boolean read(BlockCache cache, Blocks blocks, long table, int block) {
    int length = cache.get(table, blocks.offset(block), buffer);
    if (length < 0) {
      put(cache, blocks, table, block);
      return false;
    }
    blocks.check(table, block, buffer.array(), length);
    return true;
  }

  @Test
  void whatIsReadAgainSurvivesAScanOfTenTimesTheCapacity() {
    int capacity = 8 << 20;
    Blocks blocks = new Blocks(BLOCK);
    BlockCache cache = cache(capacity, BLOCK);
    int hot = capacity / BLOCK / 2;
    for (int round = 0; round < 2; round++) {
      for (int block = 0; block < hot; block++) {
        read(cache, blocks, 1, block);
      }
    }
    int scanned = 10 * capacity / BLOCK;
    for (int block = 0; block < scanned; block++) {
      assertThat(read(cache, blocks, 2, block)).isFalse();
    }
    int left = 0;
    for (int block = 0; block < hot; block++) {
      left += cache.contains(1, blocks.offset(block)) ? 1 : 0;
    }
    assertThat(left).isGreaterThan(hot * 95 / 100);
  }

  @Test
  void aBlockThatReturnsSoonIsKept() {
    Blocks blocks = new Blocks(BLOCK);
    BlockCache cache = cache(1 << 20, BLOCK);
    int capacity = (1 << 20) / BLOCK;
    read(cache, blocks, 1, 0);
    int before = 0;
    while (cache.contains(1, blocks.offset(0))) {
      read(cache, blocks, 2, before++);
    }
    assertThat(read(cache, blocks, 1, 0)).isFalse();
    for (int block = 0; block < capacity / 2; block++) {
      read(cache, blocks, 3, block);
    }
    assertThat(read(cache, blocks, 1, 0)).isTrue();
  }

  @Test
  void aHotSetLargerThanTheCacheIsHitAsOftenAsItIsHot() {
    Blocks blocks = new Blocks(BLOCK);
    BlockCache cache = cache(4 << 20, BLOCK);
    int names = 4 * (4 << 20) / BLOCK;
    long seed = Seeds.seed(7);
    Random random = Seeds.random(seed, 0);
    int hits = 0;
    for (int i = 0; i < 20 * names; i++) {
      // 80 % of the reads go to a fifth of the blocks, which is 80 % of the cache.
      int block = random.nextInt(5) == 0 ? random.nextInt(names) : random.nextInt(names / 5);
      boolean hit = read(cache, blocks, 1, block);
      hits += hit && i > 10 * names ? 1 : 0;
    }
    assertThat(hits / (10.0 * names)).as(Seeds.replay(getClass(), seed)).isGreaterThan(0.72);
  }

  @Test
  void ofBlocksThatNobodyReadsAgainOneInEightIsTakenIn() {
    Blocks blocks = new Blocks(BLOCK);
    int capacity = (4 << 20) / BLOCK;
    BlockCache cache = cache(4 << 20, BLOCK);
    int block = 0;
    while (block < 2 * capacity) {
      put(cache, blocks, 1, block++);
    }
    long before = cache.figures().inserts();
    for (int i = 0; i < 8_000; i++) {
      put(cache, blocks, 1, block++);
    }
    assertThat(cache.figures().inserts() - before).isBetween(900L, 1_000L);
    // Those that return soon are, whether they were taken in before or not.
    int again = capacity / 4;
    for (int i = 1; i <= again; i++) {
      put(cache, blocks, 1, block - i);
    }
    int left = 0;
    for (int i = 1; i <= again; i++) {
      left += cache.contains(1, blocks.offset(block - i)) ? 1 : 0;
    }
    assertThat(left).isGreaterThan(again * 95 / 100);
  }

  @Test
  void onceBlocksAreReadAgainOnTrialAllNewOnesAreTakenIn() {
    Blocks blocks = new Blocks(BLOCK);
    int capacity = (4 << 20) / BLOCK;
    BlockCache cache = cache(4 << 20, BLOCK);
    int block = 0;
    while (block < 3 * capacity) {
      put(cache, blocks, 1, block++);
    }
    long before = 0;
    for (int i = 0; i < 2 * capacity; i++) {
      if (i == capacity) {
        before = cache.figures().inserts();
      }
      read(cache, blocks, 2, i);
      read(cache, blocks, 2, i);
    }
    assertThat(cache.figures().inserts() - before).isGreaterThan(capacity * 95L / 100);
  }

  @Test
  void whatDoesNotFitStaysOut() {
    BlockCache cache = cache(BlockCache.MIN_BYTES, 1000);
    byte[] large = new byte[64 << 10];
    cache.put(1, 0, large, large.length);
    assertThat(cache.get(1, 0, buffer)).isEqualTo(-1);
    cache.put(1, 0, large, 100);
    assertThat(cache.get(1, 0, buffer)).isEqualTo(100);
    assertThat(cache.get(2, 0, buffer)).isEqualTo(-1);
    assertThat(cache.get(1, 1, buffer)).isEqualTo(-1);
    assertThat(cache.figures().inserts()).isEqualTo(1);
  }

  @Test
  void anEmptyBlockIsABlock() {
    BlockCache cache = cache(BlockCache.MIN_BYTES, 1000);
    cache.put(1, 0, new byte[0], 0);
    assertThat(cache.get(1, 0, buffer)).isZero();
  }

  @Test
  void noBytesAreNoCacheAndTooFewAreRefused() {
    BlockCache off = cache(0, BLOCK);
    off.put(1, 0, new byte[10], 10);
    assertThat(off.get(1, 0, buffer)).isEqualTo(-1);
    assertThat(off.contains(1, 0)).isFalse();
    assertThat(off.figures()).isEqualTo(new BlockCache.Figures(0, 0, 0, 0, 0));
    for (long wrong : new long[] {-1, 1, BlockCache.MIN_BYTES - 1, BlockCache.MAX_BYTES + 1}) {
      assertThatThrownBy(() -> cache(wrong, BLOCK)).hasMessageContaining("" + wrong);
    }
  }

  @Test
  void aLedgerThatGivesLittleMakesASmallCache() {
    Blocks blocks = new Blocks(BLOCK);
    for (int mebibytes : new int[] {0, 1, 3}) {
      long left = (long) mebibytes << 20 | 300_000;
      long taken = memory.capacityBytes() - memory.usedBytes() - left;
      assertThat(memory.tryReserve(Role.MEMTABLE, taken)).isTrue();
      BlockCache cache = cache(16 << 20, BLOCK);
      for (int block = 0; block < 5000; block++) {
        read(cache, blocks, 1, block);
        read(cache, blocks, 1, block / 2);
      }
      assertThat(cache.figures().bytes()).isLessThanOrEqualTo(left);
      assertThat(cache.figures().hits() > 0).isEqualTo(mebibytes > 0);
      memory.release(Role.MEMTABLE, taken);
    }
  }

  @Test
  void cachesTakeNoMoreThanHalfOfTheLedgerTogether() {
    Blocks blocks = new Blocks(BLOCK);
    for (int i = 0; i < 3; i++) {
      BlockCache cache = cache(30 << 20, BLOCK);
      for (int block = 0; block < 10_000; block++) {
        put(cache, blocks, 1, block);
      }
    }
    assertThat(memory.usedBytes(Role.CACHE)).isBetween(31L << 20, 32L << 20);
  }

  /** While it holds memory, its blocks serve, also when mappings are used again. */
  @Test
  void whatASuspensionBroughtServesAfterIt() {
    BlockCache cache = cache(4 << 20, BLOCK);
    assertThat(cache.of(false, true)).isEqualTo(CacheAdmission.NONE);
    assertThat(cache.of(false, false)).as("suspended").isEqualTo(CacheAdmission.ALL);
    assertThat(cache.of(false, true)).isEqualTo(CacheAdmission.COLD);
    assertThat(cache.of(true, true)).isEqualTo(CacheAdmission.ALL);
    assertThat(cache(0, BLOCK).of(false, false)).isEqualTo(CacheAdmission.NONE);
  }
}
