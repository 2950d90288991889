// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Snapshot;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.base.Limits;
import io.coppice.io.MemDisk;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lookups of many keys, into buffers of the caller, and conditional writes. */
class StoreReadsTest {

  private static final byte[] A = "a".getBytes(UTF_8);
  private static final byte[] B = "b".getBytes(UTF_8);
  private static final byte[] C = "c".getBytes(UTF_8);

  private final MemDisk disk = new MemDisk();

  private Store open(StoreOptions options) throws IOException {
    return TestStores.open(disk, options);
  }

  private Store open() throws IOException {
    return open(StoreOptions.builder().durability(Durability.BUFFERED).build());
  }

  @Test
  void aValueThatFitsIsCopiedAndNothingElseChanges() throws IOException {
    try (Store store = open()) {
      store.put(A, "value".getBytes(UTF_8));
      for (int pass = 0; pass < 2; pass++) {
        for (ByteBuffer target : List.of(ByteBuffer.allocate(9), ByteBuffer.allocateDirect(9))) {
          target.position(2).limit(8);
          assertThat(store.getInto(A, target)).isEqualTo(5);
          assertThat(target.position()).isEqualTo(2);
          assertThat(target.limit()).isEqualTo(8);
          byte[] all = new byte[9];
          target.clear().get(all);
          assertThat(all).isEqualTo("\0\0value\0\0".getBytes(UTF_8));
        }
        store.flush();
      }
    }
  }

  @Test
  void aValueThatDoesNotFitLeavesTheBufferAsItWas() throws IOException {
    try (Store store = open()) {
      store.put(A, "value".getBytes(UTF_8));
      for (int pass = 0; pass < 2; pass++) {
        ByteBuffer target = ByteBuffer.allocate(4);
        assertThat(store.getInto(A, target)).isEqualTo(5);
        assertThat(target).isEqualTo(ByteBuffer.allocate(4));
        assertThat(store.getInto(B, target)).isEqualTo(-1);
        assertThat(store.getInto(A, ByteBuffer.allocate(9).asReadOnlyBuffer().limit(4)))
            .isEqualTo(5);
        assertThatThrownBy(() -> store.getInto(A, ByteBuffer.allocate(9).asReadOnlyBuffer()))
            .isInstanceOf(ReadOnlyBufferException.class);
        store.flush();
      }
    }
  }

  @Test
  void buffersOfEveryKindAreKeysAndDoNotMove() throws IOException {
    ByteBuffer direct = ByteBuffer.allocateDirect(8);
    direct.put(2, A).position(2).limit(3);
    ByteBuffer heap = ByteBuffer.wrap("xaybz".getBytes(UTF_8), 1, 1);
    ByteBuffer slice = ByteBuffer.wrap("xaybz".getBytes(UTF_8)).slice(1, 1);
    try (Store store = open()) {
      for (ByteBuffer key : List.of(direct, heap, slice, heap.asReadOnlyBuffer())) {
        ByteBuffer before = key.duplicate();
        store.put(key, ByteBuffer.wrap(B));
        assertThat(store.get(key)).isEqualTo(B);
        assertThat(store.getInto(key, ByteBuffer.allocate(1))).isEqualTo(1);
        try (Snapshot snapshot = store.snapshot();
            Cursor cursor = snapshot.cursor(KeyRange.all())) {
          assertThat(snapshot.get(key)).isEqualTo(B);
          assertThat(snapshot.getInto(key, ByteBuffer.allocate(1))).isEqualTo(1);
          cursor.seek(key);
          assertThat(cursor.key()).isEqualTo(A);
          cursor.seekForPrev(key);
          assertThat(cursor.key()).isEqualTo(A);
        }
        store.delete(key);
        assertThat(store.get(A)).isNull();
        store.write(new WriteBatch().put(key, key).delete(key).put(key, key));
        assertThat(store.get(A)).isEqualTo(A);
        assertThat(key).isEqualTo(before);
        assertThat(key.position()).isEqualTo(before.position());
      }
    }
  }

