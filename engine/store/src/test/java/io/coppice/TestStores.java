// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.MemoryBudget;
import io.coppice.base.thread.Workers;
import io.coppice.compaction.Compactor;
import io.coppice.entry.EntryBatch;
import io.coppice.io.Disk;
import io.coppice.manifest.FamilyVersions;
import io.coppice.manifest.SnapshotList;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.read.FamilyReader;
import io.coppice.recovery.Checkpoint;
import io.coppice.table.TableOptions;
import io.coppice.table.filter.FilterOptions;
import io.coppice.write.WritePath;
import java.io.IOException;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;

/**
 * Entrance of tests to the parts of a store that programs do not see: stores on any {@link Disk},
 * and the options for tests.
 */
public final class TestStores {

  private TestStores() {}

  /** Opens a store on a disk. The store closes the disk, also if opening fails. */
  public static Store open(Disk disk, StoreOptions options) throws IOException {
    return Store.open(disk, options);
  }

  /** Opens a store on a disk; the given workers run its background work. */
  public static Store open(Disk disk, StoreOptions options, Workers workers) throws IOException {
    return Store.open(disk, options, workers);
  }

  /** Opens a store on a disk with compaction paused until {@link Store#resumeCompaction}. */
  public static Store openPaused(Disk disk, StoreOptions options) throws IOException {
    return Store.openPaused(disk, options);
  }

  /** Opens a store for reading on a disk. The store closes the disk, also if opening fails. */
  public static Store openReadOnly(Disk disk, StoreOptions options) throws IOException {
    return Store.openReadOnly(disk, options);
  }

  /** Writes a checkpoint of a store to a disk. */
  public static Checkpoint checkpoint(Store store, Disk target) throws IOException {
    return store.parts().checkpoint(target, share -> {});
  }

  /** Returns the compactor of a store. */
  public static Compactor compactor(Store store) {
    return store.parts().compactor;
  }

  /** Returns the write path of a store. */
  public static WritePath writes(Store store) {
    return store.parts().writes();
  }

  /** Returns the sequence numbers that the snapshots of a store keep. */
  public static SnapshotList snapshots(Store store) {
    return store.parts().snapshots;
  }

  /** Returns the number of open cursors and snapshots of a store. */
  public static int openHandles(Store store) {
    return store.handles().count();
  }

  /** Returns the bytes that the allocators of a store hold off the heap. */
  public static long directBytes(Store store) {
    StoreParts parts = store.parts();
    return parts.tables.directBytes() + parts.pool.directBytes();
  }

  /** Waits until the tables that are obsolete now are deleted. */
  public static void clean(Store store) {
    store.parts().cleaner.clean();
  }

  /** Changes the policy of a family as its tuner does. */
  public static void tune(Family family, UnaryOperator<PolicySpec> change) {
    family.store().parts().lifecycle.tune(family.parts(), change);
  }

  /** Returns the tables of a family. */
  public static FamilyVersions versions(Family family) {
    return family.parts().versions();
  }

  /** Returns the reader of a family. */
  public static FamilyReader reader(Family family) {
    return family.parts().reader();
  }

  /** Returns a reader of a family's present memtables; {@code visible} gives the newest number. */
  public static FamilyReader reader(Family family, LongSupplier visible) {
    FamilyParts parts = family.parts();
    return new FamilyReader(
        parts.writeState().memtables(),
        parts.versions(),
        null, // no run is in the leased version
        visible,
        parts.hooks(),
        parts.requests(),
        null); // fewer than two columns: no search is made
  }

  /** Returns the store of a family. */
  public static Store storeOf(Family family) {
    return family.store();
  }

  /** Returns the entries of a batch. */
  public static EntryBatch entries(WriteBatch batch) {
    return batch.entries();
  }

  /** Returns the memory budget of a store. */
  public static MemoryBudget memory(StoreOptions options) {
    return options.memory;
  }

  /** Returns the filters that a store gives to new tables. */
  public static FilterOptions filters(StoreOptions options) {
    return options.filters();
  }

  /** Sets the size of a manifest at which the store starts the next one. */
  public static StoreOptions.Builder manifestBytes(StoreOptions.Builder options, long bytes) {
    return options.manifestBytes(bytes);
  }

  /** Sets the bytes of indexes and filters that opening loads into memory. */
  public static StoreOptions.Builder warmBytes(StoreOptions.Builder options, long bytes) {
    return options.warmBytes(bytes);
  }

  /** Sets the layout of new tables. */
  public static StoreOptions.Builder tables(StoreOptions.Builder options, TableOptions layout) {
    return options.tables(layout);
  }

  /** Sets whether lookups and accepted writes are counted. */
  public static StoreOptions.Builder counting(StoreOptions.Builder options, boolean counts) {
    return options.counting(counts);
  }

  /** Sets the clock of a store. */
  public static StoreOptions.Builder clock(StoreOptions.Builder options, LongSupplier millis) {
    return options.clock(millis);
  }
}
