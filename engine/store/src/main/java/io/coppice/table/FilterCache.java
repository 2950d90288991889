// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.MemoryBudget;
import io.coppice.table.filter.BinaryFuseFilter;
import io.coppice.table.filter.FilterTotals;
import java.io.IOException;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedList;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Filters held in memory: all of them while the memory budget allows. If a filter finds no room,
 * those with the fewest lookups per byte are evicted. They stay in the file, and return when there
 * is room or when lookups need them more than others. A table without its filter may contain every
 * key. Safe to share between threads.
 *
 * <p>An evicted filter is detached from its table first. Its memory is freed once all readers that
 * may have found it there have ended.
 */
final class FilterCache {

  private static final System.Logger LOG = System.getLogger("io.coppice.Store");

  /** Maximum number of missing filters that one call of {@link #settle} loads. */
  private static final int MAX_BROUGHT_BACK = 16;

  /**
   * Number of tables that a call of {@link #settle} may scan on average. All tables are scanned at
   * once, in every n-th call, with n as the number of tables divided by this.
   */
  private static final int TABLES_PER_SAMPLE = 256;

  /**
   * An absent filter replaces a loaded one if its lookups per byte exceed the other's by this
   * factor.
   */
  private static final int FAR_MORE = 2;

  /** Average number of counted lookups per table after which all earlier ones count half. */
  private static final int USES_PER_ROUND = 8;

  private static final class Entry {
    final Table table;
    final int bytes;
    double earlierUses;
    long countedUses;

    /** Whether the slot in the file is unusable. */
    boolean lost;

    /** Whether eviction has just failed because readers cannot be awaited now. */
    boolean kept;

    Entry(Table table, double uses) {
      this.table = table;
      this.bytes = table.meta().filterSlot().shape().bytes();
      this.earlierUses = uses;
      this.countedUses = table.filterUses();
    }

    long newUses() {
      return table.filterUses() - countedUses;
    }

    double usesOfAByte() {
      return (earlierUses + newUses()) / bytes;
    }

    boolean isColder(Entry other) {
      int order = Double.compare(usesOfAByte(), other.usesOfAByte());
      return order < 0 || (order == 0 && table.meta().number() < other.table.meta().number());
    }
  }

  private final FilterFile store;
  private final MemoryBudget budget;

  /** Evicted filters whose memory is not freed yet, with the number of their table. */
  private final Map<BinaryFuseFilter, Long> evicting = new ConcurrentHashMap<>();

  private final AtomicLong leavingBytes = new AtomicLong();

  @GuardedBy("this")
  private final Map<Long, Entry> entries = new HashMap<>();

  /** New tables whose filters wait for the eviction of others. */
  @GuardedBy("this")
  private final Deque<Entry> waiting = new LinkedList<>();

  @GuardedBy("this")
  private OpenTables.Readers readers;

  @GuardedBy("this")
  private long loadedBytes;

  @GuardedBy("this")
  private int rests;

  @GuardedBy("this")
  private int loaded;

  @GuardedBy("this")
  private long evictions;

  /**
   * Creates an empty cache.
   *
   * @param store file with all filters
   * @param budget memory budget of the store
   */
  FilterCache(FilterFile store, MemoryBudget budget) {
    this.store = store;
    this.budget = budget;
  }

  /**
   * Allows evictions from now on.
   *
   * @param departure tells when earlier readers have ended
   */
  synchronized void evictAfter(OpenTables.Readers departure) {
    readers = departure;
  }

  /**
   * Adds a table that has a slot, and loads its filter if there is room. Otherwise the filter is
   * loaded later, by {@link #settle}.
   *
   * @param slot bytes of the slot
   */
  synchronized void add(Table table, byte[] slot) {
    Entry entry = new Entry(table, readers == null ? 0 : usualUses());
    entries.put(table.meta().number(), entry);
    if (load(entry, slot) || readers == null) {
      return;
    }
    waiting.add(entry);
    makeRoom();
    if (waiting.peek() == entry && load(entry, slot)) {
      waiting.remove();
    }
  }

  /** Removes a table that has no readers left; the caller then closes it. */
  synchronized void remove(Table table) {
    Entry entry = entries.remove(table.meta().number());
    if (entry != null) {
      waiting.remove(entry);
      evicting.forEach(
          (filter, number) -> {
            if (number == table.meta().number()) {
              give(filter);
            }
          });
      if (table.hasFilter()) {
        loaded--;
        loadedBytes -= entry.bytes;
      }
    }
  }

  /**
   * Loads missing filters as far as the budget has room: first those of new tables, then up to 16
   * with the most lookups per byte. Logs a slot that cannot be read, and leaves it out from then
   * on.
   */
  synchronized void settle() {
    if (readers == null || loaded == entries.size()) {
      return;
    }
    while (!waiting.isEmpty() && readAndLoad(waiting.peek())) {
      waiting.remove();
    }
    if (!waiting.isEmpty()) {
      makeRoom();
      return;
    }
    // A scan of all tables is expensive if there are many.
    rests++;
    if (rests * (long) TABLES_PER_SAMPLE < entries.size()) {
      return;
    }
    rests = 0;
    age();
    for (int i = 0; i < MAX_BROUGHT_BACK; i++) {
      Entry hottest = hottestAbsent();
      if (hottest == null) {
        return;
      }
      if (!readAndLoad(hottest)) {
        exchange(hottest);
        return;
      }
    }
  }

