// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.base.ClosedException;
import io.coppice.base.Limits;
import io.coppice.entry.EntryBatch;
import io.coppice.entry.EntryBatchReader;
import io.coppice.memtable.ChunkPool;
import io.coppice.memtable.Memtable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The memtables that take writes together with one log: one for each family that was written to
 * since the last seal, so that an idle family takes no memory. They are sealed together. Guarded by
 * the leader of the write queue.
 */
final class ActiveMemtables {

  /** A sealed memtable; its reference is the holder's. */
  record Sealed(WrittenFamily family, Memtable memtable) {}

  private final ChunkPool pool;
  private final Map<Integer, WrittenFamily> families = new HashMap<>();

  /** Those with an active memtable. */
  private final ArrayList<WrittenFamily> active = new ArrayList<>();

  /** Those for which the group being committed has entries. */
  private final List<WrittenFamily> wanted = new ArrayList<>();

  private final EntryBatchReader reader = new EntryBatchReader();

  /** The one asked for last, as entries of one family mostly follow each other. */
  private WrittenFamily last;

  ActiveMemtables(ChunkPool pool) {
    this.pool = pool;
  }

  void add(WrittenFamily family) {
    families.put(family.number(), family);
  }

  /** Forgets a family with all that was written to it and is not sealed. */
  void remove(WrittenFamily family) {
    families.remove(family.number());
    active.remove(family);
    wanted.remove(family);
    last = null;
  }

  private WrittenFamily family(int number) {
    if (last == null || last.number() != number) {
      last = families.get(number);
    }
    return last;
  }

  /**
   * Counts the memory that a batch will take.
   *
   * @throws ClosedException if a family of it was dropped; what was counted before stays
   */
  void want(EntryBatch batch) {
    batch.read(reader);
    while (reader.next()) {
      WrittenFamily family = family(reader.family());
      if (family == null) {
        throw new ClosedException("a family of the batch, which was dropped,");
      }
      if (!family.wanted) {
        wanted.add(family);
        family.wanted = true;
      }
      family.demand.add(reader.keyLength(), reader.valueLength());
    }
  }

  /** True if all families of the batch live. */
  boolean has(EntryBatch batch) {
    batch.read(reader);
    while (reader.next()) {
      if (family(reader.family()) == null) {
        return false;
      }
    }
    return true;
  }

  /** Bytes that the batches counted will take, at most. */
  long wantedBytes() {
    long bytes = 0;
    for (WrittenFamily family : wanted) {
      bytes += family.demand.bytes();
    }
    return bytes;
  }

  /** The families of the batches counted. */
  List<WrittenFamily> wanted() {
    return wanted;
  }

  /** Forgets the batches counted. */
  void clearWanted() {
    // By index: this needs no heap.
    for (int i = 0; i < wanted.size(); i++) {
      WrittenFamily family = wanted.get(i);
      family.tellWritten();
      family.demand.clear();
      family.wanted = false;
    }
    wanted.clear();
  }

  /** Takes the memory that the batches counted may need; false if not all could be had. */
  boolean ensure() {
    for (WrittenFamily family : wanted) {
      Memtable memtable = family.memtables().active();
      if (memtable == null) {
        memtable = Memtable.tryCreate(pool);
        if (memtable == null) {
          return false;
        }
        // First, since a memtable that takes writes but is not listed would never be sealed.
        active.ensureCapacity(active.size() + 1);
        family.memtables().activate(memtable);
        active.add(family);
      }
      if (!memtable.ensure(family.demand)) {
        return false;
      }
    }
    return true;
  }

  /** Adds a batch that was counted; the memory was ensured. Returns the last sequence number. */
  long insert(EntryBatch batch, long lastSequence) {
    long sequence = lastSequence;
    batch.read(reader);
    while (reader.next()) {
      WrittenFamily family = family(reader.family());
      boolean added =
          family
              .memtables()
              .active()
              .add(
                  ++sequence,
                  reader.kind(),
                  reader.array(),
                  reader.keyFrom(),
                  reader.keyLength(),
                  reader.array(),
                  reader.valueFrom(),
                  reader.valueLength());
      if (!added) {
        throw new IllegalStateException("no memory");
      }
      family.wrote(reader.keyLength() + reader.valueLength());
    }
    return sequence;
  }

  /** Bytes of entries in all of them. */
  long usedBytes() {
    long bytes = 0;
    for (WrittenFamily family : active) {
      bytes += family.memtables().active().usedBytes();
    }
    return bytes;
  }

  /** True if one of them has as many range deletions as it may. */
  boolean hasTooManyRanges() {
    for (WrittenFamily family : active) {
      if (family.memtables().active().rangeDeletions() >= Limits.MAX_MEMTABLE_RANGES) {
        return true;
      }
    }
    return false;
  }

  /** Gives up all of them, which have no entry, and the memory that they took for a batch. */
  void giveUp() {
    for (Sealed one : seal()) {
      one.family().memtables().dropOldest(one.memtable());
      one.memtable().release();
    }
    pool.trim();
  }

  boolean isEmpty() {
    for (WrittenFamily family : active) {
      if (family.memtables().active().entries() > 0) {
        return false;
      }
    }
    return true;
  }

  /** Seals all of them. */
  List<Sealed> seal() {
    List<Sealed> sealed = new ArrayList<>();
    for (WrittenFamily family : active) {
      sealed.add(new Sealed(family, family.memtables().seal()));
    }
    active.clear();
    return sealed;
  }
}
