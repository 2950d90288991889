// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.CorruptionException;
import io.coppice.base.DiskFullException;
import io.coppice.compaction.context.CompactionContext;
import io.coppice.compaction.context.CompactionListener;
import io.coppice.compaction.context.OlderDataRanges;
import io.coppice.entry.EntryCompactor;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.MergingCursor;
import io.coppice.manifest.FamilyVersions;
import io.coppice.manifest.Lease;
import io.coppice.table.RollingTableWriter;
import io.coppice.table.TableMeta;
import io.coppice.version.RunEntries;
import io.coppice.version.Slice;
import io.coppice.version.SliceSize;
import io.coppice.version.VersionEdit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.IntSupplier;

/**
 * Stepped merge: rewrites the slices of one plan, step by step (SifrDB, section 3.4: early cleaning
 * and its journal).
 *
 * <p>A merge that keeps its inputs until its end needs as much extra space as it reads. This job
 * instead commits its outputs every few tables. Each step ends with one edit that adds the outputs
 * to the target run and trims the inputs to the keys after the last output, the cut.
 *
 * <pre>
 *                           cut
 * input run A  (consumed)    |   [ table ] [ table ]   open after the cut
 * input run B  (consumed)    |        [ table ] [ table ]
 * target run   [ out ] [ out ]                         more outputs follow here
 * </pre>
 *
 * <ol>
 *   <li>Entries of all inputs pass in key order. Versions hidden from all readers are dropped, and
 *       so are tombstones that hide no older data.
 *   <li>Outputs are cut at the table size, never inside one user key.
 *   <li>A step ends after {@code outputsPerStep} outputs, after as many tables' worth of bytes, or
 *       after much input that left no output. It checks that entries read equal entries written
 *       plus entries dropped, syncs the outputs, syncs the directory, and installs the edit. Inputs
 *       that end at or before the cut leave the version; the others open after it.
 *   <li>The edit makes a new version, and the job moves its lease to it. Consumed tables become
 *       obsolete once no reader holds them, and the job deletes the obsolete ones.
 * </ol>
 *
 * <p>Every version in between is legal. A job may end early because it is told to, by failure or by
 * closing. It is then forgotten, and the policy plans the rest from the shape as it is. The fuller
 * the disk, the shorter the steps, see {@link #outputsPerStep}. One thread at a time takes steps;
 * any thread may call {@link #end}.
 */
final class CompactionJob implements AutoCloseable {

  /**
   * Divisor of the free bytes for the part that merges may take; flushes and logs need the rest.
   */
  private static final int MERGES_SHARE = 2;

  /** Divisor of the reserve: a step leaves this part of it to deletions and their flush. */
  private static final int DELETIONS_SHARE = 3;

  /** Request to end a job early. */
  enum End {
    /** No request: the job continues to its end. */
    NO,
    /** The step in progress ends with its next output table, then the job ends. */
    AFTER_TABLE,
    /** The job discards the step in progress. */
    NOW
  }

  /** Largest number of entries between two checks whether the job must end. */
  private static final int END_CHECK_ENTRIES = 1 << 12;

  /**
   * Input, in tables, after which a step ends although no output is full. A merge that drops nearly
   * all entries can then continue from there, too. A merge that drops less fills its tables
   * earlier.
   */
  private static final int MAX_INPUT_PER_TABLE = 16;

  private final CompactionContext context;
  private final FamilyVersions versions;
  private final Subcompaction subcompaction;
  private final CompactionListener listener;
  private final IntSupplier merges;
  private volatile End end = End.NO;

  /** Bytes of each input slice when the job began, by slice id. */
  private final Map<Long, Long> inputBytes = new HashMap<>();

  private List<Slice> inputs;
  private Lease lease;
  private RollingTableWriter outputs;
  private EntryCursor merged;
  private EntryCompactor compactor;

  /** Snapshots that were open when the job began. */
  private long[] snapshots;

  private OlderDataRanges older;
  private long nextEndCheck;

  /** Approximate number of input entries per output table. */
  private long entriesPerTable;

  private long paidBytes;

  /** Bytes of all outputs written before the current step. */
  private long begunAt;

  private long stepStartNanos;