  @GuardedBy("this")
  private Entry hottestAbsent() {
    Entry hottest = null;
    for (Entry entry : entries.values()) {
      if (!entry.table.hasFilter()
          && !entry.lost
          && entry.usesOfAByte() > (hottest == null ? 0 : hottest.usesOfAByte())) {
        hottest = entry;
      }
    }
    return hottest;
  }

  @GuardedBy("this")
  private Entry coldestLoaded() {
    Entry coldest = null;
    for (Entry entry : entries.values()) {
      if (entry.table.hasFilter() && !entry.kept && (coldest == null || entry.isColder(coldest))) {
        coldest = entry;
      }
    }
    return coldest;
  }

  /** Evicts filters in favor of an absent one that lookups need far more. */
  @GuardedBy("this")
  private void exchange(Entry absent) {
    Entry coldest = coldestLoaded();
    if (coldest != null && absent.usesOfAByte() > FAR_MORE * coldest.usesOfAByte()) {
      waiting.add(absent);
      makeRoom();
    }
  }

  /**
   * Loads a filter if there is room. Returns false if it must be tried again; true if it is loaded
   * or its slot in the file is unusable.
   */
  @GuardedBy("this")
  private boolean readAndLoad(Entry entry) {
    if (!hasRoom(entry.bytes)) {
      return false;
    }
    try {
      byte[] slot = store.read(entry.table);
      entry.lost = slot == null;
      return entry.lost || load(entry, slot);
    } catch (OutOfMemoryError e) {
      return false;
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          "the filter of {0} cannot be read, so reads use none: {1}",
          entry.table,
          e);
      entry.lost = true;
      return true;
    }
  }

  @GuardedBy("this")
  private boolean load(Entry entry, byte[] slot) {
    BinaryFuseFilter filter =
        hasRoom(entry.bytes) ? store.load(entry.table.meta().filterSlot(), slot) : null;
    if (filter == null) {
      return false;
    }
    entry.table.use(filter);
    loaded++;
    loadedBytes += entry.bytes;
    return true;
  }

  private boolean hasRoom(long bytes) {
    return budget.roomBytes(MemoryBudget.Role.FILTER) >= bytes;
  }

  /** Evicts the least used filters until there is room for all filters that wait. */
  @GuardedBy("this")
  private void makeRoom() {
    long wanted = -leavingBytes.get();
    for (Entry entry : waiting) {
      wanted += entry.bytes;
    }
    if (wanted <= 0) {
      return;
    }
    age();
    entries.values().forEach(entry -> entry.kept = false);
    while (wanted > 0) {
      Entry coldest = coldestLoaded();
      if (coldest == null) {
        return;
      }
      if (evict(coldest)) {
        wanted -= coldest.bytes;
      } else {
        coldest.kept = true;
      }
    }
  }

  /**
   * Evicts a filter if possible. Returns false if its table is about to enter a version or has left
   * the last one.
   */
  @GuardedBy("this")
  private boolean evict(Entry entry) {
    TableMeta meta = entry.table.meta();
    BinaryFuseFilter filter = entry.table.takeFilter();
    leavingBytes.addAndGet(entry.bytes);
    evicting.put(filter, meta.number());
    // The task takes no lock: it may run in a thread that holds one which this thread needs.
    if (!readers.afterPresent(meta, () -> give(filter))) {
      evicting.remove(filter);
      leavingBytes.addAndGet(-entry.bytes);
      entry.table.use(filter);
      return false;
    }
    loaded--;
    loadedBytes -= entry.bytes;
    evictions++;
    return true;
  }

  private void give(BinaryFuseFilter filter) {
    if (evicting.remove(filter) != null) {
      int bytes = filter.bytes();
      filter.free();
      leavingBytes.addAndGet(-bytes);
    }
  }

  /** Returns the mean use count of all tables, which a new table starts with. */
  @GuardedBy("this")
  private double usualUses() {
    double sum = 0;
    for (Entry entry : entries.values()) {
      sum += entry.earlierUses + entry.newUses();
    }
    return entries.isEmpty() ? 0 : sum / entries.size();
  }

  /** Halves the weight of earlier lookups whenever enough new ones were counted. */
  @GuardedBy("this")
  private void age() {
    long uses = 0;
    for (Entry entry : entries.values()) {
      uses += entry.newUses();
    }
    if (uses < (long) USES_PER_ROUND * entries.size()) {
      return;
    }
    for (Entry entry : entries.values()) {
      long fresh = entry.newUses();
      entry.earlierUses = (entry.earlierUses + fresh) / 2;
      entry.countedUses += fresh;
    }
  }

  /**
   * Returns the present metrics.
   *
   * @param rebuilt filters rebuilt since the opening, a part of the result
   */
  synchronized FilterTotals figures(long rebuilt) {
    return new FilterTotals(
        loadedBytes + leavingBytes.get(), loaded, entries.size() - loaded, evictions, rebuilt);
  }

  /** Frees the evicted filters. The caller makes sure that no reader is left. */
  synchronized void close() {
    evicting.keySet().forEach(this::give);
    entries.clear();
    waiting.clear();
  }
}
