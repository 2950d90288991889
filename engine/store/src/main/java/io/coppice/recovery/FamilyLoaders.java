// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.CorruptionException;
import io.coppice.base.Limits;
import io.coppice.entry.EntryBatchReader;
import io.coppice.memtable.ChunkPool;
import io.coppice.memtable.MemoryDemand;
import io.coppice.memtable.Memtable;
import io.coppice.memtable.MemtableLoader;
import io.coppice.version.ManifestState;
import io.coppice.wal.WalReader;
import java.util.HashMap;
import java.util.Map;

/**
 * Memtables that receive the entries of replayed logs: one for each living family with entries.
 * They have no readers before {@link #link}. Not safe to share between threads.
 */
final class FamilyLoaders {

  private final ManifestState state;
  private final ChunkPool pool;
  private final MemoryDemand demand = new MemoryDemand();
  private final Map<Integer, MemtableLoader> loaders = new HashMap<>();
  private long usedBytes;

  /**
   * Family number of the last entry, cached because many entries in a row have the same; -1 if
   * none.
   */
  private int family = -1;

  private boolean living;

  /** Loader of the family {@link #family}; null if it has none yet. */
  private MemtableLoader loader;

  FamilyLoaders(ManifestState state, ChunkPool pool) {
    this.state = state;
    this.pool = pool;
  }

  /**
   * Returns whether the current entry of a group must be loaded; false if its family was dropped.
   *
   * @throws CorruptionException if there never was such a family
   */
  boolean wants(WalReader group) {
    int next = group.entries().family();
    if (next != family) {
      group.checkFamily(state.marks().nextFamily());
      family = next;
      living = state.family(next) != null;
      loader = loaders.get(next);
    }
    return living;
  }

  /** Returns an upper bound of the memory that an entry takes, in bytes. */
  long bytesOf(EntryBatchReader entry) {
    demand.clear();
    demand.add(entry.keyLength(), entry.valueLength());
    return demand.bytes();
  }

  /**
   * Adds an entry that {@link #wants} accepted.
   *
   * @return false if memory is exhausted; the entry is then not added
   */
  boolean add(long sequence, EntryBatchReader entry) {
    assert living && entry.family() == family : "not asked whether family " + family + " lives";
    if (loader == null && !create()) {
      return false;
    }
    long before = loader.memtable().usedBytes();
    boolean added =
        loader.add(
            sequence,
            entry.kind(),
            entry.array(),
            entry.keyFrom(),
            entry.keyLength(),
            entry.array(),
            entry.valueFrom(),
            entry.valueLength());
    usedBytes += loader.memtable().usedBytes() - before;
    return added;
  }

  /**
   * Returns whether the memtable of the last entry's family has the maximum number of range
   * deletions.
   */
  boolean hasTooManyRanges() {
    return loader != null && loader.memtable().rangeDeletions() >= Limits.MAX_MEMTABLE_RANGES;
  }

  private boolean create() {
    Memtable memtable = Memtable.tryCreate(pool);
    if (memtable == null) {
      return false;
    }
    loader = memtable.loader();
    loaders.put(family, loader);
    return true;
  }

  /** Returns the bytes of entries in all memtables. */
  long usedBytes() {
    return usedBytes;
  }

  /**
   * Links the entries of all memtables, so that searches find them, and returns the memtables by
   * family number. This object keeps their references. No entry may be added afterwards before
   * {@link #release}.
   */
  Map<Integer, Memtable> link() {
    Map<Integer, Memtable> memtables = new HashMap<>();
    loaders.forEach(
        (number, each) -> {
          each.finish();
          memtables.put(number, each.memtable());
        });
    return memtables;
  }

  /**
   * Links the entries of all memtables and passes the memtables, by family number and with their
   * references, to the caller.
   */
  Map<Integer, Memtable> take() {
    Map<Integer, Memtable> memtables = link();
    forget();
    return memtables;
  }

  /** Releases all memtables that {@link #take} has not passed on. */
  void release() {
    loaders.values().forEach(each -> each.memtable().release());
    forget();
  }

  private void forget() {
    loaders.clear();
    loader = null;
    usedBytes = 0;
  }
}
