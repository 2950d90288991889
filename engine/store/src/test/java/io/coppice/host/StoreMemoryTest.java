// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.host;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.Cursor;
import io.coppice.Family;
import io.coppice.KeyRange;
import io.coppice.Snapshot;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.base.InvalidOptionsException;
import io.coppice.base.MemoryBudget;
import io.coppice.io.MemDisk;
import io.coppice.io.disk.HostMemory;
import io.coppice.testing.Seeds;
import io.coppice.write.Precondition;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The one ledger against what the allocators really hold. */
class StoreMemoryTest {

  private static final int KEYS = 4000;

  private final MemoryBudget memory = MemoryBudget.ofMebibytes(24);

  private StoreOptions.Builder options() {
    return StoreOptions.builder()
        .policy("split-forest,table_size=64KiB")
        .memory(memory)
        .memtableBytes(256 << 10)
        .durability(Durability.NONE);
  }

  @Test
  void theLedgerHasExactlyWhatIsHeldAndNothingAfterClosing() throws IOException {
    Random random = Seeds.random(Seeds.seed(20261121), 0);
    MemDisk first = new MemDisk();
    MemDisk second = new MemDisk();
    try (Store one = TestStores.open(first, options().name("one").blockCacheBytes(0).build());
        Store other =
            TestStores.open(
                second, options().name("other").filterBits(0).blockCacheBytes(1 << 20).build())) {
      long most = 0;
      for (int round = 0; round < 12; round++) {
        for (int i = 0; i < KEYS; i++) {
          Store store = random.nextInt(3) == 0 ? other : one;
          // Some get a chunk of their own.
          store.put(key(random), new byte[random.nextInt(200) == 0 ? 300_000 : 100]);
          store.get(key(random));
          most = Math.max(most, memory.usedBytes());
        }
        for (Store store : new Store[] {one, other}) {
          store.flush();
          if (round % 4 == 3) {
            store.compact();
          }
          store.awaitIdle();
        }
        try (Snapshot snapshot = one.snapshot();
            Cursor cursor = snapshot.cursor(KeyRange.all())) {
          cursor.first();
          assertThat(memory.usedBytes())
              .as("round %d", round)
              .isEqualTo(TestStores.directBytes(one) + TestStores.directBytes(other));
        }
      }
      assertThat(most).isBetween(1L << 20, memory.capacityBytes());
      assertThat(memory.usedBytes(MemoryBudget.Role.FILTER)).isPositive();
      assertThat(memory.usedBytes(MemoryBudget.Role.INDEX)).isPositive();
      assertThat(memory.usedBytes(MemoryBudget.Role.CACHE))
          .isPositive()
          .isEqualTo(other.stats().cache().bytes());
      assertThat(one.stats().cache().hits()).isZero();
      assertThat(other.stats().cache().hits()).isPositive();
    }
    assertThat(memory.usedBytes()).isZero();
    try (Store again = TestStores.open(first.reopen(), options().build())) {
      assertThat(memory.usedBytes()).isEqualTo(TestStores.directBytes(again));
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void aBudgetTooSmallForTheMemtablesIsRefusedWithBothFigures() {
    assertThatThrownBy(() -> options().memtableBytes(9 << 20).build())
        .isInstanceOf(InvalidOptionsException.class)
        .hasMessageContaining("25165824")
        .hasMessageContaining("9437184");
  }

  @Test
  void aBlockCacheBesideWhichTheMemtablesDoNotFitIsRefusedWithAllFigures() {
    options().memtableBytes(4 << 20).blockCacheBytes(12 << 20).build();
    for (long wrong : new long[] {-1, 1, 1000, (12 << 20) + 1, 1L << 50}) {
      assertThatThrownBy(() -> options().memtableBytes(4 << 20).blockCacheBytes(wrong).build())
          .isInstanceOf(InvalidOptionsException.class)
          .hasMessageContaining("blockCacheBytes (" + wrong + ")");
    }
    assertThatThrownBy(() -> options().memtableBytes(6 << 20).blockCacheBytes(7 << 20).build())
        .isInstanceOf(InvalidOptionsException.class)
        .hasMessageContaining("7340032")
        .hasMessageContaining("25165824")
        .hasMessageContaining("6291456");
  }

  @Test
  void aBudgetAboveWhatTheJvmAllowsIsRefusedWithBothFigures() {
    long allowed = HostMemory.ofProcess().directBytes();
    assertThatThrownBy(
            () -> StoreOptions.builder().memory(MemoryBudget.ofBytes(allowed + 1)).build())
        .isInstanceOf(InvalidOptionsException.class)
        .hasMessageContaining("" + allowed)
        .hasMessageContaining("" + (allowed + 1))
        .hasMessageContaining("MaxDirectMemorySize");
  }

  @Test
  void aSharedBudgetThatOthersHaveFilledIsRefusedWithBothFigures() {
    assertThat(memory.tryReserve(MemoryBudget.Role.CACHE, 24 << 20)).isTrue();
    memory.release(MemoryBudget.Role.CACHE, 200 << 10);
    assertThatThrownBy(() -> TestStores.open(new MemDisk(), options().build()))
        .isInstanceOf(InvalidOptionsException.class)
        .hasMessageContaining("204800 are left")
        .hasMessageContaining("262144");
    assertThat(memory.usedBytes()).isEqualTo((24 << 20) - (200 << 10));
  }

  @Test
  void aBatchThatIsTooLargeLeavesTheMemoryToOthers() throws IOException {
    MemoryBudget small = MemoryBudget.ofMebibytes(4);
    StoreOptions options = options().memory(small).blockCacheBytes(0).build();
    try (Store store = TestStores.open(new MemDisk(), options)) {
      Family a = store.createFamily("a");
      Family b = store.createFamily("b");
      for (int round = 0; round < 3; round++) {
        long before = small.usedBytes(MemoryBudget.Role.MEMTABLE);
        WriteBatch large = new WriteBatch();
        for (int i = 0; i < 5 << 10; i++) {
          large.put(a, ByteBuffer.allocate(4).putInt(i).array(), new byte[1 << 10]);
        }
        assertThatThrownBy(() -> store.write(large)).isInstanceOf(IllegalArgumentException.class);
        assertThat(small.usedBytes(MemoryBudget.Role.MEMTABLE)).isEqualTo(before);
        b.put(new byte[] {(byte) round}, new byte[] {1});
        assertThat(b.get(new byte[] {(byte) round})).containsExactly(1);
        store.flush();
      }
      assertThat(store.get(new byte[4])).isNull();
    }
    assertThat(small.usedBytes()).isZero();
  }

  @Test
  void aConditionalWriteThatDidNotHappenLeavesTheMemoryToOthers() throws IOException {
    MemoryBudget small = MemoryBudget.ofMebibytes(4);
    StoreOptions options = options().memory(small).blockCacheBytes(0).build();
    try (Store store = TestStores.open(new MemDisk(), options)) {
      Family a = store.createFamily("a");
      Family b = store.createFamily("b");
      byte[] key = {1};
      WriteBatch large = new WriteBatch().put(a, key, new byte[5 << 19]);
      // As if another writer had changed the value meanwhile.
      Precondition fails = new Precondition(key, () -> false);
      assertThat(
              TestStores.writes(store).commitIf(TestStores.entries(large), Durability.NONE, fails))
          .isFalse();
      b.put(key, key);
      assertThat(b.get(key)).isEqualTo(key);
      assertThat(a.get(key)).isNull();
    }
  }

  private static byte[] key(Random random) {
    return ByteBuffer.allocate(4).putInt(random.nextInt(KEYS)).array();
  }
}