  /** Bytes of the remaining inputs. */
  private volatile long bytesLeft;

  /**
   * Time of planning, in nanoseconds of the workers' clock; shown with the next three fields as
   * progress.
   */
  private final long plannedNanos;

  private volatile long inputEntries;
  private volatile long passedEntries;
  private volatile byte[] watermark;

  /**
   * Creates a job for a claimed merge.
   *
   * @param subcompaction claimed merge; the caller releases the claim
   * @param merges returns the number of merges that run now, including this one
   */
  CompactionJob(Subcompaction subcompaction, IntSupplier merges) {
    this.context = subcompaction.planner().context();
    this.versions = subcompaction.planner().versions();
    this.listener = subcompaction.planner().listener();
    this.subcompaction = subcompaction;
    this.merges = merges;
    this.inputs = subcompaction.slices();
    this.bytesLeft = subcompaction.inputBytes();
    this.plannedNanos = context.workers().nanoTime();
  }

  /**
   * Returns the id of this merge, unique among the running merges of its family: the ids of the
   * target run and of the first input slice, joined by a dot.
   */
  String id() {
    return subcompaction.run() + "." + subcompaction.slices().get(0).id();
  }

  /**
   * Returns the progress. Any thread may call it.
   *
   * @param now nanoseconds of the workers' clock
   */
  FamilyCompactionStatus.RunningMerge status(long now) {
    Set<Long> ids = new HashSet<>();
    byte[] low = null;
    byte[] high = null;
    for (Slice slice : subcompaction.slices()) {
      ids.add(slice.id());
      low = low == null || Arrays.compareUnsigned(slice.low(), low) < 0 ? slice.low() : low;
      high = high == null || Arrays.compareUnsigned(slice.high(), high) > 0 ? slice.high() : high;
    }
    return new FamilyCompactionStatus.RunningMerge(
        id(),
        subcompaction.run(),
        subcompaction.plan().target().level(),
        ids,
        low,
        high,
        watermark,
        subcompaction.inputBytes(),
        Math.min(1, (double) passedEntries / Math.max(1, inputEntries)),
        Math.max(0, now - plannedNanos),
        subcompaction.plan().reason().code(),
        subcompaction.plan().reason().sentence());
  }

  /** Returns the merge, or the part of one, that this job carries out. */
  Subcompaction subcompaction() {
    return subcompaction;
  }

  /**
   * Requests an early end and does not wait for it. After several requests the strongest counts.
   */
  void end(End how) {
    if (end.compareTo(how) < 0) {
      end = how;
    }
  }

  /** Returns the bytes of the inputs that no step has consumed. */
  long bytesLeft() {
    return bytesLeft;
  }

  /** Returns whether the job must end early. */
  boolean ending() {
    return end != End.NO;
  }

  private void open() {
    lease = versions.lease();
    outputs = context.outputs(versions.number()).forLevel(subcompaction.plan().target().level());
    if (context.tables().filtersDependOnRuns()) {
      RunEntries runs =
          RunEntries.afterMerge(lease.version(), subcompaction.run(), subcompaction.siblings());
      outputs.filtersFor(runs.own(), runs.others());
    }
    Set<Long> ids = new HashSet<>();
    long entries = 0;
    for (Slice slice : inputs) {
      SliceSize size = SliceSize.of(context.tables(), slice);
      ids.add(slice.id());
      inputBytes.put(slice.id(), size.bytes());
      entries += size.entries();
    }
    inputEntries = entries;
    double tables = (double) subcompaction.inputBytes() / context.tableBytes();
    // Slices inside one block have a size of zero.
    entriesPerTable = entries == 0 ? END_CHECK_ENTRIES : Math.max(1, (long) (entries / tables));
    merged = new MergingCursor(context.cursors(lease.version(), ids));
    snapshots = context.openSnapshots();
    older = OlderDataRanges.below(lease.version(), subcompaction.siblings());
    compactor = context.entryCompactor(merged, lease.version(), ids, snapshots, older, outputs);
    compactor.first();
  }

