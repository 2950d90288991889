// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.MemoryBudget;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.table.block.OffHeapAllocator;
import io.coppice.table.block.OffHeapMemory;
import io.coppice.table.filter.BinaryFuseFilter;
import io.coppice.table.filter.FilterBuilder;
import io.coppice.table.filter.FilterGeometry;
import io.coppice.table.filter.FilterLayout;
import io.coppice.table.filter.FilterOptions;
import io.coppice.table.filter.FilterSlot;
import io.coppice.table.filter.FilterUnits;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;

/**
 * File with the filters of a store, one slot per table that has a filter (SifrDB, section 3.4). The
 * manifest records the slot of each table. The units of a slot are reused after its table is
 * deleted.
 *
 * <p>The file only saves work: a damaged, outdated or lost slot is rebuilt from its table. Nothing
 * is therefore synced before {@link #close}, and a slot is valid only if it names the table and the
 * digest of its keys. Safe to share between threads.
 */
public final class FilterFile implements Closeable {

  private static final System.Logger LOG = System.getLogger("io.coppice.Store");

  private final Disk.InputFile file;

  /** The same file for writing; null if it is open for reading only. */
  private final Disk.SlotFile writable;

  private final FilterOptions options;
  private final MemoryBudget budget;
  private final OffHeapAllocator allocator;
  private final int stamp;

  /** Units that slots occupy. The monitor also guards writes to the file. */
  @GuardedBy("this")
  private final FilterUnits units = new FilterUnits();

  /** Whether the file has unsynced bytes. */
  @GuardedBy("this")
  private boolean dirty;

  private FilterFile(
      Disk.InputFile file,
      Disk.SlotFile writable,
      FilterOptions options,
      MemoryBudget budget,
      OffHeapAllocator allocator,
      int stamp) {
    this.file = file;
    this.writable = writable;
    this.options = options;
    this.budget = budget;
    this.allocator = allocator;
    this.stamp = stamp;
  }

  /**
   * Opens or creates the file. The caller closes it. If its seed differs or its header is damaged,
   * the file starts over and every slot counts as damaged.
   *
   * @throws io.coppice.base.VersionException if the file has a newer format; it is untouched
   * @throws IOException if it cannot be opened or written
   */
  static FilterFile open(
      Disk disk, FilterOptions options, MemoryBudget budget, OffHeapAllocator allocator)
      throws IOException {
    byte[] preamble = FilterLayout.preamble(options);
    Disk.SlotFile file = disk.openSlots(FileKind.FILTERS.fileName(0));
    try {
      FilterFile store =
          new FilterFile(file, file, options, budget, allocator, FilterLayout.stamp(preamble));
      if (!begins(file, preamble)) {
        store.writePreamble(preamble);
      }
      return store;
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  private synchronized void writePreamble(byte[] preamble) throws IOException {
    dirty = true;
    writable.write(0, preamble, 0, preamble.length);
  }

  /**
   * Opens the existing file for reading, with the options in its header.
   *
   * @return null if the file is missing, or its header is damaged or unreadable; tables then have
   *     no filters
   * @throws io.coppice.base.VersionException if the file has a newer format
   */
  public static FilterFile openForReading(
      Disk disk, MemoryBudget budget, OffHeapAllocator allocator) throws IOException {
    Disk.InputFile file;
    try {
      file = disk.open(FileKind.FILTERS.fileName(0));
    } catch (NoSuchFileException e) {
      return null;
    }
    FilterFile store = null;
    try {
      byte[] preamble = new byte[FilterLayout.FIRST_UNIT];
      FilterOptions options = null;
      if (file.length() >= preamble.length) {
        file.read(0, preamble, 0, preamble.length);
        options = FilterLayout.options(file.name(), preamble);
      }
      if (options != null) {
        int stamp = FilterLayout.stamp(preamble);
        store = new FilterFile(file, null, options, budget, allocator, stamp);
      }
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.WARNING, file.name() + " cannot be read; reads use no filters", e);
    } finally {
      if (store == null) {
        file.close();
      }
    }
    return store;
  }

  /** Returns the file's seed and the options of new tables. */
  public FilterOptions options() {
    return options;
  }

  /** Returns whether slots can be written. */
  boolean writable() {
    return writable != null;
  }

  /**
   * Returns whether the file starts with this header. An unreadable header counts as absent,
   * because the whole content can be rebuilt. A newer format version throws instead: it must not be
   * overwritten.
   */
  private static boolean begins(Disk.SlotFile file, byte[] preamble) throws IOException {
    if (file.length() < preamble.length) {
      return false;
    }
    byte[] found = new byte[preamble.length];
    try {
      file.read(0, found, 0, found.length);
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          file.name() + " has an unreadable header; the file and its filters are rebuilt",
          e);
      return false;
    }
    FilterLayout.options(file.name(), found);
    return Arrays.equals(found, preamble);
  }

