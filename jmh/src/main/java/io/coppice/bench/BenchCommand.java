// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.adaptive.AdaptiveOptions;
import io.coppice.bench.adaptive.AdaptiveSuite;
import io.coppice.bench.engine.Bench;
import io.coppice.bench.engine.BenchOptions;
import io.coppice.bench.papers.PaperOptions;
import io.coppice.bench.papers.PaperSuite;
import io.coppice.bench.peers.PeerOptions;
import io.coppice.bench.peers.PeerSuite;
import io.coppice.bench.read.ReadOptions;
import io.coppice.bench.read.ReadSuite;
import io.coppice.bench.suite.BenchmarkCommand;
import io.coppice.bench.suite.OptionReader;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/** The command {@code bench}: the embedded store beside RocksDB, and suites of rows with goals. */
@Command(
    name = "bench",
    description = {
      "Measures the store beside others by the words of db_bench, in turn.",
      "Runs db_bench workloads on the embedded store and on others, in turn, each in a process of",
      "its own, with equal keys, memory, threads and durability. Merges are awaited and charged.",
      "Every answer is checked. The table goes to standard output, the same as JSON to target/bench.",
      "",
      "With --suite=read: lookups and seeks, cold and in memory, scheme beside scheme and store",
      "beside RocksDB, each row with its goal. A row that misses its goal is shown as missed."
    },
    footer = {
      "",
      "Example: java -jar coppice-bench.jar bench --suite=read --scale=tiny --rows='hot_*'",
      "Exit codes: 0 done, also with rows missed, 1 a fault of this program, 2 wrong usage, 3 a wrong",
      "answer, 4 incomplete, 5 this machine lacks disk or memory or measures already, 130 interrupted."
    })
public final class BenchCommand extends BenchmarkCommand {

  private static final String OPTIONS =
      """
      --suite NAME
        read: takes --scale, --seconds, --rounds, --rows, --seed, --keep, --record, --progress.
        quick, standard or full: the stores beside their peers, and YCSB; ycsb: that alone. They
        take --rounds, --seed, --resume, --cgroup and --progress, the first three --only and
        --without-ycsb, too.
        adaptive: a load that turns, on the policy that follows it and on the
        others; takes --scale (small: 31 minutes), --only, --rounds, --seed,
        --resume, --progress.
      --scale NAME
        Of a suite: tiny (shows that it works, 2 minutes), small (the default, 10 minutes) or large\
        (10 GB of disk, 40 minutes).
      --seconds S
        Of a suite: for each side in each round; default by the scale.
      --rows GLOB
        Of a suite: rows by their id, such as 'cold_*'; default all.
      --keep
        Of a suite: leaves the data for a next run of the same scale and seed.
      --record
        Of a suite: leaves a flight recording of each process in target/bench.
      --benchmarks NAME,...
        fillseq, fillrandom, filluniquerandom, fillsync, fillbatch, overwrite, writeopenloop,\
        deleterandom, readrandom, readmissing, readhot, seekrandom, readseq, readreverse,\
        readwhilewriting, readrandomwriterandom, switchpolicy, compact; a fill comes\
        first. Default fillrandom,readrandom.
      --num N
        Writes of a fill, and different keys, at most 134217728; default 1000000.
      --reads N
        Reads of a cell, of seekrandom as many steps; default: as --num.
      --value_size BYTES
        Of each value, half compressible; default 100. A key has 16.
      --memtable_size,--write_buffer_size SIZE
        Of one memtable of either store; default 64MiB.
      --memory SIZE
        For three memtables, filters, indexes and block cache of either store; default: three
        memtables and 64MiB.
      --merge_threads N
        Threads that merge; one more flushes. Default 1.
      --policy TEXT
        Our policy, such as leveled,fanout=8; default split-forest.
      --peer NAME
        rocksdb (leveled, the default) or none.
      --rounds N
        How often each side is measured, in turn; default 3, or by the scale.
      --seed N
        Decides keys and values; default 42.
      --name NAME
        Of the report, target/bench/NAME.json; default engine.
      --stores NAME,...
        Instead of --policy and --peer: the first is compared with each of the others. coppice, or a
        policy such as split-forest or lazy-binomial:k=8:x=0.5; rocksdb, rocksdb-universal, lmdb,
        mvstore, xodus, leveldb, mapdb.
      --table_size SIZE
        Of our tables; RocksDB's are then as large as a memtable, with --profile=paper as\
        these. Default each store's own.
      --threads N
        That read at once; default 1.
      --benchmark_write_rate_limit BYTES
        A second, of fills and overwrites but fillbatch, and beside readwhilewriting; default 0,\
        for none.
      --rests 0|1
        1: writes wait for flushes and merges time and again; default 0.
      --writer_rate_limit BYTES
        A second, of the writer of readwhilewriting; default 0, for that of all writes.
      --duration S
        Of each read or mix, instead of a number of operations.
      --seek_nexts N
        After a seek; default 10.
      --readwritepercent N
        Reads among the operations of readrandomwriterandom; default 90.
      --zipf EXPONENT
        Draws keys by Zipf's law; default 0, for all alike.
      --compression_type NAME
        none (the default) or lz4, of stores that have it.
      --sync 0|1
        Each write synced; default 0.
      --profile NAME
        Of RocksDB: modern (the default), or paper for levels of fixed sizes.
      --bloom_bits N
        Of filters, for each key, 6 to 20; default 10, 0 for none.
      --merge_rate BYTES
        A second, of all merges of ours; default 0, for no limit.
      --later_policy TEXT
        What switchpolicy changes to.
      --paper NAME
        Instead of --suite, the experiments of a paper: dcompaction, grouped, leveled-tiered,
        sifrdb, or all. Takes --scale (quick, standard, paper), --only, --seed, --resume and
        --progress.
      --only ID,...
        Of --paper: experiments such as D-1,S-3. Of quick, standard and full: loads such as\
        main,delays or ycsb, and a wrong name lists them; rows of others say that they\
        were left out. Of --suite=adaptive: policies beside it, such as leveled,oracle;\
        rung-0 to rung-6 are each rung for itself.
      --resume
        Of a suite or --paper: takes up a run that was broken off, where commit, edits, processor\
        and JDK are the same.
      --cgroup DIRECTORY
        Of a suite: an empty control group of yours, for the row of memory.
      --without-ycsb
        Of quick, standard and full: leaves out YCSB, whose rows then say so; --suite=ycsb\
        measures it alone.
      --progress HOW
        bar, plain (a line every 10 s), or auto: a bar on a terminal only.
      """;