  /**
   * Works until outputs are installed. A job that must end starts no further step. One that must
   * end at once may return in the middle of a step.
   *
   * @return whether there is more to do; also true for a job that ended early
   * @throws DiskFullException if the disk is full; nothing of the step was installed
   * @throws CorruptionException if an input is damaged, or entries are missing in the outputs;
   *     nothing of the step was installed
   * @throws IOException if a read or write fails; {@link #close} keeps outputs that the manifest
   *     may name
   */
  boolean step() throws IOException {
    if (ending()) {
      return true;
    }
    stepStartNanos = context.workers().nanoTime();
    CompactionStepEvent event = new CompactionStepEvent();
    event.begin();
    if (lease == null) {
      open();
    }
    long cutAt = compactor.entriesIn();
    begunAt = outputs.bytes();
    while (compactor.hasMore()) {
      compactor.writeKey();
      boolean due = false;
      if (compactor.entriesIn() >= nextEndCheck) {
        nextEndCheck = compactor.entriesIn() + Math.min(END_CHECK_ENTRIES, entriesPerTable);
        throttleAndYield();
        if (end == End.NOW) {
          return true;
        }
        due = (passedEntries - cutAt) / entriesPerTable >= (ending() ? 1 : MAX_INPUT_PER_TABLE);
      }
      if ((due || outputs.full()) && compactor.mayCut()) {
        compactor.cut();
        cutAt = compactor.entriesIn();
        throttleAndYield();
        if (due || isFull(outputs.bytes() - begunAt)) {
          install(compactor.lastKey(), event);
          return true;
        }
      }
    }
    compactor.cutLast();
    install(null, event);
    awaitRateLimit();
    return false;
  }

  /**
   * Waits as long as the rate limit requires for the bytes written, or until the job must end, then
   * lets other work run.
   */
  private void throttleAndYield() {
    passedEntries = compactor.entriesIn();
    watermark = compactor.lastKey();
    awaitRateLimit();
    context.workers().giveWay();
  }

  private void awaitRateLimit() {
    long written = outputs.bytes();
    context.limiter().pay(written - paidBytes, this::ending);
    paidBytes = written;
  }

  /**
   * Returns the number of outputs after which a step ends. The less space is free, the smaller it
   * is. One output per step costs a sync and an edit for each table, but needs little more space
   * than one table of each input run.
   *
   * @param planned upper bound, at least 1
   * @param freeBytes free bytes of the disk
   * @param merges number of merges that share them, at least 1
   * @param runs number of input runs; one table of each waits at the merge position
   */
  static int outputsPerStep(int planned, long freeBytes, int merges, int runs, long tableBytes) {
    long tables = freeBytes / MERGES_SHARE / merges / Math.max(1, tableBytes) - runs;
    return (int) Math.max(1, Math.min(planned, tables));
  }

  /**
   * Returns whether a step that has written this many bytes must end. While the disk space reserve
   * is released, every output ends a step, so that inputs are deleted early. Bytes count beside
   * outputs, because one large value makes an output larger than a table.
   */
  private boolean isFull(long bytes) throws IOException {
    int most =
        context.reserve().released() || ending()
            ? 1
            : outputsPerStep(
                subcompaction.outputsPerStep(),
                context.disk().freeBytes(),
                merges.getAsInt(),
                subcompaction.runs(),
                context.tableBytes());
    return outputs.finished().size() >= most || bytes / context.tableBytes() >= most;
  }