  @Test
  void manyKeysAreAnsweredAsOneByOne() throws IOException {
    long seed = Seeds.seed(20261121);
    Random random = new Random(seed);
    TreeMap<Integer, byte[]> model = new TreeMap<>();
    StoreOptions options =
        StoreOptions.builder()
            .policy("delayed,table_size=64KiB,vct=3")
            .memtableBytes(64 << 10)
            .durability(Durability.BUFFERED)
            .build();
    try (Store store = open(options)) {
      for (int i = 0; i < 6000; i++) {
        int key = random.nextInt(2000);
        if (random.nextInt(5) == 0) {
          model.remove(key);
          store.delete(key(key));
        } else {
          byte[] value = new byte[random.nextInt(100)];
          random.nextBytes(value);
          model.put(key, value);
          store.put(key(key), value);
        }
        if (i % 500 == 0) {
          List<Integer> asked = new ArrayList<>();
          for (int j = random.nextInt(200); j > 0; j--) {
            asked.add(random.nextInt(2200));
          }
          List<byte[]> expected = new ArrayList<>();
          asked.forEach(wanted -> expected.add(model.get(wanted)));
          List<byte[]> keys = asked.stream().map(StoreReadsTest::key).toList();
          assertSame(store.getAll(keys), expected, seed);
          try (Snapshot snapshot = store.snapshot()) {
            asked.forEach(wanted -> store.put(key(wanted), A));
            assertSame(snapshot.getAll(keys), expected, seed);
            assertSame(store.getAll(keys), Collections.nCopies(asked.size(), A), seed);
            asked.forEach(wanted -> model.put(wanted, A));
          }
        }
      }
    }
  }

  /** The compiler of the tests takes no allocation out, so what is counted is what is written. */
  @ParameterizedTest
  @CsvSource({"no range deletions, false", "range deletions in tables and memory, true"})
  void lookupsIntoABufferAndStepsOfACursorAllocateNothing(String besides, boolean ranges)
      throws IOException {
    StoreOptions options =
        StoreOptions.builder()
            .policy("split-forest,table_size=64KiB")
            .memtableBytes(64 << 10)
            .durability(Durability.BUFFERED)
            .build();
    try (Store store = open(options)) {
      for (int i = 0; i < 3000; i++) {
        store.put(key(i * 7 % 3000), new byte[100]);
        if (ranges && i % 500 == 0) {
          store.deleteRange(key(3000 + i), key(3100 + i));
        }
      }
      if (ranges) {
        store.flush();
        store.deleteRange(key(5000), key(6000));
      }
      ByteBuffer target = ByteBuffer.allocateDirect(100);
      ByteBuffer directKey = ByteBuffer.allocateDirect(4);
      byte[] key = new byte[4];
      Cursor cursor = store.cursor(KeyRange.all());
      long least = Long.MAX_VALUE;
      for (int pass = 0; pass < 5; pass++) {
        cursor.first();
        long before = allocated();
        for (int i = 0; i < 2000; i++) {
          directKey.putInt(0, i);
          directKey.get(0, key);
          if (store.getInto(key, target) != 100 || store.getInto(directKey, target) != 100) {
            throw new AssertionError("key " + i);
          }
          key[0] = 1;
          if (store.getInto(key, target) != -1) {
            throw new AssertionError("key " + i);
          }
          cursor.next();
        }
        least = Math.min(least, allocated() - before);
      }
      cursor.close();
      // A cursor opens a table now and then.
      assertThat(least).as(besides).isLessThan(8 * 2000);
    }
  }

  @Test
  void watchingALoadAllocatesNothing() throws IOException {
    StoreOptions.Builder watched =
        StoreOptions.builder().name("watched").policy("adaptive,min_gain=1").jmx(true);
    StoreOptions.Builder alone =
        TestStores.counting(StoreOptions.builder(), false).policy("lazy-binomial,k=8,x=0.5");
    // Of a lookup that finds, one that does not, and a write.
    assertThat(minAllocated(watched)).containsExactly(minAllocated(alone));
  }

  private long[] minAllocated(StoreOptions.Builder options) throws IOException {
    long[] least = {Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE};
    try (Store store =
        TestStores.open(new MemDisk(), options.durability(Durability.NONE).build())) {
      byte[] value = new byte[100];
      byte[] key = new byte[4];
      byte[] absent = {1, 2, 3};
      ByteBuffer target = ByteBuffer.allocateDirect(value.length);
      store.put(key, value);
      store.flush();
      for (int pass = 0; pass < 8; pass++) {
        // More than enough for the samples, one lookup in 64.
        long begin = allocated();
        for (int i = 0; i < 500; i++) {
          store.getInto(key, target);
        }
        long found = allocated();
        for (int i = 0; i < 500; i++) {
          store.getInto(absent, target);
        }
        long missed = allocated();
        for (int i = 0; i < 500; i++) {
          store.put(key, value);
        }
        long written = allocated();
        least[0] = Math.min(least[0], found - begin);
        least[1] = Math.min(least[1], missed - found);
        least[2] = Math.min(least[2], written - missed);
      }
    }
    return least;
  }

