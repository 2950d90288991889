// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.readbench;

import com.google.common.util.concurrent.Uninterruptibles;
import io.coppice.io.block.PageCache;
import io.coppice.simulator.SimulationProgress;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Side-by-side measurement of ways to read blocks. Each round runs every way once, so that other
 * activity of the machine affects all of them. Before a way that uses the page cache, the system is
 * asked to drop the files from the cache.
 */
final class ReadBenchRun {

  private static final int ROUNDS = 4;
  private static final Path IO_FIGURES = Path.of("/proc/self/io");
  private static final String DEVICE_BYTES = "read_bytes: ";

  private final BlockFiles files;
  private final List<BlockSource> sources;
  private final long roundNanos;
  private final boolean forgets;
  private final long seed;

  /**
   * Creates a measurement of these sources.
   *
   * @param nanos the time for each way and load, in nanoseconds, over all rounds
   * @param forgets whether the files are dropped from the page cache
   */
  ReadBenchRun(
      BlockFiles files, List<BlockSource> sources, long nanos, boolean forgets, long seed) {
    this.files = files;
    this.sources = sources;
    this.roundNanos = nanos / ROUNDS;
    this.forgets = forgets;
    this.seed = seed;
  }

  /**
   * Measures each source in several rounds, and waits for them.
   *
   * @return one result per source, in their order
   * @throws IOException if a read fails
   */
  List<ReadBenchResult> measure(ReadBenchCell cell, SimulationProgress progress)
      throws IOException {
    List<ReadBenchResult> results = new ArrayList<>();
    for (BlockSource source : sources) {
      results.add(new ReadBenchResult(cell, source, new ReadBenchTally()));
    }
    ExecutorService threads = Executors.newFixedThreadPool(cell.clients());
    try {
      for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < sources.size(); i++) {
          round(results.get(i), threads, seed + 31L * (round * 1_000 + i));
          progress.at((double) (round * sources.size() + i + 1) / ROUNDS / sources.size());
        }
      }
    } finally {
      threads.shutdownNow();
    }
    return results;
  }

  /**
   * Runs one way for one round and adds its counts to the result. Each client has a seed of its
   * own: {@code firstSeed} plus its index.
   */
  private void round(ReadBenchResult result, ExecutorService threads, long firstSeed)
      throws IOException {
    BlockSource source = result.source();
    ReadBenchCell cell = result.cell();
    ReadBenchTally tally = result.tally();
    if (forgets && !source.direct()) {
      PageCache.drop(files.files());
    }
    long before = deviceBytes();
    long start = System.nanoTime();
    long end = start + roundNanos;
    List<Future<ReadBenchTally>> working = new ArrayList<>();
    for (int client = 0; client < cell.clients(); client++) {
      Random random = new Random(firstSeed + client);
      working.add(threads.submit(() -> queries(source, random, cell, end)));
    }
    for (Future<ReadBenchTally> each : working) {
      tally.add(outcome(each));
    }
    tally.nanos += System.nanoTime() - start;
    tally.deviceBytes = before < 0 ? -1 : tally.deviceBytes + deviceBytes() - before;
  }

  private static ReadBenchTally outcome(Future<ReadBenchTally> working) throws IOException {
    try {
      return Uninterruptibles.getUninterruptibly(working);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IOException(e.getCause());
    }
  }

  private ReadBenchTally queries(BlockSource source, Random random, ReadBenchCell cell, long end)
      throws IOException {
    ReadBenchTally tally = new ReadBenchTally();
    int[] file = new int[cell.batch()];
    long[] offset = new long[cell.batch()];
    try (BlockSource.Client client = source.client()) {
      long now = System.nanoTime();
      do {
        files.draw(random, cell.batch(), file, offset);
        int hit = cell.hit(random);
        long start = System.nanoTime();
        tally.blocks += client.read(file, offset, cell.batch(), hit);
        now = System.nanoTime();
        tally.latencies.record(now - start);
      } while (now < end);
    }
    return tally;
  }

  /** Returns the bytes that devices have read for this process; -1 if the system does not tell. */
  private static long deviceBytes() {
    try {
      for (String line : Files.readAllLines(IO_FIGURES)) {
        if (line.startsWith(DEVICE_BYTES)) {
          return Long.parseLong(line.substring(DEVICE_BYTES.length()).trim());
        }
      }
      return -1;
    } catch (IOException | NumberFormatException e) {
      return -1;
    }
  }
}
