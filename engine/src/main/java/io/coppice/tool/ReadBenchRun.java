// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.io.PageCache;
import io.coppice.simulator.Progress;
import io.coppice.workload.Latencies;
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
 * Measures ways to read blocks side by side: round after round, each way once in every round, so
 * that what else the machine does meets all of them. Before a round of a way that goes through the
 * page cache, the system is asked to forget the files.
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
   * Measures these ways.
   *
   * @param nanos for each of them, clients and batch
   * @param forgets whether the page cache is emptied of the files
   */
  ReadBenchRun(
      BlockFiles files, List<BlockSource> sources, long nanos, boolean forgets, long seed) {
    this.files = files;
    this.sources = sources;
    this.roundNanos = nanos / ROUNDS;
    this.forgets = forgets;
    this.seed = seed;
  }

  /** One result for each way, in their order. */
  List<ReadBenchResult> measure(int clients, int batch, Progress progress) throws IOException {
    Latencies[] latencies = new Latencies[sources.size()];
    long[] nanos = new long[sources.size()];
    long[] device = new long[sources.size()];
    ExecutorService threads = Executors.newFixedThreadPool(clients);
    try {
      for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < sources.size(); i++) {
          latencies[i] = round == 0 ? new Latencies() : latencies[i];
          if (forgets && !sources.get(i).direct()) {
            PageCache.drop(files.files());
          }
          long before = deviceBytes();
          long start = System.nanoTime();
          for (Latencies each : round(sources.get(i), threads, clients, batch, round)) {
            latencies[i].add(each);
          }
          nanos[i] += System.nanoTime() - start;
          device[i] = before < 0 ? -1 : device[i] + deviceBytes() - before;
          progress.at((double) (round * sources.size() + i + 1) / ROUNDS / sources.size());
        }
      }
    } finally {
      threads.shutdownNow();
    }
    List<ReadBenchResult> results = new ArrayList<>();
    for (int i = 0; i < sources.size(); i++) {
      String name = sources.get(i).name();
      results.add(new ReadBenchResult(name, clients, batch, latencies[i], nanos[i], device[i]));
    }
    return results;
  }

  private List<Latencies> round(
      BlockSource source, ExecutorService threads, int clients, int batch, int round)
      throws IOException {
    long end = System.nanoTime() + roundNanos;
    List<Future<Latencies>> working = new ArrayList<>();
    for (int client = 0; client < clients; client++) {
      // All ways draw the same blocks in different rounds only.
      Random random = new Random(seed + 31L * (round * 1_000 + sources.indexOf(source)) + client);
      working.add(threads.submit(() -> queries(source, random, batch, end)));
    }
    List<Latencies> found = new ArrayList<>();
    for (Future<Latencies> each : working) {
      found.add(outcome(each));
    }
    return found;
  }

  private static Latencies outcome(Future<Latencies> working) throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return working.get();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) {
        throw failure;
      }
      throw new IOException(e.getCause());
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private Latencies queries(BlockSource source, Random random, int batch, long end)
      throws IOException {
    Latencies latencies = new Latencies();
    int[] file = new int[batch];
    long[] offset = new long[batch];
    try (BlockSource.Client client = source.client()) {
      long now = System.nanoTime();
      do {
        files.draw(random, batch, file, offset);
        long start = System.nanoTime();
        client.read(file, offset, batch);
        now = System.nanoTime();
        latencies.record(now - start);
      } while (now < end);
    }
    return latencies;
  }

  /** What this process had devices read so far; -1 where the system does not tell. */
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
