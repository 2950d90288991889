// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.Needs;
import io.coppice.base.SearchScheme;
import io.coppice.base.Seeds;
import io.coppice.io.ColdDisk;
import io.coppice.io.Disk;
import io.coppice.io.MappingBudget;
import io.coppice.io.MemDisk;
import io.coppice.io.PowerDisk;
import io.coppice.io.ReadMode;
import io.coppice.io.RealDisk;
import io.coppice.io.ShuffledDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every scheme, over every reader of blocks, with filters and without, has the answers of the
 * model: of a snapshot, while the store is written to, flushes, merges and cleans, and after a loss
 * of power.
 *
 * <p>{@code -Dreads=N} sets how many reads there are for each reader, {@code -Dseed=N} the first
 * seed.
 */
class ReadDifferentialTest {

  private static final long READS = Long.getLong("reads", 16_000);
  private static final int KEYS = 1_500;
  private static final int CHANGES = 700;
  private static final int ROUNDS = 6;
  private static final int READS_OF_ROUND = 150;
  private static final int FIRST_SEED = 1;

  private static final List<String> POLICIES =
      List.of(
          "split-forest,fanout=4,table_size=8KiB,cleaning_threshold=1",
          "tiered,trigger=6,table_size=8KiB,cleaning_threshold=2",
          "leveled,fanout=4,l0_trigger=4,table_size=4KiB,cleaning_threshold=1",
          "delayed,fanout=2,l0_trigger=2,base_size=16KiB,table_size=4KiB,vct=8,vsmt=4");

  /** What reads blocks. */
  enum Reading {
    SERIAL,
    POOL,
    RING,
    SHUFFLED
  }

  @TempDir private Path directory;

  private final ExecutorService writer = Executors.newSingleThreadExecutor();

  private Random random;
  private Reading reading;
  private MemDisk memory;
  private PowerDisk power;
  private ColdDisk cold;
  private StoreOptions options;
  private Store store;
  private long values;
  private long reads;
  private long atOnce;

  @ParameterizedTest
  @EnumSource(Reading.class)
  void everySchemeHasTheAnswersOfTheModel(Reading by) throws Exception {
    Needs.that(by != Reading.RING || ColdDisk.ringWorks(), "no ring works here");
    long first = Seeds.seed(FIRST_SEED);
    LongRun run = new LongRun(getClass(), first);
    reading = by;
    long seed = first;
    try {
      for (; reads < READS; seed++) {
        run(seed);
      }
    } catch (AssertionError | Exception e) {
      throw new AssertionError(
          by + ": " + e.getMessage() + "\n" + Seeds.replay(getClass(), seed), e);
    } finally {
      writer.shutdownNow();
    }
    assertThat(atOnce).as("blocks read at once").isGreaterThan(READS / 10);
    run.passed(by.name(), Map.of("reads", reads, "seeds", seed - first, "differences", 0L));
  }

  private void run(long seed) throws Exception {
    random = Seeds.random(seed, reading.ordinal());
    memory = new MemDisk();
    options =
        StoreOptions.builder()
            .policy(POLICIES.get(random.nextInt(POLICIES.size())))
            .memory(MemoryBudget.ofMebibytes(24))
            .memtableBytes(8 << 10)
            .filterBits(seed % 2 == 0 ? 0 : 8)
            .blockCacheBytes(random.nextInt(3) == 0 ? 64 << 10 : 0)
            .searchWidth(1 + random.nextInt(20))
            .reader(reading == Reading.POOL || reading == Reading.RING ? name() : "auto")
            .directReads(random.nextBoolean())
            .mergeOperator(KindsModel.APPEND)
            .mergeSlots(2)
            .durability(Durability.BUFFERED)
            .build();
    KindsModel model = new KindsModel();
    open(seed);
    try {
      change(model, new Random(seed));
      for (int round = 0; round < ROUNDS; round++) {
        KindsModel seen = model.copy();
        try (Snapshot snapshot = store.snapshot()) {
          Random drawn = new Random(random.nextLong());
          Future<?> writing = writer.submit(writes(model, drawn));
          compare(snapshot, seen);
          writing.get();
        }
        if (random.nextInt(3) == 0) {
          loseAndOpen(seed);
        }
      }
    } finally {
      close();
    }
    assertThat(options.memory().usedBytes()).as("bytes held after close").isZero();
  }

  private void close() {
    atOnce += store.stats().reads().batchReads();
    store.close();
  }

  private String name() {
    return reading.name().toLowerCase(Locale.ROOT);
  }

  private Callable<Void> writes(KindsModel model, Random drawn) {
    return () -> {
      change(model, drawn);
      return null;
    };
  }

  private void open(long seed) throws IOException {
    store = Store.open(disk(seed), options);
    store.parts().reader().indexAfter(1 + random.nextInt(100));
  }

