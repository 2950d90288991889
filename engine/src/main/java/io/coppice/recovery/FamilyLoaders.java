// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.CorruptionException;
import io.coppice.base.Limits;
import io.coppice.entry.EntryBatchReader;
import io.coppice.manifest.Catalogue;
import io.coppice.memtable.ChunkPool;
import io.coppice.memtable.Demand;
import io.coppice.memtable.Loader;
import io.coppice.memtable.Memtable;
import io.coppice.wal.WalReader;
import java.util.HashMap;
import java.util.Map;

/**
 * The memtables into which logs are replayed: one for each living family that has entries there.
 * Nobody reads them before {@link #link}. Not safe to share between threads.
 */
final class FamilyLoaders {

  private final Catalogue catalogue;
  private final ChunkPool pool;
  private final Demand demand = new Demand();
  private final Map<Integer, Loader> loaders = new HashMap<>();
  private long usedBytes;

  /** The family of the entry seen last, as those of many entries in a row are one; -1 if none. */
  private int family = -1;

  private boolean living;

  /** That family's; null if it has none yet. */
  private Loader loader;

  FamilyLoaders(Catalogue catalogue, ChunkPool pool) {
    this.catalogue = catalogue;
    this.pool = pool;
  }

  /**
   * True if the family of the group's present entry lives, false if it was dropped.
   *
   * @throws CorruptionException if there never was such a family
   */
  boolean wants(WalReader group) {
    int next = group.entries().family();
    if (next != family) {
      group.checkFamily(catalogue.marks().nextFamily());
      family = next;
      living = catalogue.family(next) != null;
      loader = loaders.get(next);
    }
    return living;
  }

  /** Bytes that the entry takes, at most. */
  long bytesOf(EntryBatchReader entry) {
    demand.clear();
    demand.add(entry.keyLength(), entry.valueLength());
    return demand.bytes();
  }

  /**
   * Adds the entry that is {@linkplain #wants wanted}.
   *
   * @return false if no memory could be had; the entry is not there then
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

  /** True if the family of that entry has as many range deletions as a memtable may. */
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

  /** Bytes of entries in all memtables. */
  long usedBytes() {
    return usedBytes;
  }

  /** All memtables by family, with all that was added; they stay here. */
  Map<Integer, Memtable> link() {
    Map<Integer, Memtable> memtables = new HashMap<>();
    loaders.forEach(
        (number, each) -> {
          each.finish();
          memtables.put(number, each.memtable());
        });
    return memtables;
  }

  /** As {@link #link}, but their references are the caller's then and there are none here. */
  Map<Integer, Memtable> take() {
    Map<Integer, Memtable> memtables = link();
    forget();
    return memtables;
  }

  /** Gives the memtables up. */
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
