// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.ReadStats;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.SearchScheme;
import io.coppice.base.thread.SeededWorkers;
import io.coppice.base.thread.WorkerThreads;
import io.coppice.base.thread.Workers;
import io.coppice.io.MemDisk;
import io.coppice.io.ReadMode;
import io.coppice.io.ShuffledDisk;
import io.coppice.io.disk.RealDisk;
import io.coppice.io.file.ColdDisk;
import io.coppice.io.file.MappingBudget;
import io.coppice.manifest.FamilyVersions;
import io.coppice.testing.Needs;
import io.coppice.version.Run;
import io.coppice.version.Slice;
import io.coppice.version.VersionEdit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What lookups read of a forest of four levels with five runs each, every one over all keys, and
 * none in memory. A key lies in one run only, that of its number, counted from the newest.
 */
class ForestLookupTest {

  private static final int LEVELS = 4;
  private static final int RUNS = 5;
  private static final int ALL = LEVELS * RUNS;
  private static final int WIDTH = 16;

  private ShuffledDisk disk;
  private MetricRegistry metrics;
  private Store store;

  @BeforeEach
  void plant() throws IOException {
    plant(WIDTH);
  }

  private void plant(int width) throws IOException {
    plant(width, new WorkerThreads());
  }

  private void plant(int width, Workers workers) throws IOException {
    flush(ALL, width, workers);
    FamilyVersions versions = TestStores.versions(store.family("default"));
    List<Slice> slices = versions.current().slices();
    for (int run = ALL - 1; run >= 0; run--) {
      int level = run / RUNS;
      if (level > 0) {
        long number = versions.nextNumber();
        versions.install(
            VersionEdit.builder()
                .addRun(level, number, Set.of())
                .moveSlice(slices.get(run).id(), level, number)
                .build());
      }
    }
    assertThat(versions.current().levels()).hasSize(LEVELS);
    versions.current().levels().forEach(level -> assertThat(level.runs()).hasSize(RUNS));
  }

  /** Runs over all keys, the newest of which has the number 0; the last {@link #ALL} in level 0. */
  private void flush(int runs, int width, Workers workers) throws IOException {
    disk = new ShuffledDisk(new MemDisk(), 7, 100);
    metrics = new MetricRegistry();
    StoreOptions options =
        StoreOptions.builder()
            .metrics(metrics)
            .policy("split-forest,table_size=64KiB")
            .memory(MemoryBudget.ofMebibytes(16))
            .memtableBytes(1 << 20)
            .durability(Durability.NONE)
            .filterBits(0)
            .blockCacheBytes(0)
            .searchWidth(width)
            .build();
    store = TestStores.open(disk, options, workers);
    store.pauseCompaction();
    for (int run = runs - 1; run >= 0; run--) {
      store.put(key(-1), value(run));
      store.put(key(run), value(run));
      store.put(key(1000), value(run));
      store.flush();
      if (run >= ALL && run % RUNS == 0) {
        moveDown();
      }
    }
  }

