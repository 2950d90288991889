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
 * Memtables for the replay of logs: one per living family with entries there. They have no readers
 * before {@link #link}. Not safe to share between threads.
 */
final class FamilyLoaders {

  private final ManifestState state;
  private final ChunkPool pool;
  private final MemoryDemand demand = new MemoryDemand();
  private final Map<Integer, MemtableLoader> loaders = new HashMap<>();
  private long usedBytes;

  /** Family of the last entry, cached because many entries in a row have the same; -1 if none. */
  private int family = -1;

  private boolean living;

  /** Loader of that family; null if it has none yet. */
  private MemtableLoader loader;

  FamilyLoaders(ManifestState state, ChunkPool pool) {
    this.state = state;
    this.pool = pool;
  }

  /**
   * Returns whether the family of the group's current entry lives; false if it was dropped.
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

  /** Returns an upper bound of the entry's memory. */
  long bytesOf(EntryBatchReader entry) {
    demand.clear();
    demand.add(entry.keyLength(), entry.valueLength());
    return demand.bytes();
  }

  /**
   * Adds the entry that {@link #wants} accepted.
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

  /** Returns whether the memtable of that entry's family has the most range deletions allowed. */
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

  /** Completes all memtables and returns them by family; this object keeps their references. */
  Map<Integer, Memtable> link() {
    Map<Integer, Memtable> memtables = new HashMap<>();
    loaders.forEach(
        (number, each) -> {
          each.finish();
          memtables.put(number, each.memtable());
        });
    return memtables;
  }

  /** Completes all memtables and passes them, with their references, to the caller. */
  Map<Integer, Memtable> take() {
    Map<Integer, Memtable> memtables = link();
    forget();
    return memtables;
  }

  /** Releases all memtables here. */
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
