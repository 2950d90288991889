// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.report.RecordJson;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class BenchOptionsTest {

  private static void refused(Map<String, String> given, List<String> unknown, String... words) {
    assertThatThrownBy(() -> BenchOptions.parse(given, unknown))
        .isInstanceOf(InvalidOptionsException.class)
        .hasMessageContainingAll(words);
  }

  @Test
  void everyWrongOptionIsNamedAtOnceWithTheNearest() {
    Map<String, String> given =
        Map.of(
            "benchmarks", "fillrandom,readrandm",
            "num", "0",
            "memtable-size", "64MB",
            "policy", "levelled",
            "peer", "leveldb");
    refused(
        given,
        List.of("--nmu=5"),
        "unknown option --nmu=5; nearest is --num",
        "unknown benchmark readrandm; nearest is readrandom",
        "--num (0) must be in 1..",
        "--memtable-size (64MB) must be a size such as 64MiB",
        "leveled",
        "--peer (leveldb) must be rocksdb or none");
  }

  @ParameterizedTest
  @CsvSource({
    "--siute=read, suite",
    "--papers=all, paper",
    "--resme, resume",
    "--onyl=S-1, only",
    "--cgruop=x, cgroup",
    "--rows_, rows",
    "--timeline=1, suite"
  })
  void optionsOfSuitesAreSuggestedAndInternalOnesAreNot(String typed, String nearest) {
    refused(Map.of(), List.of(typed), "unknown option " + typed + "; nearest is --" + nearest);
  }

  @Test
  void whatAStoreOrAProcessCannotTakeIsAnErrorBeforeItIsStarted() {
    Map<String, String> given = Map.of("num", "134217729", "bloom-bits", "5", "table-size", "100B");
    assertThatThrownBy(() -> BenchOptions.parse(given))
        .isInstanceOfSatisfying(
            InvalidOptionsException.class,
            e ->
                assertThat(e.errors())
                    .hasSize(3)
                    .contains("--num (134217729) must be in 1..134217728")
                    .contains("--bloom-bits (5) must be 0 or in 6..20")
                    .anyMatch(error -> error.startsWith("--table-size: table_size (100")));
  }

  @Test
  void whereNoKeyIsWrittenTwiceAStoreTakesLess() {
    Map<String, String> given = Map.of("num", "1000000", "benchmarks", "filluniquerandom");
    long unique = ResourceCheck.peakBytes(BenchOptions.parse(given));
    assertThat(unique)
        .isLessThan(ResourceCheck.peakBytes(BenchOptions.parse(Map.of("num", "1000000"))));
  }

  @Test
  void readsNeedAFillBeforeThem() {
    refused(Map.of("benchmarks", "readrandom"), List.of(), "must begin with a fill");
  }

  @Test
  void argumentsReadBackAsEqualOptions() {
    Map<String, String> given =
        Map.of("benchmarks", "fillseq,readseq", "num", "77", "policy", "leveled,fanout=6");
    BenchOptions options = BenchOptions.parse(given);
    assertThat(RecordJson.parse(RecordJson.line(options), BenchOptions.class)).isEqualTo(options);
    assertThat(options.reads()).isEqualTo(77);
    assertThat(options.cacheBytes()).isEqualTo(64 << 20);
  }

  @ParameterizedTest
  @CsvSource({
    // About 525 flushes, of which a warm-up makes 200; the same tables to a memtable.
    "9500000, 2097152, 1048576, 116000, 58000",
    // About 85, and as many of a warm-up.
    "10000000, 13631488, 4194304, 272629, 83885",
    // Not below the smallest memtable there is, and never above that of the run.
    "1920000, 98304, 98304, 116000, 98304",
    "1000, 65536, 32768, 65536, 32768",
  })
  void aWarmUpFlushesAsOftenAsTheRunUpToABound(
      int entries, long memtable, long table, long scratch, long scratchTable) {
    BenchOptions run =
        BenchOptions.parse(
            Map.of(
                "num", Integer.toString(entries),
                "memtable-size", Long.toString(memtable),
                "table-size", Long.toString(table)));
    BenchOptions warm = run.scratch(200_000);
    assertThat(warm.memtableBytes()).isEqualTo(Math.min(scratch, memtable));
    assertThat(warm.form().tableBytes()).isEqualTo(scratchTable);
    assertThat(warm.entries()).isEqualTo(Math.min(entries, 200_000));
  }

  @Test
  void theWriterBesideReadersIsHeldByItsOwnLimitOrByThatOfAllWrites() {
    assertThat(besideReaders(Map.of())).isZero();
    assertThat(besideReaders(Map.of("benchmark-write-rate-limit", "7"))).isEqualTo(7);
    assertThat(besideReaders(Map.of("benchmark-write-rate-limit", "7", "writer-rate-limit", "9")))
        .isEqualTo(9);
  }

  private static long besideReaders(Map<String, String> given) {
    BenchOptions options = BenchOptions.parse(given);
    return RecordJson.parse(RecordJson.line(options), BenchOptions.class).traffic().besideReaders();
  }

  @Test
  void storesAreNamedByPolicyOrPeer() {
    BenchOptions options = BenchOptions.parse(Map.of("stores", "lazy-binomial:k=8:x=0.5,lmdb"));
    assertThat(options.stores())
        .containsExactly(
            StoreSpec.ours("lazy-binomial,k=8,x=0.5"), StoreSpec.peer(StoreSpec.Kind.LMDB));
    assertThat(RecordJson.parse(RecordJson.line(options), BenchOptions.class)).isEqualTo(options);
  }

  @Test
  void whatAStoreDoesNotHaveIsAnErrorAndNoNumber() {
    Map<String, String> given =
        Map.of(
            "stores", "coppice,rocksd,leveldb,coppice",
            "benchmarks", "fillrandom,readreverse",
            "compression-type", "lz4");
    refused(
        given,
        List.of(),
        "--stores (rocksd) is not known; nearest is rocksdb",
        "names a store twice",
        "leveldb has no --compression-type=lz4",
        "leveldb cannot do readreverse");
  }

  @Test
  void whatAMachineLacksIsSaidWithTheFigure(@TempDir Path directory) throws Exception {
    BenchOptions options = BenchOptions.parse(Map.of("num", "100000000", "value-size", "1000"));
    assertThat(ResourceCheck.lacking(options, directory))
        .hasValueSatisfying(reason -> assertThat(reason).contains("GiB at its peak"));
    options = BenchOptions.parse(Map.of("num", "1000", "memory", "900GiB"));
    assertThat(ResourceCheck.lacking(options, directory))
        .hasValueSatisfying(reason -> assertThat(reason).startsWith("Not enough memory: the run"));
    assertThat(ResourceCheck.lacking(1L << 60, 0, directory))
        .hasValueSatisfying(
            reason ->
                assertThat(reason)
                    .startsWith("Not enough disk: the run may take 1073741825.0 GiB, and ")
                    .endsWith(" GiB are free."));
    assertThat(ResourceCheck.lacking(0, 0, directory.resolve("made"))).isEmpty();
  }
}