  /** Moves what lies in level 0 to level 1, so that writes do not wait for merges. */
  private void moveDown() throws IOException {
    FamilyVersions versions = TestStores.versions(store.family("default"));
    List<Run> runs = versions.current().levels().get(0).runs();
    for (int i = runs.size() - 1; i >= 0; i--) {
      long number = versions.nextNumber();
      versions.install(
          VersionEdit.builder()
              .addRun(1, number, Set.of())
              .moveSlice(runs.get(i).segments().get(0).slices().get(0).id(), 1, number)
              .build());
    }
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static byte[] key(int number) {
    return ByteBuffer.allocate(8).putLong(1000 + number).array();
  }

  private static byte[] value(int run) {
    return ByteBuffer.allocate(4).putInt(run).array();
  }

  /** What a lookup of a key reads at once; it must be found unless it is not there. */
  private int reads(SearchScheme scheme, int number) {
    store.search(scheme);
    long before = store.stats().reads().batchReads();
    assertThat(store.get(key(number)))
        .as("%s of key %d", scheme, number)
        .isEqualTo(number < ALL ? value(number) : null);
    return (int) (store.stats().reads().batchReads() - before);
  }

  @Test
  void aFixedCountOfReadsIsInFlightWhereverTheKeyLies() {
    // The window moves on by half of its blocks with as many answers.
    int moves = WIDTH / 2;
    for (int number = 0; number <= ALL; number++) {
      long batches = store.stats().reads().batches();
      assertThat(reads(SearchScheme.FIXED_COUNT, number))
          .as("reads of a key in run %d", number)
          .isEqualTo(Math.min(ALL, WIDTH + number / moves * moves));
      assertThat(store.stats().reads().batches() - batches)
          .as("batches of a key in run %d", number)
          .isEqualTo(number < moves ? 1 : 2);
    }
  }

  @Test
  void theLastFewAreReadWithAFullBatch() throws IOException {
    store.close();
    plant(18);
    for (int number = 0; number <= ALL; number++) {
      long batches = store.stats().reads().batches();
      assertThat(reads(SearchScheme.FIXED_COUNT, number)).isEqualTo(ALL);
      assertThat(store.stats().reads().batches() - batches).isEqualTo(1);
    }
  }

  @Test
  void aLevelIsReadOnlyAfterTheOnesAboveItHaveMissed() {
    for (int number = 0; number < ALL; number++) {
      assertThat(reads(SearchScheme.PRIORITY_AWARE, number))
          .as("reads of a key in run %d", number)
          .isEqualTo(RUNS * (number / RUNS + 1));
    }
    assertThat(reads(SearchScheme.PRIORITY_AWARE, ALL)).isEqualTo(ALL);
  }

  @Test
  void aLevelOfMoreRunsThanAStageIsReadInSeveral() throws IOException {
    int stage = 8;
    store.close();
    flush(ALL, WIDTH, new WorkerThreads());
    for (int number = 0; number < ALL; number++) {
      assertThat(reads(SearchScheme.PRIORITY_AWARE, number))
          .as("reads of a key in run %d", number)
          .isEqualTo(Math.min(ALL, stage * (number / stage + 1)));
    }
    assertThat(reads(SearchScheme.PRIORITY_AWARE, ALL)).isEqualTo(ALL);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 63, 64})
  void moreRunsThanABatchHoldsAreAllSearched(int width) throws IOException {
    int runs = 70;
    store.close();
    flush(runs, width, new WorkerThreads());
    for (SearchScheme scheme : SearchScheme.values()) {
      store.search(scheme);
      for (int number = 0; number <= runs; number++) {
        assertThat(store.get(key(number)))
            .as("%s of key %d", scheme, number)
            .isEqualTo(number < runs ? value(number) : null);
      }
    }
    store.search(SearchScheme.FIXED_COUNT);
    long batches = store.stats().reads().batches();
    long read = store.stats().reads().batchReads();
    store.get(key(runs));
    // One alone is no batch.
    assertThat(store.stats().reads().batchReads() - read).isEqualTo(width == 1 ? 0 : runs);
    assertThat(store.stats().reads().batches() - batches).isLessThanOrEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {-1, 0, 65})
  void aWidthThatNoBatchHasIsRefused(int width) {
    StoreOptions.Builder options = StoreOptions.builder().searchWidth(width);
    assertThatThrownBy(options::build).hasMessageContaining("searchWidth (" + width + ")");
  }

  @Test
  void oneAfterTheOtherReadsNothingInVain() {
    for (int number = 0; number <= ALL; number++) {
      int before = disk.serialReads();
      assertThat(reads(SearchScheme.SERIAL, number)).isZero();
      assertThat(disk.serialReads() - before).isEqualTo(Math.min(ALL, number + 1));
    }
    assertThat(store.stats().reads().wastedReads()).isZero();
  }

