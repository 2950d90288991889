// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.MemoryBudget;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;

/**
 * The filters of all tables of a store, in memory and in one file of slots (SifrDB, section 3.4).
 * Which slot is whose stands in the manifest; its units are reused once its table is retired.
 *
 * <p>The file only saves work: a slot that is damaged, outdated or lost is made anew from its
 * table. So nothing here is synced before {@link #close}, and a slot counts only if it names the
 * table and the digest of its keys. Safe to share between threads.
 */
final class FilterStore implements Closeable {

  private static final System.Logger LOG = System.getLogger("io.coppice.Store");

  private final Disk.InputFile file;

  /** The same file; null if it is open for reading. */
  private final Disk.SlotFile writable;

  private final FilterOptions options;
  private final MemoryBudget budget;
  private final DirectMemory allocator;
  private final int stamp;

  /** Guarded by this, as are writes to the file. */
  private final FilterUnits units = new FilterUnits();

  /** Guarded by this; true if the file has bytes that are not synced. */
  private boolean dirty;

  private FilterStore(
      Disk.InputFile file,
      Disk.SlotFile writable,
      FilterOptions options,
      MemoryBudget budget,
      DirectMemory allocator,
      int stamp) {
    this.file = file;
    this.writable = writable;
    this.options = options;
    this.budget = budget;
    this.allocator = allocator;
    this.stamp = stamp;
  }

  /**
   * Opens or creates the file. If it has another seed, or its header is damaged, it starts over,
   * and every slot counts as damaged.
   *
   * @throws io.coppice.base.VersionException if it is of a newer format
   */
  static FilterStore open(
      Disk disk, FilterOptions options, MemoryBudget budget, DirectMemory allocator)
      throws IOException {
    byte[] preamble = FilterLayout.preamble(options);
    Disk.SlotFile file = disk.openSlots(FileKind.FILTERS.fileName(0));
    try {
      FilterStore store =
          new FilterStore(file, file, options, budget, allocator, FilterLayout.stamp(preamble));
      if (!begins(file, preamble)) {
        file.write(0, preamble, 0, preamble.length);
        store.dirty = true;
      }
      return store;
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  /**
   * Opens the file as it is laid out, to read it.
   *
   * @return null if it is missing, or its header is damaged or cannot be read: tables do without
   *     filters then
   * @throws io.coppice.base.VersionException if it is of a newer format
   */
  static FilterStore openForReading(Disk disk, MemoryBudget budget, DirectMemory allocator)
      throws IOException {
    Disk.InputFile file;
    try {
      file = disk.open(FileKind.FILTERS.fileName(0));
    } catch (NoSuchFileException e) {
      return null;
    }
    FilterStore store = null;
    try {
      byte[] preamble = new byte[FilterLayout.FIRST_UNIT];
      FilterOptions options = null;
      if (file.length() >= preamble.length) {
        file.read(0, preamble, 0, preamble.length);
        options = FilterLayout.options(file.name(), preamble);
      }
      if (options != null) {
        int stamp = FilterLayout.stamp(preamble);
        store = new FilterStore(file, null, options, budget, allocator, stamp);
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "the filters are done without", e);
    } finally {
      if (store == null) {
        file.close();
      }
    }
    return store;
  }

  /** The seed of the file, and what new tables get. */
  FilterOptions options() {
    return options;
  }

  /** False if slots can only be read. */
  boolean writable() {
    return writable != null;
  }

  /**
   * True if the file begins so. A version that is too new is no reason to start over; a header that
   * cannot be read is as good as none, since all that the file holds can be made anew.
   */
  private static boolean begins(Disk.SlotFile file, byte[] preamble) throws IOException {
    if (file.length() < preamble.length) {
      return false;
    }
    byte[] found = new byte[preamble.length];
    try {
      file.read(0, found, 0, found.length);
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "the header of the filters is written anew", e);
      return false;
    }
    FilterLayout.options(file.name(), found);
    return Arrays.equals(found, preamble);
  }

  /**
   * Takes units for the filter of a table.
   *
   * @param bits of a fingerprint; 0 for no filter
   * @return none if there is to be no filter, or there are no keys
   */
  FilterSlot allocate(int keys, int bits) {
    if (bits == 0 || keys == 0 || keys > FilterShape.MAX_KEYS) {
      return FilterSlot.NONE;
    }
    int count = FilterLayout.units(FilterShape.of(keys, bits));
    synchronized (this) {
      return new FilterSlot(units.allocate(count), bits, keys);
    }
  }

  /** Marks a slot as taken by a table that exists. */
  synchronized void claim(FilterSlot slot) {
    if (slot.exists()) {
      units.claim(slot.unit(), FilterLayout.units(slot.shape()));
    }
  }

  /** Gives a slot back. */
  synchronized void free(FilterSlot slot) {
    if (slot.exists()) {
      units.free(slot.unit(), FilterLayout.units(slot.shape()));
    }
  }

  /**
   * Reads the filter of a table that has one. Null if the slot is not that table's or is damaged:
   * it must be written anew.
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
   * Makes the slot of a table from the hashes of its keys and writes it; null if that is not
   * possible.
   */
  byte[] write(FilterSlot slot, long table, long keyDigest, long[] hashes, FilterBuilder builder)
      throws IOException {
    FilterShape shape = slot.shape();
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

  /** Brings a slot into memory; null if the ledger has no room, then there is no filter. */
  Filter load(FilterSlot slot, byte[] bytes) {
    FilterShape shape = slot.shape();
    OffHeap memory =
        OffHeap.allocate(allocator, budget, MemoryBudget.Role.FILTER, shape.bytes(), 1);
    if (memory == null) {
      return null;
    }
    memory.bytes().put(0, bytes, FilterLayout.SLOT_HEADER_BYTES, shape.bytes());
    return new Filter(memory, shape, FilterLayout.seed(bytes));
  }

  /** Syncs, so that the next opening need not make filters anew, and closes the file. */
  @Override
  public synchronized void close() {
    try (file) {
      if (dirty) {
        writable.sync();
        dirty = false;
      }
    } catch (IOException e) {
      LOG.log(System.Logger.Level.WARNING, "some filters will be made anew", e);
    }
  }
}
