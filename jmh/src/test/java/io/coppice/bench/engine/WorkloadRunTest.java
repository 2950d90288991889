// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.bench.report.RecordJson;
import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.Benchmark;
import io.coppice.bench.store.Measure;
import io.coppice.bench.store.ReadSession;
import io.coppice.bench.store.StoreSpec;
import io.coppice.bench.store.TestedStore;
import io.coppice.bench.suite.WrongAnswerException;
import io.coppice.workload.Values;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every real store passes every workload; one that answers wrongly does not. */
class WorkloadRunTest {

  /** What syncs or commits each write gets fewer of them. */
  private static final Map<StoreSpec.Kind, Integer> ENTRIES =
      Map.of(StoreSpec.Kind.MVSTORE, 100, StoreSpec.Kind.MAPDB, 20, StoreSpec.Kind.XODUS, 1_000);

  @TempDir private Path directory;

  private BenchOptions options = options(20_000, "coppice");
  private final Values values = new Values(options.valueBytes(), options.seed());
  private Expected expected = new Expected(options.entries());

  private static BenchOptions options(int entries, String store) {
    return BenchOptions.parse(
        Map.of(
            "num", Integer.toString(entries),
            "memtable-size", "1MiB",
            "policy", "leveled",
            "duration", "0.02",
            "threads", "2",
            "later-policy", "tiered",
            "benchmark-write-rate-limit", "100000000",
            "stores", store));
  }

  private CellResult run(TestedStore store, Benchmark benchmark, int writesBefore)
      throws Exception {
    return run(store, benchmark, writesBefore, 0);
  }

  private CellResult run(TestedStore store, Benchmark benchmark, int writesBefore, int place)
      throws Exception {
    return new WorkloadRun(
            store,
            directory,
            options,
            values,
            expected,
            writesBefore,
            (done, total) -> {},
            second -> {})
        .run(benchmark, place);
  }

