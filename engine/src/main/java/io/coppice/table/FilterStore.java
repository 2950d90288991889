// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.CorruptionException;
import io.coppice.base.MemoryBudget;
import io.coppice.io.Disk;
import io.coppice.io.Envelope;
import io.coppice.io.FileKind;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.BitSet;

/**
 * The filters of all tables of a store, in memory and in one file of slots (SifrDB, section 3.4).
 * Which slot is whose stands in the manifest; a slot is reused once its table is retired.
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
  private final UnpooledByteBufAllocator allocator;
  private final int stamp;

  /** Guarded by this, as are writes to the file. */
  private final BitSet used = new BitSet();

  /** Guarded by this; true if the file has bytes that are not synced. */
  private boolean dirty;

  private FilterStore(
      Disk.InputFile file,
      Disk.SlotFile writable,
      FilterOptions options,
      MemoryBudget budget,
      UnpooledByteBufAllocator allocator,
      int stamp) {
    this.file = file;
    this.writable = writable;
    this.options = options;
    this.budget = budget;
    this.allocator = allocator;
    this.stamp = stamp;
  }

  /**
   * Opens or creates the file. If it was laid out for other options, or its header is damaged, it
   * starts over, and every slot counts as damaged.
   *
   * @throws io.coppice.base.VersionException if it is of a newer format
   */
  static FilterStore open(
      Disk disk, FilterOptions options, MemoryBudget budget, UnpooledByteBufAllocator allocator)
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
   * @return null if it is missing or its header is damaged: tables do without filters then
   * @throws io.coppice.base.VersionException if it is of a newer format
   */
  static FilterStore openForReading(
      Disk disk, MemoryBudget budget, UnpooledByteBufAllocator allocator) throws IOException {
    Disk.InputFile file;
    try {
      file = disk.open(FileKind.FILTERS.fileName(0));
    } catch (NoSuchFileException e) {
      return null;
    }
    FilterStore store = null;
    try {
      byte[] preamble = new byte[FilterLayout.FIRST_SLOT];
      FilterOptions options = null;
      if (file.length() >= preamble.length) {
        file.read(0, preamble, 0, preamble.length);
        options = FilterLayout.options(file.name(), preamble);
      }
      if (options != null) {
        int stamp = FilterLayout.stamp(preamble);
        store = new FilterStore(file, null, options, budget, allocator, stamp);
      }
      return store;
    } finally {
      if (store == null) {
        file.close();
      }
    }
  }

  /** For which filters the file is laid out. */
  FilterOptions options() {
    return options;
  }

  /** False if slots can only be read. */
  boolean writable() {
    return writable != null;
  }

  private static boolean begins(Disk.SlotFile file, byte[] preamble) throws IOException {
    if (file.length() < preamble.length) {
      return false;
    }
    byte[] found = new byte[preamble.length];
    file.read(0, found, 0, found.length);
    try {
      Envelope.decode(file.name(), found, FileKind.FILTERS, 0);
    } catch (CorruptionException e) {
      return false;
    }
    return Arrays.equals(found, preamble);
  }

  /** Takes the lowest free slot. */
  synchronized int allocate() {
    int slot = used.nextClearBit(0);
    used.set(slot);
    return slot;
  }

  /** Marks a slot as taken by a table that exists. */
  synchronized void claim(int slot) {
    used.set(slot);
  }

  /** Gives a slot back. */
  synchronized void free(int slot) {
    used.clear(slot);
  }

  /**
   * Reads the filter of a table. Null if the slot is not that table's or is damaged: it must be
   * written anew.
   */
  byte[] read(int slot, Table table) throws IOException {
    byte[] bytes = new byte[FilterLayout.slotBytes(options)];
    long offset = FilterLayout.slotOffset(options, slot);
    if (file.length() < offset + bytes.length) {
      return null;
    }
    try {
      file.read(offset, bytes, 0, bytes.length);
    } catch (EOFException e) {
      return null;
    }
    boolean sound =
        FilterLayout.isSlot(
            bytes, offset, stamp, table.meta().number(), table.keyDigest(), table.keys());
    return sound ? bytes : null;
  }

  /** Makes the slot of a table from the hashes of its keys and writes it. */
  byte[] write(int slot, long table, long keyDigest, long[] hashes, int keys) throws IOException {
    byte[] bytes = new byte[FilterLayout.slotBytes(options)];
    ByteBuffer bits = ByteBuffer.wrap(bytes);
    for (int i = 0; i < keys; i++) {
      Filter.add(bits, FilterLayout.SLOT_HEADER_BYTES, options, hashes[i]);
    }
    long offset = FilterLayout.slotOffset(options, slot);
    FilterLayout.sealSlot(bytes, offset, stamp, table, keyDigest, keys);
    synchronized (this) {
      dirty = true;
      writable.write(offset, bytes, 0, bytes.length);
    }
    return bytes;
  }

  /** Brings a slot's bits into memory; null if the ledger has no room, then there is no filter. */
  Filter load(byte[] slot) {
    OffHeap memory =
        OffHeap.allocate(
            allocator, budget, MemoryBudget.Role.FILTER, options.filterBytes(), Filter.LINE_BYTES);
    if (memory == null) {
      return null;
    }
    memory.bytes().put(0, slot, FilterLayout.SLOT_HEADER_BYTES, options.filterBytes());
    return new Filter(memory, options);
  }

  /** Syncs, so that the next opening need not make filters anew, and closes the file. */
  @Override
  public synchronized void close() throws IOException {
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
