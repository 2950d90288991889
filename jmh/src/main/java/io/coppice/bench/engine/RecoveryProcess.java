// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.workload.Draws;
import io.coppice.workload.Keys;
import io.coppice.workload.Values;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The processes between which a store crashes: one writes and halts, the other opens what is left.
 * Tells its parent by lines: {@code at} with what is done and the total, {@code result} with
 * figures.
 */
public final class RecoveryProcess {

  /** The usual policy. */
  static final String POLICY = "split-forest";

  private static final long ROOM_BYTES = 256L << 20;

  private RecoveryProcess() {}

  /**
   * Arguments: {@code write} or {@code open}, directory, bytes of the log, bytes of a value, bytes
   * of tables that lie there already, bytes of a memtable, policy.
   */
  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[1]);
    long memtableBytes = Long.parseLong(args[5]);
    StoreOptions options =
        StoreOptions.builder()
            .memory(
                MemoryBudget.ofMebibytes(
                    (BenchOptions.MEMTABLES * memtableBytes + ROOM_BYTES) >> 20))
            .memtableBytes(memtableBytes)
            .durability(Durability.BUFFERED)
            .policy(args[6])
            .build();
    if (args[0].equals("write")) {
      write(
          Store.open(directory, options),
          directory,
          Long.parseLong(args[2]),
          Integer.parseInt(args[3]),
          Long.parseLong(args[4]));
    } else {
      long log = bytes(directory, ".wal");
      long processor = processorNanos();
      long start = System.nanoTime();
      try (Store store = Store.open(directory, options)) {
        double seconds = (System.nanoTime() - start) / 1e9;
        System.out.printf(
            Locale.ROOT,
            "result log=%d seconds=%.3f processor=%.3f bytes=%d tables=%d%n",
            log,
            seconds,
            (processorNanos() - processor) / 1e9,
            store.stats().tableBytes(),
            tables(directory));
      }
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

  private static long processorNanos() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getProcessCpuTime()
        : 0;
  }

  private static void write(
      Store store, Path directory, long logBytes, int valueBytes, long tableBytes)
      throws IOException {
    Values values = new Values(valueBytes, 1);
    byte[] key = new byte[Keys.BYTES];
    byte[] value = new byte[valueBytes];
    long number = 0;
    for (long done = 0; done < tableBytes; done += Keys.BYTES + valueBytes) {
      put(store, key, value, values, number++);
    }
    store.flush();
    store.awaitIdle();
    for (long i = 0; (i & 0xFF) != 0 || bytes(directory, ".wal") < logBytes; i++) {
      put(store, key, value, values, number++);
      if ((i & 0xFFFF) == 0) {
        System.out.println("at " + Math.min(logBytes, bytes(directory, ".wal")) + " " + logBytes);
      }
    }
    System.out.println("result written");
    System.out.flush();
    Runtime.getRuntime().halt(0);
  }

  private static void put(Store store, byte[] key, byte[] value, Values values, long number) {
    Keys.write(key, Draws.mix(number));
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