  /**
   * Installs the outputs written since the last step.
   *
   * @param cut the last key of the outputs, or null if all inputs are consumed
   * @param event the event of this step, which ends here
   * @throws IOException if the outputs or the edit cannot be made durable
   */
  private void install(byte[] cut, CompactionStepEvent event) throws IOException {
    checkEntryCounts();
    List<TableMeta> tables = outputs.syncFinished();
    VersionEdit.Builder edit = VersionEdit.builder();
    List<Slice> left = new ArrayList<>();
    long read = 0;
    for (Slice slice : inputs) {
      if (cut == null || Arrays.compareUnsigned(slice.high(), cut) <= 0) {
        edit.removeSlice(slice.id());
        read += inputBytes.get(slice.id());
      } else {
        left.add(slice);
        int order = Arrays.compareUnsigned(slice.low(), cut);
        if (order < 0 || (order == 0 && !slice.lowExclusive())) {
          edit.trimSlice(slice.id(), cut);
        }
      }
    }
    leaveSpaceForDeletions(left, outputs.bytes() - begunAt);
    long written = 0;
    for (TableMeta table : tables) {
      edit.addTable(
          subcompaction.plan().target().level(), subcompaction.run(), table.number(), table);
      if (!older.mayContainAny(table.smallestKey(), table.largestKey())) {
        context.tables().get(table.number()).keptForSnapshots(snapshots);
      }
      written += table.bytes();
    }
    if (compactor.droppedByClock()) {
      edit.clockFloor(compactor.nowMillis());
    }
    outputs.handTo(() -> versions.install(edit.build()), versions::mayName);
    inputs = left;
    bytesLeft -= read;
    Lease ended = lease;
    lease = versions.lease();
    ended.close();
    listener.merged(
        subcompaction.plan(), read, written, context.workers().nanoTime() - stepStartNanos);
    record(event, read, written);
    context.workers().giveWay();
    context.cleaner().clean();
    if (cut == null) {
      context.reserve().ensureAfterWork();
    } else {
      context.reserve().ensure();
    }
  }

  /**
   * Refuses a step on a full disk that takes more space than it frees, if the rest is too small for
   * deletions and their flush. Slices of one table in several merges free it only after the last of
   * these merges, so the steps before would use up the reserve. A merge whose inputs are deletions
   * may use more.
   *
   * @param left slices that the step does not remove
   * @param written bytes of its outputs, already on disk
   * @throws DiskFullException if the step is refused
   */
  private void leaveSpaceForDeletions(List<Slice> left, long written) throws IOException {
    if (!context.reserve().released()) {
      return;
    }
    long needed = context.unflushedBytes().getAsLong();
    if (inputs.stream()
        .allMatch(slice -> slice.table().tombstones() + slice.table().rangeDeletions() == 0)) {
      needed += context.reserve().wantedBytes() / DELETIONS_SHARE;
    }
    long free = context.disk().freeBytes();
    if (free < needed && freedBytes(left) < written) {
      throw new DiskFullException("a flush beside a merge", needed, free, null);
    }
  }

  /** Returns the bytes of tables that no slice uses after a step. */
  private long freedBytes(List<Slice> left) {
    Set<Long> removed = new HashSet<>();
    inputs.forEach(slice -> removed.add(slice.id()));
    left.forEach(slice -> removed.remove(slice.id()));
    Map<Long, Long> freed = new HashMap<>();
    Set<Long> used = new HashSet<>();
    // Other merges may have removed slices of the same tables since this one began its step.
    try (Lease now = versions.lease()) {
      now.version()
          .forEachSlice(
              slice -> {
                if (removed.contains(slice.id())) {
                  freed.put(slice.table().number(), slice.table().bytes());
                } else {
                  used.add(slice.table().number());
                }
              });
    }
    freed.keySet().removeAll(used);
    return freed.values().stream().mapToLong(Long::longValue).sum();
  }

  private void record(CompactionStepEvent event, long read, long written) {
    event.end();
    if (event.shouldCommit()) {
      event.family = versions.name();
      event.merge = id();
      event.level = subcompaction.plan().target().level();
      event.readBytes = read;
      event.writtenBytes = written;
      event.reason = subcompaction.plan().reason().sentence();
      event.commit();
    }
  }

  /**
   * Checks that entries read equal entries written plus entries dropped. It must precede the
   * removal of an input, because that may hold the only other copy of an entry.
   */
  private void checkEntryCounts() {
    if (compactor.entriesIn() != outputs.entries() + compactor.dropped()) {
      throw new CorruptionException(
          "merge into run " + subcompaction.run(),
          0,
          compactor.entriesIn()
              + " entries went in, "
              + outputs.entries()
              + " came out and "
              + compactor.dropped()
              + " were dropped");
    }
  }

  /** Deletes outputs that were not installed and releases the lease. Idempotent. */
  @Override
  public void close() throws IOException {
    if (lease == null) {
      return;
    }
    try {
      if (merged != null) {
        merged.close();
      }
    } finally {
      try {
        outputs.close();
      } finally {
        lease.close();
        lease = null;
      }
    }
  }
}
