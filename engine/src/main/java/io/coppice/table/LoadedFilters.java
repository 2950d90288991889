// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.MemoryBudget;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Which tables have their filter in memory. All have while the ledger lets them. When it refuses
 * one, those go for which lookups ask least for each byte of memory; they stay in the file, and
 * come back when there is room, or when lookups ask for them more than for others that are here. A
 * table without its filter may contain every key. Safe to share between threads.
 *
 * <p>A filter that goes is taken from its table first. Its memory is given back when all have ended
 * who may have found it there.
 */
final class LoadedFilters {

  private static final System.Logger LOG = System.getLogger("io.coppice.Store");

  /** Filters brought back at once; the next may follow soon. */
  private static final int MOST_BROUGHT_BACK = 16;

  /** One look through all tables is spread over so many fewer calls. */
  private static final int TABLES_A_LOOK = 256;

  /** By how much more an absent filter is asked for than the one for which it is exchanged. */
  private static final int FAR_MORE = 2;

  /** Counts of uses for each table after which older ones count half. */
  private static final int USES_OF_A_ROUND = 8;

  private static final class Entry {
    final Table table;
    final int bytes;
    double earlierUses;
    long countedUses;

    /** True if its slot in the file is of no use. */
    boolean lost;

    /** True if its filter cannot go now. */
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

  private final FilterStore store;
  private final MemoryBudget budget;

  /** Those that were evicted, until their memory is given back, and whose tables' they were. */
  private final Map<Filter, Long> leaving = new ConcurrentHashMap<>();

  private final AtomicLong leavingBytes = new AtomicLong();

  // All below: guarded by this.
  private final Map<Long, Entry> entries = new HashMap<>();

  /** New tables for whose filters others have to go. */
  private final Deque<Entry> waiting = new ArrayDeque<>();

  private OpenTables.Readers readers;
  private long loadedBytes;
  private int rests;
  private int loaded;
  private long evictions;

  /**
   * Starts with none.
   *
   * @param budget the ledger of the store's memory
   */
  LoadedFilters(FilterStore store, MemoryBudget budget) {
    this.store = store;
    this.budget = budget;
  }

  /** From now on filters may go. */
  synchronized void evictAfter(OpenTables.Readers departure) {
    readers = departure;
  }

  /**
   * Takes in a table that has a slot.
   *
   * @param slot the bytes of it
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

  /** Forgets a table that nobody reads any more, and which is then closed. */
  synchronized void remove(Table table) {
    Entry entry = entries.remove(table.meta().number());
    if (entry != null) {
      waiting.remove(entry);
      leaving.forEach(
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

  /** Brings filters into memory for which there is room by now. */
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
    // Looking through all tables is dear where there are many.
    rests++;
    if (rests * (long) TABLES_A_LOOK < entries.size()) {
      return;
    }
    rests = 0;
    age();
    for (int i = 0; i < MOST_BROUGHT_BACK; i++) {
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

  private Entry coldestLoaded() {
    Entry coldest = null;
    for (Entry entry : entries.values()) {
      if (entry.table.hasFilter() && !entry.kept && (coldest == null || entry.isColder(coldest))) {
        coldest = entry;
      }
    }
    return coldest;
  }

  /** Lets filters go for another that is asked for far more. */
  private void exchange(Entry absent) {
    Entry coldest = coldestLoaded();
    if (coldest != null && absent.usesOfAByte() > FAR_MORE * coldest.usesOfAByte()) {
      waiting.add(absent);
      makeRoom();
    }
  }

  /** True if the filter is there then, or never will be. */
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
      LOG.log(System.Logger.Level.WARNING, "the filter of {0} cannot be read: {1}", entry.table, e);
      entry.lost = true;
      return true;
    }
  }

  private boolean load(Entry entry, byte[] slot) {
    Filter filter = hasRoom(entry.bytes) ? store.load(entry.table.meta().filterSlot(), slot) : null;
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

  /** Lets go the filters that are used least, as many bytes as wait for room. */
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

  /** False if it cannot go now: its table is about to enter a version or has left the last one. */
  private boolean evict(Entry entry) {
    TableMeta meta = entry.table.meta();
    Filter filter = entry.table.takeFilter();
    leavingBytes.addAndGet(entry.bytes);
    leaving.put(filter, meta.number());
    // The task takes no lock: it may run in a thread that holds one which this thread needs.
    if (!readers.afterPresent(meta, () -> give(filter))) {
      leaving.remove(filter);
      leavingBytes.addAndGet(-entry.bytes);
      entry.table.use(filter);
      return false;
    }
    loaded--;
    loadedBytes -= entry.bytes;
    evictions++;
    return true;
  }

  private void give(Filter filter) {
    if (leaving.remove(filter) != null) {
      int bytes = filter.bytes();
      filter.free();
      leavingBytes.addAndGet(-bytes);
    }
  }

  /** What a new table may be taken to be worth. */
  private double usualUses() {
    double sum = 0;
    for (Entry entry : entries.values()) {
      sum += entry.earlierUses + entry.newUses();
    }
    return entries.isEmpty() ? 0 : sum / entries.size();
  }

  /** After a round of uses older ones count half. */
  private void age() {
    long uses = 0;
    for (Entry entry : entries.values()) {
      uses += entry.newUses();
    }
    if (uses < (long) USES_OF_A_ROUND * entries.size()) {
      return;
    }
    for (Entry entry : entries.values()) {
      long fresh = entry.newUses();
      entry.earlierUses = (entry.earlierUses + fresh) / 2;
      entry.countedUses += fresh;
    }
  }

  /** How it stands. */
  synchronized FilterFigures figures(long rebuilt) {
    return new FilterFigures(
        loadedBytes + leavingBytes.get(), loaded, entries.size() - loaded, evictions, rebuilt);
  }

  /** Gives back what waits for readers; there are none any more. */
  synchronized void close() {
    leaving.keySet().forEach(this::give);
    entries.clear();
    waiting.clear();
  }
}