  @Test
  void theAdaptiveOneReadsAsMuchAtOnceAsPays() throws IOException {
    store.close();
    // Their clock stands meanwhile, so that nothing is learnt of how fast this disk is.
    plant(WIDTH, new SeededWorkers(1));
    for (int i = 0; i < 500; i++) {
      reads(SearchScheme.ADAPTIVE, ALL);
    }
    long batches = store.stats().reads().batches();
    assertThat(reads(SearchScheme.ADAPTIVE, ALL)).as("nothing is found").isEqualTo(ALL);
    assertThat(store.stats().reads().batches() - batches).isEqualTo(1);

    for (int i = 0; i < 100; i++) {
      reads(SearchScheme.ADAPTIVE, 0);
    }
    assertThat(reads(SearchScheme.ADAPTIVE, 0)).as("found in the newest run").isZero();

    for (int i = 0; i < 10 * ALL; i++) {
      reads(SearchScheme.ADAPTIVE, i * 7 % ALL);
    }
    assertThat(reads(SearchScheme.ADAPTIVE, 0)).as("found anywhere").isBetween(4, WIDTH);
  }

  @ParameterizedTest
  @EnumSource(SearchScheme.class)
  void whatIsCountedAddsUp(SearchScheme scheme) {
    int rounds = 4;
    for (int i = 0; i < rounds * (ALL + 1); i++) {
      reads(scheme, i % (ALL + 1));
    }
    ReadStats reads = store.stats().reads();
    assertThat(reads.lookups()).isEqualTo(rounds * (ALL + 1));
    int needed = rounds * (ALL * (ALL + 1) / 2 + ALL);
    assertThat(reads.tables()).isEqualTo(needed);
    assertThat(reads.blocks()).isEqualTo(needed + reads.wastedReads());
    assertThat(reads.blockBytes()).isGreaterThan(30 * reads.blocks());
    assertThat(reads.foundBytes()).isEqualTo(rounds * ALL * 4);
    assertThat(reads.truePositives() + reads.falsePositives()).as("without filters").isZero();
    assertThat(reads.hottest()).hasSize(10);
    long sampled = reads.hottest().stream().mapToLong(ReadStats.TableReads::reads).sum();
    assertThat(sampled).isBetween(needed / 2L, 2L * needed);
  }

