// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write;

import io.coppice.base.KeyShards;
import io.coppice.base.NameText;
import io.coppice.base.WriteDebt;
import io.coppice.manifest.Lineage;
import io.coppice.memtable.Demand;
import io.coppice.memtable.Memtables;
import io.coppice.table.TableMeta;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * The state of a family that the write path keeps: its memtables, what was written and flushed, and
 * whether merges keep up. Safe to share between threads, except the fields that only the leader of
 * the write queue uses.
 */
public final class WrittenFamily {

  private final Lineage lineage;
  private final Memtables memtables;
  private final LongAdder flushes = new LongAdder();
  private final LongAdder flushedBytes = new LongAdder();
  private final LongAdder sealedEntries = new LongAdder();
  private final LongAdder flushedEntries = new LongAdder();
  private final KeyShards flushedIn = new KeyShards();

  // Written by the leader of the write queue, a group at once; read by any thread.
  private final AtomicLong entries = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();

  private volatile TableSizes sizes;
  private volatile boolean dropping;
  private volatile boolean dropped;

  private final LongAdder mergeFailures = new LongAdder();
  private volatile Throwable mergeProblem;
  private final LongAdder stuckCount = new LongAdder();
  private volatile String stuckWhy;

  /** Memory that the present group needs in this family. Used by the leader of the write queue. */
  final Demand demand = new Demand();

  /** Whether the present group has entries for this family. Used by the leader. */
  boolean wanted;

  /** Entries of the present group that are in the memtable, and their bytes. Used by the leader. */
  private long groupEntries;

  private long groupBytes;

  /**
   * Takes a living family.
   *
   * @param memtables receive what is written, and are read by the family's readers
   */
  public WrittenFamily(Lineage lineage, Memtables memtables, TableSizes sizes) {
    this.lineage = lineage;
    this.memtables = memtables;
    this.sizes = sizes;
  }

  /** The family's number. */
  public int number() {
    return lineage.number();
  }

  /** Its versions. */
  public Lineage lineage() {
    return lineage;
  }

  /** Its memtables. */
  public Memtables memtables() {
    return memtables;
  }

  /** How its tables are cut. */
  public TableSizes sizes() {
    return sizes;
  }

  /** Changes how its tables are cut, from the next flush on. */
  public void sizes(TableSizes next) {
    sizes = next;
  }

  /** Bytes of the tables that flushes made. */
  public long flushedBytes() {
    return flushedBytes.sum();
  }

  /** Flushes that made tables of it. */
  public long flushes() {
    return flushes.sum();
  }

  /** Entries in the memtables that flushes made tables of. */
  public long sealedEntries() {
    return sealedEntries.sum();
  }

  /** Entries that these tables had of them. */
  public long flushedEntries() {
    return flushedEntries.sum();
  }

  /** Which shards the bytes of flushes go to. */
  public KeyShards flushedIn() {
    return flushedIn;
  }

  void flushed(FlushedRuns.Flushed flushed) {
    flushes.increment();
    flushedBytes.add(flushed.bytes());
    sealedEntries.add(flushed.sealedEntries());
    flushedEntries.add(flushed.entries());
    for (TableMeta table : flushed.tables()) {
      flushedIn.count(table.smallestKey(), table.largestKey(), table.bytes());
    }
  }

  /** Entries written since the store was opened: values, deletions, operands. */
  public long writtenEntries() {
    return entries.get();
  }

  /** Bytes of their keys and values. */
  public long writtenBytes() {
    return bytes.get();
  }

  /** Counts an entry. The thread leads the write queue. */
  void wrote(int ofEntry) {
    groupEntries++;
    groupBytes += ofEntry;
  }

  /** Shows what was counted. The thread leads the write queue. */
  void tellWritten() {
    entries.setRelease(entries.getPlain() + groupEntries);
    bytes.setRelease(bytes.getPlain() + groupBytes);
    groupEntries = 0;
    groupBytes = 0;
  }

  /** True from when its merges are stopped: writers must not wait for them. */
  public void dropping(boolean now) {
    dropping = now;
  }

  /** True once the family was dropped. */
  public boolean dropped() {
    return dropped;
  }

  void drop() {
    dropped = true;
    memtables.close("the family " + NameText.quoted(lineage.name()) + ", which was dropped,");
  }

  /** How near its writers are to stopping for merges, which they do at 1. */
  public double debt() {
    return WriteDebt.ofRuns(runsOverdue());
  }

  /** Notes that a plan failed; writers that wait are yet to be told to look again. */
  public void mergeFailed(Throwable cause) {
    mergeProblem = cause;
    mergeFailures.increment();
  }

  /** Notes that no merge comes for which writers wait; they are yet to be told to look again. */
  public void mergesStuck(String why) {
    stuckWhy = why;
    stuckCount.increment();
  }

  /** Returns how often the policy was asked for merges that writers wait for and had none. */
  long stuckCount() {
    return stuckCount.sum();
  }

  /** Returns why it had none the last time. */
  String stuckWhy() {
    return stuckWhy;
  }

  /** Plans that failed. */
  long mergeFailures() {
    return mergeFailures.sum();
  }

  /** What was wrong with the last of them. */
  Throwable mergeProblem() {
    return mergeProblem;
  }

  long runsOverdue() {
    return dropping
        ? Long.MIN_VALUE
        : lineage.current().levels().get(0).runs().size() - sizes.restingRuns();
  }
}
