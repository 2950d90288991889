// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.bench.suite.ParentLines;
import io.coppice.bench.suite.RecordJson;
import io.coppice.workload.BenchmarkKeys;
import io.coppice.workload.UniformDraws;
import io.coppice.workload.Values;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Processes before and after a crash of a store: one writes and halts, the other opens the remains.
 * They write lines to their parent: {@code at} with progress, {@code result} with figures.
 */
public final class RecoveryProcess {

  private static final ParentLines PARENT = new ParentLines(System.out);

  private static final long ROOM_BYTES = 256L << 20;

  /**
   * A store to be halted.
   *
   * @param logBytes size of the log when it is
   * @param presentBytes of keys and values in tables before
   */
  record Task(
      long logBytes, int valueBytes, long presentBytes, long memtableBytes, String policy) {}

  /** Costs of opening it again. */
  record Opened(
      long logBytes, double seconds, double processorSeconds, long tableBytes, int tables) {}

  private RecoveryProcess() {}

  /** Arguments: write or open, directory, then a {@link Task}. */
  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[1]);
    Task task = RecordJson.parse(args[2], Task.class);
    StoreOptions options =
        StoreOptions.builder()
            .memory(
                MemoryBudget.ofMebibytes(
                    (BenchOptions.MEMTABLES * task.memtableBytes + ROOM_BYTES) >> 20))
            .memtableBytes(task.memtableBytes)
            .durability(Durability.BUFFERED)
            .policy(task.policy)
            .build();
    if (args[0].equals("write")) {
      write(Store.open(directory, options), directory, task);
    } else {
      open(directory, options);
    }
  }

  private static void open(Path directory, StoreOptions options) throws IOException {
    long log = bytes(directory, ".wal");
    long processor = ProcessFigures.processorTime();
    long start = System.nanoTime();
    try (Store store = Store.open(directory, options)) {
      double seconds = (System.nanoTime() - start) / 1e9;
      double used = (ProcessFigures.processorTime() - processor) / 1e9;
      long tableBytes = store.stats().tableBytes();
      PARENT.say("result", new Opened(log, seconds, used, tableBytes, tables(directory)));
    }
  }

  private static int tables(Path directory) throws IOException {
    int tables = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.tbl")) {
      for (Path file : files) {
        tables++;
      }
    }
    return tables;
  }

  private static void write(Store store, Path directory, Task task) throws IOException {
    Values values = new Values(task.valueBytes, 1);
    byte[] key = new byte[BenchmarkKeys.BYTES];
    byte[] value = new byte[task.valueBytes];
    long number = 0;
    for (long done = 0; done < task.presentBytes; done += BenchmarkKeys.BYTES + task.valueBytes) {
      put(store, key, value, values, number++);
    }
    store.flush();
    store.awaitIdle();
    for (long i = 0; (i & 0xFF) != 0 || bytes(directory, ".wal") < task.logBytes; i++) {
      put(store, key, value, values, number++);
      if ((i & 0xFFFF) == 0) {
        PARENT.at("write", Math.min(task.logBytes, bytes(directory, ".wal")), task.logBytes);
      }
    }
    PARENT.say("result", "written");
    Runtime.getRuntime().halt(0);
  }

  private static void put(Store store, byte[] key, byte[] value, Values values, long number) {
    BenchmarkKeys.write(key, UniformDraws.mix(number));
    System.arraycopy(values.pool(), values.position(number), value, 0, value.length);
    store.put(key, value);
  }

  private static long bytes(Path directory, String ending) throws IOException {
    long bytes = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + ending)) {
      for (Path file : files) {
        bytes += Files.size(file);
      }
    }
    return bytes;
  }
}