  /**
   * Allocates units for the filter of a table, which {@link #free} returns.
   *
   * @param keys number of distinct user keys
   * @param bits fingerprint bits; 0 for no filter
   * @return {@link FilterSlot#NONE} if there are no bits, no keys, or too many keys
   */
  FilterSlot allocate(int keys, int bits) {
    if (bits == 0 || keys == 0 || keys > FilterGeometry.MAX_KEYS) {
      return FilterSlot.NONE;
    }
    int count = FilterLayout.units(FilterGeometry.of(keys, bits));
    synchronized (this) {
      return new FilterSlot(units.allocate(count), bits, keys);
    }
  }

  /** Marks the slot of an existing table as used. */
  synchronized void claim(FilterSlot slot) {
    if (slot.exists()) {
      units.claim(slot.unit(), FilterLayout.units(slot.shape()));
    }
  }

  /** Frees a slot for reuse. */
  synchronized void free(FilterSlot slot) {
    if (slot.exists()) {
      units.free(slot.unit(), FilterLayout.units(slot.shape()));
    }
  }

  /**
   * Reads the slot of a table that has a filter. Returns null if the slot is damaged or belongs to
   * another table; it must then be rebuilt.
   *
   * @throws IOException if the file cannot be read
   */
  byte[] read(Table table) throws IOException {
    FilterSlot slot = table.meta().filterSlot();
    if (slot.keys() != table.keys()) {
      return null;
    }
    long offset = FilterLayout.offset(slot.unit());
    int length = FilterLayout.slotBytes(slot.shape());
    if (file.length() < offset + length) {
      return null;
    }
    byte[] bytes = new byte[length];
    try {
      file.read(offset, bytes, 0, length);
    } catch (EOFException e) {
      return null;
    }
    boolean sound =
        FilterLayout.isSlot(bytes, slot, stamp, table.meta().number(), table.keyDigest());
    return sound ? bytes : null;
  }

  /**
   * Builds the slot of a table from the hashes of its keys and writes it, without a sync. Returns
   * its bytes; null, and writes nothing, if the keys were crafted so that their hashes collide.
   *
   * @param table the table's file number
   * @param keyDigest digest of the table's keys, which ties the slot to them
   * @param hashes each key's hash, from index 0 for as many as the slot has keys
   * @throws IOException if the write fails; the slot then counts as damaged
   */
  byte[] write(FilterSlot slot, long table, long keyDigest, long[] hashes, FilterBuilder builder)
      throws IOException {
    FilterGeometry shape = slot.shape();
    byte[] bytes = new byte[FilterLayout.slotBytes(shape)];
    if (!builder.build(hashes, shape, options.seed(), bytes, FilterLayout.SLOT_HEADER_BYTES)) {
      return null;
    }
    FilterLayout.sealSlot(bytes, slot, stamp, table, keyDigest, builder.seed());
    synchronized (this) {
      dirty = true;
      writable.write(FilterLayout.offset(slot.unit()), bytes, 0, bytes.length);
    }
    return bytes;
  }

  /**
   * Loads a slot into memory; returns null if the memory budget is exhausted, and the table then
   * has no filter.
   */
  BinaryFuseFilter load(FilterSlot slot, byte[] bytes) {
    FilterGeometry shape = slot.shape();
    OffHeapMemory memory =
        OffHeapMemory.allocate(allocator, budget, MemoryBudget.Role.FILTER, shape.bytes(), 1);
    if (memory == null) {
      return null;
    }
    memory.bytes().put(0, bytes, FilterLayout.SLOT_HEADER_BYTES, shape.bytes());
    return new BinaryFuseFilter(memory, shape, FilterLayout.seed(bytes));
  }

  /**
   * Syncs the file, which saves rebuilding filters at the next opening, and closes it. A failure is
   * logged only. Called once.
   */
  @Override
  public synchronized void close() {
    try (file) {
      if (dirty) {
        writable.sync();
        dirty = false;
      }
    } catch (IOException e) {
      LOG.log(
          System.Logger.Level.WARNING,
          file.name() + " was not synced; the next opening rebuilds filters that are missing",
          e);
    }
  }
}