  @ParameterizedTest
  @EnumSource(StoreSpec.Kind.class)
  void everyStoreAnswersEveryWorkloadRightly(StoreSpec.Kind kind) throws Exception {
    options = options(ENTRIES.getOrDefault(kind, 3_000), kind.label());
    StoreSpec spec = options.stores().get(0);
    List<Benchmark> onto =
        Arrays.stream(Benchmark.values()).filter(each -> !each.fills() && spec.has(each)).toList();
    try (TestedStore store = open()) {
      expected = new Expected(options.entries());
      int writes = (int) run(store, Benchmark.FILLRANDOM, 0).of(Measure.WRITES);
      for (Benchmark benchmark : onto) {
        CellResult result = run(store, benchmark, writes);
        assertThat(result.of(Measure.OPERATIONS)).as("%s", benchmark).isPositive();
        assertThat(RecordJson.parse(RecordJson.line(result), CellResult.class)).isEqualTo(result);
        writes += (int) result.of(Measure.WRITES);
        if (benchmark == Benchmark.OVERWRITE && result.has(Measure.FLUSHED_BYTES)) {
          assertThat(result.writeAmplification()).isBetween(0.5, 20.0);
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Benchmark.class,
      names = {"FILLSEQ", "FILLUNIQUERANDOM", "FILLBATCH", "FILLSYNC", "WRITEOPENLOOP"})
  void everyFillLeavesWhatItWrote(Benchmark fill) throws Exception {
    try (TestedStore store = open()) {
      CellResult result = run(store, fill, 0);
      assertThat(run(store, Benchmark.READSEQ, 0).of(Measure.OPERATIONS))
          .isEqualTo(expected.count());
      assertThat(result.of(Measure.LIVE_BYTES)).isEqualTo(116.0 * expected.count());
      assertThat(result.of(Measure.PEAK_DISK_BYTES)).isPositive();
    }
  }

  private TestedStore open() throws Exception {
    return TestedStore.open(Files.createDirectory(directory.resolve("store")), options);
  }

  /**
   * A store in which every lookup goes by a function, and which tells whether a session is open.
   */
  private static TestedStore of(Function<AtomicBoolean, Function<byte[], Integer>> get) {
    return (TestedStore)
        Proxy.newProxyInstance(
            WorkloadRunTest.class.getClassLoader(),
            new Class<?>[] {TestedStore.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "session" -> session(get);
                  case "counters" -> Map.of(Measure.TABLE_BYTES, 0L);
                  case "pressure" -> TestedStore.Pressure.NONE;
                  default -> throw new AssertionError(method);
                });
  }

  private static ReadSession session(Function<AtomicBoolean, Function<byte[], Integer>> get) {
    AtomicBoolean closed = new AtomicBoolean();
    Function<byte[], Integer> own = get.apply(closed);
    return (ReadSession)
        Proxy.newProxyInstance(
            WorkloadRunTest.class.getClassLoader(),
            new Class<?>[] {ReadSession.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("close")) {
                closed.set(true);
                return null;
              }
              return own.apply((byte[]) arguments[0]);
            });
  }

  @Test
  void twoPhasesOfReadsAskForDifferentKeys() throws Exception {
    List<String> asked = Collections.synchronizedList(new ArrayList<>());
    TestedStore store =
        of(
            closed ->
                key -> {
                  asked.add(new String(key, StandardCharsets.US_ASCII));
                  return -1;
                });
    options = BenchOptions.parse(Map.of("num", "20000", "reads", "100"));
    run(store, Benchmark.READRANDOM, 0, 1);
    List<String> first = List.copyOf(asked);
    asked.clear();
    run(store, Benchmark.READRANDOM, 0, 2);
    assertThat(asked).hasSameSizeAs(first).isNotEqualTo(first);
  }

  @Test
  void noSessionIsClosedWhileItsClientAsks() throws Exception {
    AtomicInteger sessions = new AtomicInteger();
    CountDownLatch asks = new CountDownLatch(1);
    CountDownLatch answered = new CountDownLatch(1);
    AtomicBoolean closedUnderIt = new AtomicBoolean();
    TestedStore store =
        of(
            closed -> {
              boolean wrong = sessions.getAndIncrement() == 0;
              return key -> wrong ? wrongOnce(asks) : late(asks, answered, closed, closedUnderIt);
            });
    assertThatThrownBy(() -> run(store, Benchmark.READRANDOM, 0))
        .isInstanceOf(WrongAnswerException.class);
    answered.await();
    assertThat(closedUnderIt).isFalse();
  }

  /** The length of a value that nobody wrote, once another client asks, too. */
  private static int wrongOnce(CountDownLatch asks) {
    try {
      asks.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    return 3;
  }

  /** An answer that takes so long that the first client has failed before. */
  private static int late(
      CountDownLatch asks,
      CountDownLatch answered,
      AtomicBoolean closed,
      AtomicBoolean closedUnderIt) {
    asks.countDown();
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
    closedUnderIt.compareAndSet(false, closed.get());
    answered.countDown();
    return -1;
  }

  @Test
  void anOldValueAndALostKeyVoidTheRun() throws Exception {
    options = BenchOptions.parse(Map.of("num", "20000", "memtable-size", "1MiB"));
    try (TestedStore store = open()) {
      run(store, Benchmark.FILLRANDOM, 0);
      // One value in sixteen is compared.
      for (int key = 17_000, wrong = 0; wrong < 16; key = expected.nextPresent(key + 1), wrong++) {
        expected.written(expected.nextPresent(key), 77);
      }
      assertThatThrownBy(() -> run(store, Benchmark.READSEQ, options.entries()))
          .isInstanceOf(WrongAnswerException.class)
          .hasMessageContaining("another value");
      int absent = 0;
      while (expected.lastWrite(absent) >= 0) {
        absent++;
      }
      expected.written(absent, 0);
      assertThatThrownBy(() -> run(store, Benchmark.READRANDOM, options.entries()))
          .isInstanceOf(WrongAnswerException.class)
          .hasMessageContaining("key ");
    }
  }
}