  private static final List<String> OF_SUITES =
      List.of(
          "scale", "seconds", "rows", "keep", "record", "only", "resume", "cgroup", "without-ycsb");

  private static final Path TARGET = Path.of("target", "bench");

  private interface Measurement {
    int run(String command) throws IOException, InterruptedException;
  }

  @Override
  protected String options() {
    return OPTIONS;
  }

  @Override
  protected int run(Map<String, String> given, List<String> unknown) throws Exception {
    Measurement measurement = measurement(given, unknown);
    Path file = Files.createDirectories(TARGET).resolve("lock");
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      if (lock == null) {
        err().println("Another run measures in " + TARGET.toAbsolutePath() + "; wait for its end.");
        err().println("Nothing was started.");
        return BenchExitCode.ENVIRONMENT;
      }
      return measurement.run(typed());
    }
  }

  private Measurement measurement(Map<String, String> given, List<String> unknown) {
    String paper = given.remove("paper");
    String suite = given.get("suite");
    if (paper != null && suite != null) {
      throw new InvalidOptionsException(
          List.of("--suite and --paper are runs of their own; give one of them"));
    }
    if (paper != null) {
      PaperOptions options = PaperOptions.parse(paper, given, unknown);
      return new PaperSuite(options, TARGET, out(), err(), drawn(options.progress()))::run;
    }
    if (suite == null) {
      BenchOptions options = withoutSuite(given, unknown);
      return new Bench(options, TARGET, out(), err(), drawn(options.progress()))::run;
    }
    if (suite.equals(ReadSuite.NAME)) {
      ReadOptions options = ReadOptions.parse(given, unknown);
      return new ReadSuite(options, TARGET, out(), err(), drawn(options.progress()))::run;
    }
    if (suite.equals(AdaptiveSuite.NAME)) {
      AdaptiveOptions options = AdaptiveOptions.parse(given, unknown);
      return new AdaptiveSuite(options, TARGET, out(), err(), drawn(options.progress()))::run;
    }
    PeerOptions options = PeerOptions.parse(suite, given, unknown);
    return new PeerSuite(options, TARGET, out(), err(), drawn(options.progress()))::run;
  }

  private static BenchOptions withoutSuite(Map<String, String> given, List<String> unknown) {
    OptionReader reader = new OptionReader(given);
    OF_SUITES.stream()
        .filter(given::containsKey)
        .forEach(
            name -> reader.fault("--%s is of a suite; give --suite, too, or leave it out", name));
    try {
      BenchOptions options = BenchOptions.parse(given, unknown);
      reader.check();
      return options;
    } catch (InvalidOptionsException e) {
      e.errors().forEach(error -> reader.fault("%s", error));
      throw new InvalidOptionsException(reader.faults());
    }
  }
}