  private Disk disk(long seed) throws IOException {
    switch (reading) {
      case SERIAL -> {
        power = new PowerDisk(memory);
        return new ShuffledDisk(power, seed, 20 + random.nextInt(81)).inOrder();
      }
      case SHUFFLED -> {
        power = new PowerDisk(memory);
        return new ShuffledDisk(power, seed, 20 + random.nextInt(81));
      }
      default -> {
        ReadMode mode = random.nextBoolean() ? ReadMode.MMAP : ReadMode.READ;
        Path own = directory.resolve(reading + "-" + seed);
        cold = new ColdDisk(RealDisk.open(own, mode, MappingBudget.ofProcess()));
        return cold;
      }
    }
  }

  /** All that was written is durable; what merges had under way is lost. */
  private void loseAndOpen(long seed) throws IOException {
    store.sync();
    if (power != null) {
      atOnce += store.stats().reads().batchReads();
      power.cutBefore(0);
      try {
        store.close();
      } catch (RuntimeException e) {
        assertThat(power.off()).isTrue();
      }
      memory = memory.crash(random);
    } else {
      close();
    }
    open(seed);
  }

  private void change(KindsModel model, Random drawn) {
    for (int i = 0; i < CHANGES; i++) {
      byte[] key = key(drawn.nextInt(KEYS));
      byte[] value = value(drawn);
      int dice = drawn.nextInt(100);
      if (dice < 70) {
        store.put(key, value);
        model.put(key, value, KindsModel.FOREVER);
      } else if (dice < 85) {
        store.delete(key);
        model.delete(key);
      } else if (dice < 99) {
        store.merge(key, value);
        model.merge(key, value);
      } else {
        byte[] to = key(ByteBuffer.wrap(key).getInt() + 1 + drawn.nextInt(20));
        store.deleteRange(key, to);
        model.deleteRange(key, to);
      }
    }
  }

  private byte[] value(Random drawn) {
    byte[] value = new byte[8 + drawn.nextInt(60)];
    ByteBuffer.wrap(value).putLong(++values);
    return value;
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(4).putInt(number).array();
  }

  private void compare(Snapshot snapshot, KindsModel model) {
    NavigableMap<byte[], byte[]> shown = model.at(0);
    for (SearchScheme scheme : SearchScheme.values()) {
      store.search(scheme);
      for (int i = 0; i < READS_OF_ROUND; i++) {
        if (cold != null && i % 16 == 0) {
          cold.chill();
        }
        int dice = random.nextInt(20);
        if (dice == 0) {
          compareMany(snapshot, shown, scheme);
        } else if (dice == 1) {
          compareWalk(snapshot, shown, scheme);
        } else {
          byte[] key = key(random.nextInt(KEYS));
          check(scheme, key, snapshot.get(key), shown.get(key));
          reads++;
        }
      }
    }
  }

  private void compareMany(
      Snapshot snapshot, NavigableMap<byte[], byte[]> shown, SearchScheme scheme) {
    List<byte[]> keys = new ArrayList<>();
    for (int i = random.nextInt(40); i >= 0; i--) {
      keys.add(key(random.nextInt(KEYS)));
    }
    List<byte[]> found = snapshot.getAll(keys);
    for (int i = 0; i < keys.size(); i++) {
      check(scheme, keys.get(i), found.get(i), shown.get(keys.get(i)));
    }
    reads += keys.size();
  }

  private void compareWalk(
      Snapshot snapshot, NavigableMap<byte[], byte[]> shown, SearchScheme scheme) {
    byte[] key = key(random.nextInt(KEYS));
    boolean forward = random.nextBoolean();
    try (Cursor cursor = snapshot.cursor(KeyRange.all())) {
      Map.Entry<byte[], byte[]> expected;
      if (forward) {
        cursor.seek(key);
        expected = shown.ceilingEntry(key);
      } else {
        cursor.seekForPrev(key);
        expected = shown.floorEntry(key);
      }
      for (int i = 0; i < 10 && expected != null; i++) {
        assertThat(cursor.valid()).as("%s at %s", scheme, Arrays.toString(key)).isTrue();
        assertThat(cursor.key())
            .as("%s behind %s", scheme, Arrays.toString(key))
            .isEqualTo(expected.getKey());
        check(scheme, expected.getKey(), cursor.value(), expected.getValue());
        if (forward) {
          cursor.next();
          expected = shown.higherEntry(expected.getKey());
        } else {
          cursor.prev();
          expected = shown.lowerEntry(expected.getKey());
        }
        reads++;
      }
      assertThat(cursor.valid()).isEqualTo(expected != null);
    }
  }

  private static void check(SearchScheme scheme, byte[] key, byte[] found, byte[] expected) {
    if (!Arrays.equals(found, expected)) {
      throw new AssertionError(
          scheme
              + " of key "
              + ByteBuffer.wrap(key).getInt()
              + ": "
              + Arrays.toString(found)
              + ", not "
              + Arrays.toString(expected));
    }
  }
}
