// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cost;

import io.coppice.Store;
import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.CoppiceStore;
import io.coppice.bench.store.ProcessFigures;
import io.coppice.bench.suite.ChildTask;
import io.coppice.bench.suite.Directories;
import io.coppice.bench.suite.ParentLines;
import io.coppice.workload.BenchmarkKeys;
import io.coppice.workload.UniformDraws;
import io.coppice.workload.Values;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Processes before and after a crash of a store: one writes and halts its JVM, the other opens the
 * store. They write lines to their parent: {@code at} with progress, {@code result} with figures.
 */
final class RecoveryProcess {

  private static final long ROOM_BYTES = 256L << 20;

  /**
   * A store to be killed.
   *
   * @param logBytes size of the log in bytes at that moment
   * @param presentBytes bytes of keys and values in tables before
   */
  record Task(long logBytes, int valueBytes, long presentBytes, long memtableBytes, String policy) {

    private Store open(Path directory) {
      return Store.open(
          directory,
          CoppiceStore.options(
                  policy, BenchOptions.MEMTABLES * memtableBytes + ROOM_BYTES, memtableBytes)
              .build());
    }
  }

  /** Task that writes until the log has its size, and then halts the JVM. */
  record Writing(Path directory, Task task) implements ChildTask {
    @Override
    public void run(ParentLines parent) throws IOException {
      write(task.open(directory), directory, task, parent);
    }
  }

  /** Task that opens the store of a halted process. */
  record Opening(Path directory, Task task) implements ChildTask {
    @Override
    public void run(ParentLines parent) throws IOException {
      long log = Directories.bytes(directory, "*.wal");
      long processor = ProcessFigures.processorTime();
      long start = System.nanoTime();
      try (Store store = task.open(directory)) {
        double seconds = (System.nanoTime() - start) / 1e9;
        double used = (ProcessFigures.processorTime() - processor) / 1e9;
        long tableBytes = store.stats().tableBytes();
        parent.say(
            "result",
            new Opened(
                log, seconds, used, tableBytes, Directories.files(directory, "*.tbl").size()));
      }
    }
  }

  /**
   * Cost to open the store of a halted process.
   *
   * @param logBytes bytes of the logs replayed
   * @param seconds duration of the opening
   * @param processorSeconds processor time of the opening
   * @param tableBytes bytes of all tables
   * @param tables number of tables
   */
  record Opened(
      long logBytes, double seconds, double processorSeconds, long tableBytes, int tables) {}

  private RecoveryProcess() {}

  private static void write(Store store, Path directory, Task task, ParentLines parent)
      throws IOException {
    Values values = new Values(task.valueBytes, 1);
    byte[] key = new byte[BenchmarkKeys.BYTES];
    byte[] value = new byte[task.valueBytes];
    long number = 0;
    for (long done = 0; done < task.presentBytes; done += BenchmarkKeys.BYTES + task.valueBytes) {
      put(store, key, value, values, number++);
    }
    store.flush();
    store.awaitIdle();
    for (long i = 0;
        (i & 0xFF) != 0 || Directories.bytes(directory, "*.wal") < task.logBytes;
        i++) {
      put(store, key, value, values, number++);
      if ((i & 0xFFFF) == 0) {
        parent.at(
            "write", Math.min(task.logBytes, Directories.bytes(directory, "*.wal")), task.logBytes);
      }
    }
    parent.say("result", "\"written\"");
    Runtime.getRuntime().halt(0);
  }

  private static void put(Store store, byte[] key, byte[] value, Values values, long number) {
    BenchmarkKeys.write(key, UniformDraws.mix(number));
    System.arraycopy(values.pool(), values.position(number), value, 0, value.length);
    store.put(key, value);
  }
}