  @Test
  void figuresAreToldWhileLookupsGoOnCounting() throws Exception {
    int runs = 70;
    store.close();
    flush(runs, WIDTH, new WorkerThreads());
    store.search(SearchScheme.SERIAL);
    AtomicBoolean over = new AtomicBoolean();
    List<Thread> readers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Random random = new Random(i);
      Thread reader =
          new Thread(
              () -> {
                while (!over.get()) {
                  store.get(key(random.nextInt(runs)));
                }
              });
      reader.start();
      readers.add(reader);
    }
    try {
      for (int i = 0; i < 3_000; i++) {
        List<ReadStats.TableReads> hottest = store.stats().reads().hottest();
        for (int j = 1; j < hottest.size(); j++) {
          assertThat(hottest.get(j).reads()).isLessThanOrEqualTo(hottest.get(j - 1).reads());
        }
      }
    } finally {
      over.set(true);
      for (Thread reader : readers) {
        reader.join();
      }
    }
  }

  /** The keys of one lookup, which writes batches and flushes them before it looks at tables. */
  private final class WritingMeanwhile extends ArrayList<byte[]> {
    private static final long serialVersionUID = 1;

    private boolean written;

    @Override
    public byte[] get(int index) {
      if (!written) {
        written = true;
        store.flush();
        store.write(new WriteBatch().put(key(1), value(98)).put(key(999), value(98)));
        store.flush();
      }
      return super.get(index);
    }
  }

  @Test
  void manyKeysAreReadAtOneMomentThoughTheirMemtablesAreFlushedMeanwhile() {
    store.put(key(1), value(99));
    WritingMeanwhile keys = new WritingMeanwhile();
    for (int i = 0; i < 400; i++) {
      keys.add(key(i % 2 == 0 ? 1 : 999));
    }
    FamilyReader reader = TestStores.reader(store.family("default"));
    List<byte[]> values = List.of(reader.getAll(keys, FamilyReader.NEWEST));
    assertThat(keys.written).isTrue();
    assertThat(values).allMatch(value -> Arrays.equals(value, value(98)));
  }

  @ParameterizedTest
  @EnumSource(SearchScheme.class)
  void seeksAreNotCountedAsLookups(SearchScheme scheme) {
    store.search(scheme);
    for (int number = 0; number < ALL; number++) {
      try (Cursor cursor = store.cursor(KeyRange.all())) {
        cursor.seek(key(number));
        assertThat(cursor.valid()).isTrue();
      }
    }
    ReadStats reads = store.stats().reads();
    assertThat(reads.lookups() + reads.tables() + reads.blocks() + reads.blockBytes()).isZero();
    assertThat(reads.batches() > 0).isEqualTo(scheme != SearchScheme.SERIAL);
  }

  @ParameterizedTest
  @EnumSource(SearchScheme.class)
  void aBlockThatCannotBeReadFailsOnlyWhoeverNeedsIt(SearchScheme scheme) {
    int broken = 7;
    long table = tableOf(broken);
    disk.fail((name, offset) -> name.startsWith(String.format("%06d", table)));
    store.search(scheme);
    for (int pass = 0; pass < 3; pass++) {
      for (int number = 0; number < broken; number++) {
        assertThat(store.get(key(number))).isEqualTo(value(number));
      }
      for (int number = broken; number <= ALL; number++) {
        byte[] key = key(number);
        assertThatThrownBy(() -> store.get(key))
            .isInstanceOf(UncheckedIOException.class)
            .hasMessageContaining(String.format("%06d.tbl", table))
            .hasMessageContaining("offset 48");
      }
    }
  }

  private long tableOf(int run) {
    return TestStores.versions(store.family("default"))
        .current()
        .slices()
        .get(run)
        .table()
        .number();
  }

  @Test
  void aSeekReadsTheFirstBlocksOfAllRunsAtOnce() {
    store.search(SearchScheme.ADAPTIVE);
    try (Cursor cursor = store.cursor(KeyRange.all())) {
      long before = store.stats().reads().batchReads();
      cursor.first();
      assertThat(cursor.key()).isEqualTo(key(-1));
      cursor.last();
      assertThat(cursor.key()).isEqualTo(key(1000));
      cursor.seek(key(3));
      assertThat(cursor.key()).isEqualTo(key(3));
      assertThat(cursor.value()).isEqualTo(value(3));
      cursor.seekForPrev(key(ALL));
      assertThat(cursor.key()).isEqualTo(key(ALL - 1));
      assertThat(store.stats().reads().batchReads() - before).isEqualTo(4 * ALL);
      assertThat(store.stats().reads().wastedReads()).isZero();
      for (int number = ALL - 2; number >= -1; number--) {
        cursor.prev();
        assertThat(cursor.key()).isEqualTo(key(number));
      }
      assertThat(cursor.value()).isEqualTo(value(0));
    }
  }

  @ParameterizedTest
  @EnumSource(SearchScheme.class)
  void manyKeysAreReadAtOnceRunByRun(SearchScheme scheme) {
    store.search(scheme);
    List<byte[]> keys = new ArrayList<>();
    List<byte[]> values = new ArrayList<>();
    for (int number = ALL; number >= 0; number--) {
      keys.add(key(number));
      values.add(number < ALL ? value(number) : null);
    }
    assertThat(store.getAll(keys)).usingElementComparator(Arrays::compare).isEqualTo(values);
  }

  @Test
  void figuresAreInTheRegistryToo() {
    for (int i = 0; i < 200; i++) {
      reads(SearchScheme.FIXED_COUNT, i % ALL);
    }
    ReadStats reads = store.stats().reads();
    assertThat(reads.latencies()).hasSize(1);
    ReadStats.SchemeLatency latency = reads.latencies().get(0);
    assertThat(latency.scheme()).isEqualTo(SearchScheme.FIXED_COUNT);
    assertThat(latency.timed()).isEqualTo(200 / 64);
    assertThat(latency.p50Nanos()).isPositive().isLessThanOrEqualTo(latency.p99Nanos());
    assertThat(gauge("Reads")).isEqualTo(200L);
    assertThat(gauge("WastedReads")).isEqualTo(reads.wastedReads());
    assertThat(gauge("LookupNanos.fixed-count.p50")).isEqualTo(latency.p50Nanos());
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatALookupReadsAloneGoesPastThePageCacheIfAskedTo(boolean direct, @TempDir Path directory)
      throws IOException {
    StoreOptions options =
        StoreOptions.builder()
            .memory(MemoryBudget.ofMebibytes(16))
            .memtableBytes(1 << 20)
            .durability(Durability.NONE)
            .filterBits(0)
            .search(SearchScheme.SERIAL)
            .reader("pool")
            .directReads(direct)
            .build();
    ColdDisk real =
        new ColdDisk(RealDisk.open(directory, ReadMode.MMAP, MappingBudget.ofProcess()));
    try (Store cold = TestStores.openPaused(real, options)) {
      for (int run = 0; run < 3; run++) {
        for (int i = 0; i < 300; i++) {
          cold.put(key(i), value(run));
        }
        cold.flush();
      }
      real.chill();
      for (int pass = 0; pass < 2; pass++) {
        for (int i = 0; i < 300; i++) {
          assertThat(cold.get(key(i))).isEqualTo(value(2));
        }
      }
      assertThat(real.anyInMemory()).isEqualTo(!direct);
      assertThat(cold.stats().reads().batches()).isZero();
      // A block that came past the page cache is kept, so it is read once.
      assertThat(cold.stats().reads().blocks()).isLessThan(direct ? 20 : 601);
    }
    assertThat(TestStores.memory(options).usedBytes()).isZero();
  }

  private Object gauge(String name) {
    return metrics.getGauges().get("coppice.coppice." + name).getValue();
  }

  /** The compiler of the tests takes no allocation out, so what is counted is what is written. */
  @ParameterizedTest
  @ValueSource(strings = {"pool", "ring"})
  void lookupsOfEverySchemeAllocateNothing(String reader, @TempDir Path directory)
      throws IOException {
    Needs.that(!reader.equals("ring") || ColdDisk.ringWorks(), "no ring works here");
    StoreOptions options =
        StoreOptions.builder()
            .memory(MemoryBudget.ofMebibytes(16))
            .memtableBytes(1 << 20)
            .durability(Durability.NONE)
            .filterBits(0)
            .blockCacheBytes(0)
            .reader(reader)
            .directReads(true)
            .build();
    ColdDisk real =
        new ColdDisk(RealDisk.open(directory, ReadMode.MMAP, MappingBudget.ofProcess()));
    try (Store cold = TestStores.openPaused(real, options)) {
      for (int run = 0; run < 6; run++) {
        for (int i = 0; i < 300; i++) {
          cold.put(key(i), new byte[100]);
        }
        cold.flush();
      }
      ByteBuffer target = ByteBuffer.allocateDirect(100);
      byte[] key = new byte[9];
      ByteBuffer number = ByteBuffer.wrap(key);
      for (SearchScheme scheme : SearchScheme.values()) {
        cold.search(scheme);
        long least = Long.MAX_VALUE;
        for (int pass = 0; pass < 4; pass++) {
          real.chill();
          long before = allocated();
          for (int i = 0; i < 250; i++) {
            // Behind each key, so absent: every run is asked. What asks for the bytes takes some.
            number.putLong(0, 1000 + i);
            cold.getInto(key, target);
          }
          least = Math.min(least, allocated() - before);
        }
        // Netty describes what it asks of a ring by an object that it cannot use again.
        int ofRing = reader.equals("ring") && scheme != SearchScheme.SERIAL ? 6 * 80 : 0;
        assertThat(least).as("bytes of 250 lookups, %s", scheme).isLessThan((8 + ofRing) * 250);
      }
      assertThat(cold.stats().reads().batchReads()).isGreaterThan(3 * 4 * 250);
    }
  }

  private static long allocated() {
    com.sun.management.ThreadMXBean threads =
        (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    return threads.getCurrentThreadAllocatedBytes();
  }
}
