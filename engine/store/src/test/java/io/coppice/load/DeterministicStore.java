// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.load;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.thread.SeededWorkers;
import io.coppice.io.Disk;
import io.coppice.io.MemDisk;
import io.coppice.io.PowerDisk;
import java.io.IOException;
import java.util.Random;

/**
 * A store whose every background step (flush, sync of the log, merge step, removal of a table) is
 * picked by a seed and runs on the thread of the test, by the code of production. Equal seeds and
 * equal calls do the same to the disk, in the same order. The caller closes it, or crashes it.
 *
 * <p>Calls that must wait run background steps meanwhile; a wait that nothing can end throws {@link
 * IllegalStateException}. Background steps happen when the caller asks for them, or waits. Not safe
 * to share between threads.
 */
public final class DeterministicStore implements AutoCloseable {

  private final PowerDisk disk;
  private final SeededWorkers workers;
  private final Store store;

  private DeterministicStore(PowerDisk disk, SeededWorkers workers, Store store) {
    this.disk = disk;
    this.workers = workers;
    this.store = store;
  }

  /** Opens a store on a disk in memory. */
  public static DeterministicStore open(MemDisk disk, StoreOptions options, long seed)
      throws IOException {
    return open(new PowerDisk(disk), options, seed);
  }

  /**
   * Opens a store.
   *
   * @param disk may be told beforehand when to switch off; opening fails if it does
   */
  public static DeterministicStore open(PowerDisk disk, StoreOptions options, long seed)
      throws IOException {
    SeededWorkers workers = new SeededWorkers(seed);
    return new DeterministicStore(disk, workers, TestStores.open(disk, options, workers));
  }

  /** As {@link #open(PowerDisk, StoreOptions, long)}, with other disks between store and power. */
  public static DeterministicStore open(PowerDisk disk, Disk top, StoreOptions options, long seed)
      throws IOException {
    SeededWorkers workers = new SeededWorkers(seed);
    return new DeterministicStore(disk, workers, TestStores.open(top, options, workers));
  }

  /** The store, to be used as any other. */
  public Store store() {
    return store;
  }

  /** What runs its background work: for time, single tasks and further actors. */
  public SeededWorkers workers() {
    return workers;
  }

  /** Runs one background step that the seed picks; false if nothing wants to run. */
  public boolean step() {
    return workers.step();
  }

  /** Runs background steps until nothing wants to run. */
  public void settle() {
    boolean more = true;
    while (more) {
      more = workers.step();
    }
  }

  /** The disk, to switch it off before a later operation. */
  PowerDisk disk() {
    return disk;
  }

  /** True once the power is off; what was called then may have failed. */
  boolean off() {
    return disk.off();
  }

  /**
   * Switches off now, unless that has happened, and gives everything back.
   *
   * @return what is found when the power comes back
   */
  MemDisk crash(Random random) {
    powerOff();
    return random.nextBoolean() ? disk.below().crash() : disk.below().crash(random);
  }

  /** As {@link #crash}, but only the process dies: what was written is still there. */
  public MemDisk kill() {
    powerOff();
    return disk.below().kill();
  }

  private void powerOff() {
    if (!disk.off()) {
      disk.cutBefore(0);
    }
    try {
      store.close();
    } catch (RuntimeException e) {
      // The disk is off, so it cannot be closed cleanly; memory is given back all the same.
    }
  }

  @Override
  public void close() {
    store.close();
  }
}
