// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Snapshot;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.SearchScheme;
import io.coppice.io.Disk;
import io.coppice.io.MemDisk;
import io.coppice.io.PowerDisk;
import io.coppice.io.ReadMode;
import io.coppice.io.ShuffledDisk;
import io.coppice.io.disk.RealDisk;
import io.coppice.io.file.ColdDisk;
import io.coppice.io.file.MappingBudget;
import io.coppice.model.KindsModel;
import io.coppice.testing.LongRun;
import io.coppice.testing.Needs;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every scheme, over every reader of blocks, with filters and without, has the answers of the
 * model, of a snapshot and of the newest, while the store is written to, flushes, merges and
 * cleans, and after a loss of power; of files, after the end of a process amid its merges.
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
  private static final int READS_OF_ROUNDS = READS_OF_ROUND * SearchScheme.values().length;
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
            .compactionSlots(2)
            .durability(Durability.BUFFERED)
            .build();
    KindsModel model = new KindsModel();
    open(seed);
    try {
      change(model, new Random(seed), new History(model).unpaced());
      for (int round = 0; round < ROUNDS; round++) {
        KindsModel seen = model.copy();
        try (Snapshot snapshot = store.snapshot()) {
          Random drawn = new Random(random.nextLong());
          History history = new History(seen);
          Future<?> writing = writer.submit(writes(model, drawn, history));
          try {
            compare(snapshot, seen, history);
          } finally {
            history.unpaced();
          }
          writing.get();
        }
        if (random.nextInt(3) == 0) {
          loseAndOpen(seed);
        }
      }
    } catch (Exception | Error e) {
      try {
        store.close();
      } catch (RuntimeException second) {
        e.addSuppressed(second);
      }
      throw e;
    }
    atOnce += store.stats().reads().batchReads();
    store.close();
    assertThat(TestStores.memory(options).usedBytes()).as("bytes held after close").isZero();
  }

  private String name() {
    return reading.name().toLowerCase(Locale.ROOT);
  }

  private Callable<Void> writes(KindsModel model, Random drawn, History history) {
    return () -> {
      change(model, drawn, history);
      return null;
    };
  }

  private void open(long seed) throws IOException {
    store = TestStores.open(disk(seed), options);
    TestStores.reader(store.family("default")).indexAfter(1 + random.nextInt(100));
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
        power = PowerDisk.ofProcess(cold);
        return power;
      }
    }
  }

  /** All that was written is durable; what merges had under way is lost. */
  private void loseAndOpen(long seed) throws IOException {
    store.sync();
    atOnce += store.stats().reads().batchReads();
    power.cutBefore(0);
    try {
      store.close();
    } catch (RuntimeException e) {
      assertThat(power.off()).isTrue();
    }
    if (cold == null) {
      memory = memory.crash(random);
    }
    open(seed);
  }

  /** A change is in the model and in the history before it begins. */
  private void change(KindsModel model, Random drawn, History history) {
    for (int i = 1; i <= CHANGES; i++) {
      int number = drawn.nextInt(KEYS);
      byte[] key = key(number);
      byte[] value = value(drawn);
      int dice = drawn.nextInt(100);
      if (dice < 70) {
        model.put(key, value, KindsModel.FOREVER);
        history.begin(i, number, 1, model);
        store.put(key, value);
      } else if (dice < 85) {
        model.delete(key);
        history.begin(i, number, 1, model);
        store.delete(key);
      } else if (dice < 99) {
        model.merge(key, value);
        history.begin(i, number, 1, model);
        store.merge(key, value);
      } else {
        int keys = 1 + drawn.nextInt(20);
        byte[] to = key(number + keys);
        model.deleteRange(key, to);
        history.begin(i, number, keys, model);
        store.deleteRange(key, to);
      }
      history.done = i;
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

  private void compare(Snapshot snapshot, KindsModel model, History history) {
    NavigableMap<byte[], byte[]> shown = model.at(0);
    int done = 0;
    for (SearchScheme scheme : SearchScheme.values()) {
      store.search(scheme);
      for (int i = 0; i < READS_OF_ROUND; i++) {
        if (cold != null && i % 16 == 0) {
          cold.chill();
        }
        history.allowed = CHANGES * ++done / READS_OF_ROUNDS;
        int dice = random.nextInt(20);
        if (dice == 0) {
          compareMany(snapshot, shown, scheme);
        } else if (dice == 1) {
          compareWalk(snapshot, shown, scheme);
        } else if (dice < 10) {
          compareNewest(history, scheme, dice == 2 ? 10 : 1);
        } else {
          byte[] key = key(random.nextInt(KEYS));
          check(scheme, key, snapshot.get(key), shown.get(key));
          reads++;
        }
      }
    }
  }

  /** Each key has what it held at some time between the beginning of the call and its end. */
  private void compareNewest(History history, SearchScheme scheme, int count) {
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      keys.add(key(random.nextInt(KEYS)));
    }
    int before = history.done;
    List<byte[]> found =
        count == 1 ? Collections.singletonList(store.get(keys.get(0))) : store.getAll(keys);
    int after = history.begun;
    for (int i = 0; i < count; i++) {
      byte[] value = found.get(i);
      List<byte[]> held = history.held(keys.get(i), before, after);
      if (held.stream().noneMatch(each -> Arrays.equals(each, value))) {
        check(scheme, keys.get(i), value, held.get(held.size() - 1));
      }
    }
    reads += count;
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

  /** What keys held while one thread changed them, for others that read meanwhile. */
  private static final class History {

    private record Held(int change, byte[] value) {}

    /** In the beginning. */
    private final KindsModel first;

    private final Map<Integer, List<Held>> changed = new ConcurrentHashMap<>();

    /** The change that has begun last; those of it and before are in the history. */
    private volatile int begun;

    /** The change that has ended last. */
    private volatile int done;

    /** No change behind this one begins, so that changes go on for as long as there are reads. */
    private volatile int allowed;

    /** The model does not change, unless nobody asks. */
    History(KindsModel first) {
      this.first = first;
    }

    History unpaced() {
      allowed = Integer.MAX_VALUE;
      return this;
    }

    void begin(int change, int number, int keys, KindsModel after) {
      while (change > allowed) {
        Thread.onSpinWait();
      }
      for (int key = number; key < number + keys; key++) {
        changed
            .computeIfAbsent(key, none -> new CopyOnWriteArrayList<>())
            .add(new Held(change, after.get(key(key), 0)));
      }
      begun = change;
    }

    /** What a key held after a change, and after each one up to another. */
    List<byte[]> held(byte[] key, int from, int to) {
      List<byte[]> held = new ArrayList<>();
      held.add(first.get(key, 0));
      for (Held each : changed.getOrDefault(ByteBuffer.wrap(key).getInt(), List.of())) {
        if (each.change <= from) {
          held.set(0, each.value);
        } else if (each.change <= to) {
          held.add(each.value);
        }
      }
      return held;
    }
  }
}
