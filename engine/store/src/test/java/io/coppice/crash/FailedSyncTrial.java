// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.ReadOnlyException;
import io.coppice.base.thread.SeededWorkers;
import io.coppice.crash.CrashViolation.Kind;
import io.coppice.io.Disk;
import io.coppice.io.ErrorDisk;
import io.coppice.io.ErrorDisk.Fault;
import io.coppice.io.ErrorDisk.Operation;
import io.coppice.io.MemDisk;
import java.io.IOException;
import java.util.function.UnaryOperator;

/**
 * Fails a sync of the log, which leaves what it had to write in memory only although later syncs
 * succeed; opens the store again, and cuts the power. What the store showed then must be there.
 */
public final class FailedSyncTrial {

  private static final int KEYS = 20;
  private static final int VALUE_BYTES = 2_000;

  private final UnaryOperator<Disk> wrapper;

  /**
   * Prepares it.
   *
   * @param wrapper wraps the disk of the store
   */
  public FailedSyncTrial(UnaryOperator<Disk> wrapper) {
    this.wrapper = wrapper;
  }

  private static Store open(Disk disk) throws IOException {
    StoreOptions options =
        StoreOptions.builder()
            .memory(MemoryBudget.ofMebibytes(16))
            .memtableBytes(256 << 10)
            .durability(Durability.BUFFERED)
            .build();
    return TestStores.open(disk, options, new SeededWorkers(1));
  }

  public void run() throws IOException {
    try {
      end();
      beginning();
    } catch (CrashViolation e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw new CrashViolation(Kind.UNOPENABLE, "a store after a failed sync: " + e, e);
    }
  }

  /** The end of the log is lost from the disk. */
  private void end() throws IOException {
    MemDisk memory = new MemDisk();
    ErrorDisk disk = new ErrorDisk(memory);
    Store store = open(wrapper.apply(disk));
    for (int key = 0; key < KEYS; key++) {
      put(store, key);
      if (key == KEYS / 2) {
        store.sync();
      }
    }
    disk.fail(Fault.EIO, Operation.SYNC, name -> name.endsWith(".wal"), 1);
    failsOnce(store::sync, disk);
    store.close();
    checkIsDurableOnceOpened(memory, KEYS);
  }

  /** A new log is lost from the disk, to its first byte. */
  private void beginning() throws IOException {
    MemDisk memory = new MemDisk();
    ErrorDisk disk = new ErrorDisk(memory);
    Store store = open(wrapper.apply(disk));
    put(store, 0);
    int ofTheNewLog = 2;
    disk.fail(Fault.LATE_ENOSPC, Operation.SYNC, name -> name.endsWith(".wal"), ofTheNewLog);
    failsOnce(store::flush, disk);
    store.close();
    checkIsDurableOnceOpened(memory, 1);
  }

  private static void failsOnce(Runnable call, ErrorDisk disk) {
    try {
      call.run();
      if (disk.fired()) {
        throw new CrashViolation(Kind.WRONG_ANSWER, "a sync failed and nobody was told");
      }
    } catch (ReadOnlyException e) {
      disk.heal();
    }
  }

  private void checkIsDurableOnceOpened(MemDisk memory, int keys) throws IOException {
    MemDisk crashed;
    try (Store store = open(wrapper.apply(memory.reopen()))) {
      check(store, keys, "before a loss of power");
      crashed = memory.crash();
    }
    try (Store store = open(crashed)) {
      check(store, keys, "after it");
    }
  }

  private static void put(Store store, int key) {
    store.put(new byte[] {(byte) key}, new byte[VALUE_BYTES]);
  }

  private static void check(Store store, int keys, String when) {
    for (int key = 0; key < keys; key++) {
      if (store.get(new byte[] {(byte) key}) == null) {
        throw new CrashViolation(Kind.LOST, "key " + key + " of " + keys + " is not there " + when);
      }
    }
  }
}
