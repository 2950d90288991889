// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write.family;

import io.coppice.base.WritePressure;
import io.coppice.base.bytes.NameText;
import io.coppice.base.thread.ShardCounters;
import io.coppice.manifest.FamilyVersions;
import io.coppice.memtable.FamilyMemtables;
import io.coppice.memtable.MemoryDemand;
import io.coppice.table.TableMeta;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * Write state of a family: its memtables, counts of written and flushed data, and the state of its
 * merges as writers see it. Safe to share between threads, except the fields that only the leader
 * of the write queue uses.
 */
public final class FamilyWriteState {

  private final FamilyVersions versions;
  private final FamilyMemtables memtables;
  private final LongAdder flushes = new LongAdder();
  private final LongAdder flushedBytes = new LongAdder();
  private final LongAdder sealedEntries = new LongAdder();
  private final LongAdder flushedEntries = new LongAdder();
  private final ShardCounters flushedIn = new ShardCounters();

  // Written by the leader of the write queue, a group at once; read by any thread.
  private final AtomicLong entries = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();

  private volatile FamilyWriteLimits limits;
  private volatile boolean dropping;
  private volatile boolean dropped;

  private final LongAdder mergeFailures = new LongAdder();
  private volatile Throwable mergeProblem;
  private final LongAdder stuckCount = new LongAdder();
  private volatile String stuckWhy;

  /**
   * Memory that the present write group needs in this family. Used by the leader of the write
   * queue.
   */
  final MemoryDemand demand = new MemoryDemand();

  /**
   * Whether the present write group has entries for this family. Used by the leader of the write
   * queue.
   */
  boolean wanted;

  /** Entries of the present write group in this family. Used by the leader of the write queue. */
  private long groupEntries;

  /**
   * Bytes of the keys and values of {@link #groupEntries}. Used by the leader of the write queue.
   */
  private long groupBytes;

  /**
   * Creates the write state of a living family.
   *
   * @param memtables receive the writes and serve the family's readers
   */
  public FamilyWriteState(
      FamilyVersions versions, FamilyMemtables memtables, FamilyWriteLimits limits) {
    this.versions = versions;
    this.memtables = memtables;
    this.limits = limits;
  }

  /** Returns the family's number, 0 for the default family; never reused in its store. */
  public int number() {
    return versions.number();
  }

  /** Returns the versions of the family. */
  public FamilyVersions versions() {
    return versions;
  }

  /** Returns the memtables of the family. */
  public FamilyMemtables memtables() {
    return memtables;
  }

  /** Returns the limits that the family's policy sets for writes. */
  public FamilyWriteLimits limits() {
    return limits;
  }

  /**
   * Replaces the limits of the family's policy. A new table size takes effect with the next flush.
   */
  public void limits(FamilyWriteLimits next) {
    limits = next;
  }

  /**
   * Returns the bytes of all tables that flushes wrote for this family since the store was opened.
   */
  public long flushedBytes() {
    return flushedBytes.sum();
  }

  /** Returns the number of flushes since the store was opened that wrote tables of the family. */
  public long flushes() {
    return flushes.sum();
  }

  /** Returns the number of entries in the memtables flushed since the store was opened. */
  public long sealedEntries() {
    return sealedEntries.sum();
  }

  /** Returns the number of entries that flushes wrote to tables since the store was opened. */
  public long flushedEntries() {
    return flushedEntries.sum();
  }

  /**
   * Returns the counters of flushed bytes by shard; they go on counting and belong to this object.
   */
  public ShardCounters flushedIn() {
    return flushedIn;
  }

  public void flushed(FlushOutputs.Flushed flushed) {
    flushes.increment();
    flushedBytes.add(flushed.bytes());
    sealedEntries.add(flushed.sealedEntries());
    flushedEntries.add(flushed.entries());
    for (TableMeta table : flushed.tables()) {
      flushedIn.count(table.smallestKey(), table.largestKey(), table.bytes());
    }
  }

  /** Returns the entries written since the store was opened: values, deletions and operands. */
  public long writtenEntries() {
    return entries.get();
  }

  /** Returns the bytes of keys and values written since the store was opened. */
  public long writtenBytes() {
    return bytes.get();
  }

  /**
   * Counts an entry of the present write group. Called by the leader of the write queue.
   *
   * @param ofEntry bytes of its key and value
   */
  void wrote(int ofEntry) {
    groupEntries++;
    groupBytes += ofEntry;
  }

  /**
   * Adds the counts of the present write group to the totals. Called by the leader of the write
   * queue.
   */
  void publishCounts() {
    entries.setRelease(entries.getPlain() + groupEntries);
    bytes.setRelease(bytes.getPlain() + groupBytes);
    groupEntries = 0;
    groupBytes = 0;
  }

  /**
   * Sets whether the family's merges are stopped because it is being dropped. Writers then do not
   * wait for them.
   */
  public void dropping(boolean now) {
    dropping = now;
  }

  /** Returns whether the family was dropped. */
  public boolean dropped() {
    return dropped;
  }

  public void drop() {
    dropped = true;
    memtables.close("the family " + NameText.quoted(versions.name()) + ", which was dropped,");
  }

  /**
   * Returns the write pressure from runs in level 0: 0 or more. From 1 on, writers to the family
   * stop.
   */
  public double pressure() {
    return WritePressure.ofRuns(overdueRuns());
  }

  /** Counts a failed plan and keeps its cause. The caller then wakes waiting writers. */
  public void mergeFailed(Throwable cause) {
    mergeProblem = cause;
    mergeFailures.increment();
  }

  /**
   * Records that the policy plans no merge although writers wait for one. The caller then wakes the
   * writers.
   *
   * @param why the policy's reason
   */
  public void mergesStuck(String why) {
    stuckWhy = why;
    stuckCount.increment();
  }

  /** Returns the number of calls of {@link #mergesStuck}. */
  public long stuckCount() {
    return stuckCount.sum();
  }

  /** Returns the reason given to the last {@link #mergesStuck}, or null before the first. */
  public String stuckWhy() {
    return stuckWhy;
  }

  /** Returns the number of plans that failed since the store was opened. */
  public long mergeFailures() {
    return mergeFailures.sum();
  }

  /** Returns the cause of the last failed plan, or null before the first. */
  public Throwable mergeProblem() {
    return mergeProblem;
  }

  /**
   * Returns the number of runs in level 0 above {@link FamilyWriteLimits#toleratedRuns}; negative
   * if there are fewer. During a drop it is {@link Long#MIN_VALUE}, because writers must not wait
   * for stopped merges.
   */
  public long overdueRuns() {
    return dropping
        ? Long.MIN_VALUE
        : versions.current().levels().get(0).runs().size() - limits.toleratedRuns();
  }
}