  private static long allocated() {
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getCurrentThreadAllocatedBytes();
  }

  @Test
  void noKeysHaveNoValues() throws IOException {
    try (Store store = open()) {
      assertThat(store.getAll(List.of())).isEmpty();
      assertThatThrownBy(() -> store.getAll(Arrays.asList(A, null)))
          .isInstanceOf(NullPointerException.class);
      assertThatThrownBy(() -> store.getAll(List.of(new byte[Limits.MAX_KEY_BYTES + 1])))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void aConditionalWriteHappensOnlyIfTheValueIsTheExpectedOne() throws IOException {
    try (Store store = open()) {
      for (Durability mode : Durability.values()) {
        assertThat(store.compareAndSet(A, B, C, mode)).isFalse();
        assertThat(store.compareAndSet(A, null, B, mode)).isTrue();
        assertThat(store.compareAndSet(A, null, C, mode)).isFalse();
        store.flush();
        assertThat(store.compareAndSet(A, C, A, mode)).isFalse();
        assertThat(store.compareAndSet(A, B, C, mode)).isTrue();
        assertThat(store.get(A)).isEqualTo(C);
        assertThat(store.compareAndSet(A, C, null, mode)).isTrue();
        assertThat(store.get(A)).isNull();
        assertThat(store.compareAndSet(A, null, null, mode)).isTrue();
      }
    }
  }

  @Test
  void conditionalWritesOfManyThreadsAreNeverLost() throws Exception {
    int threads = 4;
    int times = 400;
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    StoreOptions options = StoreOptions.builder().memtableBytes(64 << 10).build();
    try (Store store = open(options)) {
      List<Future<?>> all = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        Durability mode = Durability.values()[t % Durability.values().length];
        int own = t;
        all.add(
            pool.submit(
                () -> {
                  for (int i = 0; i < times; i++) {
                    increment(store, A, mode);
                    increment(store, B, mode);
                    store.write(new WriteBatch().put(key(own), new byte[200]), mode);
                  }
                  return null;
                }));
      }
      for (Future<?> each : all) {
        each.get();
      }
      assertThat(ByteBuffer.wrap(store.get(A)).getInt()).isEqualTo(threads * times);
      assertThat(ByteBuffer.wrap(store.get(B)).getInt()).isEqualTo(threads * times);
    } finally {
      pool.shutdownNow();
    }
  }

  /** A token that any writer may overwrite is won by conditional writers only while they see it. */
  @Test
  void plainWritesAndConditionalOnesExcludeEachOther() throws Exception {
    int rounds = 600;
    ExecutorService pool = Executors.newFixedThreadPool(2);
    try (Store store = open()) {
      for (int round = 0; round < rounds; round++) {
        store.put(A, B);
        Durability one = Durability.values()[round % 3];
        Durability other = Durability.values()[round / 3 % 3];
        Future<Boolean> conditional = pool.submit(() -> store.compareAndSet(A, B, A, one));
        Future<?> plain = pool.submit(() -> store.write(new WriteBatch().put(A, C), other));
        conditional.get();
        plain.get();
        // The plain write comes before, and the condition fails, or behind, and overwrites.
        assertThat(store.get(A)).as("round %d", round).isEqualTo(C);
      }
    } finally {
      pool.shutdownNow();
    }
  }

  private static void assertSame(List<byte[]> found, List<byte[]> expected, long seed) {
    assertThat(found.toArray(byte[][]::new))
        .as(Seeds.replay(StoreReadsTest.class, seed))
        .isDeepEqualTo(expected.toArray(byte[][]::new));
  }

  private static void increment(Store store, byte[] key, Durability mode) {
    while (true) {
      byte[] present = store.get(key);
      int value = present == null ? 0 : ByteBuffer.wrap(present).getInt();
      byte[] next = ByteBuffer.allocate(4).putInt(value + 1).array();
      if (store.compareAndSet(key, present, next, mode)) {
        return;
      }
    }
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }
}
