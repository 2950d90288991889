// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write.family;

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
 * Active memtables of one log: one for each family written to since the last seal, so that an idle
 * family takes no memory. They are sealed together. Used by one thread at a time, the leader of the
 * write queue.
 */
public final class ActiveMemtables {

  /** Sealed memtable; the record owns one reference to it. */
  public record SealedMemtable(FamilyWriteState family, Memtable memtable) {}

  private final ChunkPool pool;
  private final Map<Integer, FamilyWriteState> families = new HashMap<>();

  /** Families with an active memtable. */
  private final ArrayList<FamilyWriteState> active = new ArrayList<>();

  /** Families with entries in the write group being committed. */
  private final List<FamilyWriteState> wanted = new ArrayList<>();

  private final EntryBatchReader reader = new EntryBatchReader();

  /**
   * Family that {@code family(number)} returned last, because consecutive entries mostly have the
   * same family.
   */
  private FamilyWriteState last;

  public ActiveMemtables(ChunkPool pool) {
    this.pool = pool;
  }

  public void add(FamilyWriteState family) {
    families.put(family.number(), family);
  }

  /** Forgets a family, with its entries that are not sealed. */
  public void remove(FamilyWriteState family) {
    families.remove(family.number());
    active.remove(family);
    wanted.remove(family);
    last = null;
  }

  private FamilyWriteState family(int number) {
    if (last == null || last.number() != number) {
      last = families.get(number);
    }
    return last;
  }

  /**
   * Adds the memory that a batch will take to the memory demand of the write group.
   *
   * @throws ClosedException if one of its families was dropped; the demand of its earlier entries
   *     stays counted
   */
  public void addDemand(EntryBatch batch) {
    batch.read(reader);
    while (reader.next()) {
      FamilyWriteState family = family(reader.family());
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

  /**
   * Returns an upper bound of the memory, in bytes, that the batches given to {@link #addDemand}
   * will take.
   */
  public long wantedBytes() {
    long bytes = 0;
    for (FamilyWriteState family : wanted) {
      bytes += family.demand.bytes();
    }
    return bytes;
  }

  /**
   * Returns the families of the batches given to {@link #addDemand} since {@link #endGroup}, in
   * order of their first entry. The list is live and stays owned by this object.
   */
  public List<FamilyWriteState> wanted() {
    return wanted;
  }

  /**
   * Ends the group: clears its memory demand, and adds its entries and bytes to the family
   * counters.
   */
  public void endGroup() {
    // Loops by index, which needs no heap.
    for (int i = 0; i < wanted.size(); i++) {
      FamilyWriteState family = wanted.get(i);
      family.publishCounts();
      family.demand.clear();
      family.wanted = false;
    }
    wanted.clear();
  }

  /**
   * Allocates the memory demand of the group. Returns whether the memory budget had room for all of
   * it; otherwise the part already allocated stays.
   */
  public boolean ensure() {
    for (FamilyWriteState family : wanted) {
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

  /**
   * Inserts a batch whose memory {@link #ensure} has allocated. Its first entry gets the number
   * after {@code lastSequence}. Returns the sequence number of its last entry.
   */
  public long insert(EntryBatch batch, long lastSequence) {
    long sequence = lastSequence;
    batch.read(reader);
    while (reader.next()) {
      FamilyWriteState family = family(reader.family());
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
        // Cannot happen: ensure() allocated it.
        throw new IllegalStateException("no memory");
      }
      family.wrote(reader.keyLength() + reader.valueLength());
    }
    return sequence;
  }

  /** Returns the bytes of memory that entries take in all active memtables. */
  public long usedBytes() {
    long bytes = 0;
    for (FamilyWriteState family : active) {
      bytes += family.memtables().active().usedBytes();
    }
    return bytes;
  }

  /** Returns whether a memtable has the maximum number of range deletions. */
  public boolean hasTooManyRanges() {
    for (FamilyWriteState family : active) {
      if (family.memtables().active().rangeDeletions() >= Limits.MAX_MEMTABLE_RANGES) {
        return true;
      }
    }
    return false;
  }

  /** Releases all active memtables, which must be empty, and returns their memory to the pool. */
  public void giveUp() {
    for (SealedMemtable one : seal()) {
      one.family().memtables().dropOldest(one.memtable());
      one.memtable().release();
    }
    pool.trim();
  }

  public boolean isEmpty() {
    for (FamilyWriteState family : active) {
      if (family.memtables().active().entries() > 0) {
        return false;
      }
    }
    return true;
  }

  /** Seals all active memtables. The caller owns the reference in each returned record. */
  public List<SealedMemtable> seal() {
    List<SealedMemtable> sealed = new ArrayList<>();
    for (FamilyWriteState family : active) {
      sealed.add(new SealedMemtable(family, family.memtables().seal()));
    }
    active.clear();
    return sealed;
  }
}
