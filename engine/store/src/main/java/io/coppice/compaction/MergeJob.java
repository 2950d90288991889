// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.CorruptionException;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntrySieve;
import io.coppice.entry.MergeCursor;
import io.coppice.manifest.Lease;
import io.coppice.manifest.Lineage;
import io.coppice.manifest.RunEntries;
import io.coppice.manifest.Slice;
import io.coppice.manifest.SliceSize;
import io.coppice.manifest.VersionEdit;
import io.coppice.table.TableMeta;
import io.coppice.table.TableSeries;
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
 * Rewrites the slices of one plan, step by step (SifrDB, section 3.4: early cleaning and its
 * journal).
 *
 * <ol>
 *   <li>Entries of all inputs pass in order; versions that nobody can see are left out, and so are
 *       deletions under which nothing older can lie.
 *   <li>Outputs are cut at the table size, never inside one user key.
 *   <li>After so many outputs, or as many tables' worth of bytes, or much that left none, a step
 *       ends: entries in are counted against entries out, outputs synced, directory synced, then
 *       one edit in which the outputs enter the target run, each input opens after the watermark,
 *       and inputs that end at or before it leave.
 *   <li>The edit makes a new version; the job moves its lease to it, so that tables which left are
 *       retired as soon as no reader holds them, and those retired are removed.
 * </ol>
 *
 * <p>Every version in between is legal: a job that ends early, because it is told to, by failure or
 * by closing, is forgotten, and what it left is planned again like any other shape. One thread at a
 * time takes steps; any may call {@link #end}.
 */
final class MergeJob implements AutoCloseable {

  /** Merges leave so large a part of the free bytes to flushes and logs. */
  private static final int MERGES_SHARE = 2;

  /** Why a job that is not done goes no further. */
  enum End {
    /** Nobody wants it to. */
    NO,
    /** The step under way ends at its next table. */
    AFTER_TABLE,
    /** The step under way is given up. */
    NOW
  }

  /** How many entries pass between two looks at whether the job is to end, at least. */
  private static final int END_CHECK_ENTRIES = 1 << 12;

  /**
   * A step ends once so many tables' worth of input has passed and did not fill one: a merge that
   * drops nearly all can go on from there, too. What drops less fills its tables.
   */
  private static final int MOST_INPUT_A_TABLE = 16;

  private final MergeContext context;
  private final Lineage lineage;
  private final Job job;
  private final CompactionListener listener;
  private final IntSupplier merges;
  private volatile End end = End.NO;

  /** By slice, as it was at the start. */
  private final Map<Long, Long> inputBytes = new HashMap<>();

  private List<Slice> inputs;
  private Lease lease;
  private TableSeries outputs;
  private EntryCursor merged;
  private EntrySieve sieve;

  /** Those open when it began. */
  private long[] snapshots;

  private OlderKeys older;
  private long nextEndCheck;

  /** About so many entries of the inputs are as large as a table. */
  private long entriesATable;

  private long paidBytes;
  private long stepStartNanos;

  /** Of the inputs that are left. */
  private volatile long bytesLeft;

  /** For who watches: when it was planned, what there was to pass, and what has passed. */
  private final long plannedNanos;

  private volatile long inputEntries;
  private volatile long passedEntries;
  private volatile byte[] watermark;

  /**
   * Makes it.
   *
   * @param merges how many run now, this one included
   */
  MergeJob(Job job, IntSupplier merges) {
    this.context = job.planner().context();
    this.lineage = job.planner().lineage();
    this.listener = job.planner().listener();
    this.job = job;
    this.merges = merges;
    this.inputs = job.slices();
    this.bytesLeft = job.inputBytes();
    this.plannedNanos = context.workers().nanoTime();
  }

  /** Names it among those under way. */
  String id() {
    return job.run() + "." + job.slices().get(0).id();
  }

  /** How far it is; asked from any thread. */
  FamilySight.RunningMerge sight(long now) {
    Set<Long> ids = new HashSet<>();
    byte[] low = null;
    byte[] high = null;
    for (Slice slice : job.slices()) {
      ids.add(slice.id());
      low = low == null || Arrays.compareUnsigned(slice.low(), low) < 0 ? slice.low() : low;
      high = high == null || Arrays.compareUnsigned(slice.high(), high) > 0 ? slice.high() : high;
    }
    return new FamilySight.RunningMerge(
        id(),
        job.run(),
        job.plan().target().level(),
        ids,
        low,
        high,
        watermark,
        job.inputBytes(),
        Math.min(1, (double) passedEntries / Math.max(1, inputEntries)),
        Math.max(0, now - plannedNanos),
        job.plan().reason().code(),
        job.plan().reason().sentence());
  }

  /** What it carries out. */
  Job job() {
    return job;
  }

  /** Says that the job is to end before it is done; what is stronger counts. */
  void end(End how) {
    if (end.compareTo(how) < 0) {
      end = how;
    }
  }

  /** Bytes of the inputs that are left. */
  long bytesLeft() {
    return bytesLeft;
  }

  /** True if the job is to end before it is done. */
  boolean ending() {
    return end != End.NO;
  }

  private void open() {
    lease = lineage.lease();
    outputs = context.outputs(lineage.number()).at(job.plan().target().level());
    if (context.tables().filtersDependOnRuns()) {
      RunEntries runs = RunEntries.afterMerge(lease.version(), job.run(), job.siblings());
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
    double tables = (double) job.inputBytes() / context.tableBytes();
    // Slices inside one block count as nothing.
    entriesATable = entries == 0 ? END_CHECK_ENTRIES : Math.max(1, (long) (entries / tables));
    merged = new MergeCursor(context.cursors(lease.version(), ids));
    snapshots = context.openSnapshots();
    older = OlderKeys.below(lease.version(), job.siblings());
    sieve = context.sieve(merged, lease.version(), ids, snapshots, older, outputs);
    sieve.first();
  }

  /**
   * Goes on until outputs are installed. A job that is to end does not begin another step, and one
   * that is to end at once may return in the middle of one.
   *
   * @return true if there is more to do
   */
  boolean step() throws IOException {
    if (ending()) {
      return true;
    }
    stepStartNanos = context.workers().nanoTime();
    MergeStepEvent event = new MergeStepEvent();
    event.begin();
    if (lease == null) {
      open();
    }
    long cutAt = sieve.entriesIn();
    long begunAt = outputs.bytes();
    while (sieve.hasMore()) {
      sieve.passKey();
      boolean due = false;
      if (sieve.entriesIn() >= nextEndCheck) {
        nextEndCheck = sieve.entriesIn() + Math.min(END_CHECK_ENTRIES, entriesATable);
        breathe();
        if (end == End.NOW) {
          return true;
        }
        due = (passedEntries - cutAt) / entriesATable >= (ending() ? 1 : MOST_INPUT_A_TABLE);
      }
      if ((due || outputs.full()) && sieve.mayCut()) {
        sieve.cut();
        cutAt = sieve.entriesIn();
        breathe();
        if (due || isFull(outputs.bytes() - begunAt)) {
          install(sieve.lastKey(), event);
          return true;
        }
      }
    }
    sieve.cutLast();
    install(null, event);
    pay();
    return false;
  }

  /** Pays for what was written, and lets others go first. */
  private void breathe() {
    passedEntries = sieve.entriesIn();
    watermark = sieve.lastKey();
    pay();
    context.workers().giveWay();
  }

  private void pay() {
    long written = outputs.bytes();
    context.rate().pay(written - paidBytes, this::ending);
    paidBytes = written;
  }

  /**
   * Outputs after which a step ends. The less room is left, the fewer: down to one, which costs a
   * sync and an edit for every table, but needs hardly more room than one table of each input run.
   *
   * @param planned at most so many, at least 1
   * @param freeBytes of the disk
   * @param merges how many share them, at least 1
   * @param runs runs of the inputs, of each of which one table waits at the place reached
   */
  static int outputsAStep(int planned, long freeBytes, int merges, int runs, long tableBytes) {
    long tables = freeBytes / MERGES_SHARE / merges / Math.max(1, tableBytes) - runs;
    return (int) Math.max(1, Math.min(planned, tables));
  }

  /**
   * True if a step that wrote so much is to end. On a full disk inputs go as soon as they can; one
   * large value makes an output larger than a table.
   */
  private boolean isFull(long bytes) throws IOException {
    int most =
        context.reserve().released() || ending()
            ? 1
            : outputsAStep(
                job.outputsAStep(),
                context.disk().freeBytes(),
                merges.getAsInt(),
                job.runs(),
                context.tableBytes());
    return outputs.finished().size() >= most || bytes / context.tableBytes() >= most;
  }

  /**
   * Makes what was written so far the truth.
   *
   * @param watermark the last key of the outputs, or null if all inputs are used up
   * @param event ends with it
   */
  private void install(byte[] watermark, MergeStepEvent event) throws IOException {
    checkAccounts();
    List<TableMeta> tables = outputs.syncFinished();
    VersionEdit.Builder edit = VersionEdit.builder();
    List<Slice> left = new ArrayList<>();
    long read = 0;
    for (Slice slice : inputs) {
      if (watermark == null || Arrays.compareUnsigned(slice.high(), watermark) <= 0) {
        edit.removeSlice(slice.id());
        read += inputBytes.get(slice.id());
      } else {
        left.add(slice);
        int order = Arrays.compareUnsigned(slice.low(), watermark);
        if (order < 0 || (order == 0 && !slice.lowExclusive())) {
          edit.trimSlice(slice.id(), watermark);
        }
      }
    }
    long written = 0;
    for (TableMeta table : tables) {
      edit.addTable(job.plan().target().level(), job.run(), table.number(), table);
      if (!older.mayContainAny(table.smallestKey(), table.largestKey())) {
        context.tables().get(table.number()).keptFor(snapshots);
      }
      written += table.bytes();
    }
    if (sieve.droppedByClock()) {
      edit.clockFloor(sieve.nowMillis());
    }
    outputs.handTo(() -> lineage.install(edit.build()));
    inputs = left;
    bytesLeft -= read;
    Lease ended = lease;
    lease = lineage.lease();
    ended.close();
    listener.merged(job.plan(), read, written, context.workers().nanoTime() - stepStartNanos);
    record(event, read, written);
    context.workers().giveWay();
    context.cleaning().clean();
    context.reserve().ensure();
  }

  private void record(MergeStepEvent event, long read, long written) {
    event.end();
    if (event.shouldCommit()) {
      event.family = lineage.name();
      event.merge = id();
      event.level = job.plan().target().level();
      event.readBytes = read;
      event.writtenBytes = written;
      event.reason = job.plan().reason().sentence();
      event.commit();
    }
  }

  /** Before the only other copy of an entry goes, every entry must be accounted for. */
  private void checkAccounts() {
    if (sieve.entriesIn() != outputs.entries() + sieve.dropped()) {
      throw new CorruptionException(
          "merge into run " + job.run(),
          0,
          sieve.entriesIn()
              + " entries went in, "
              + outputs.entries()
              + " came out and "
              + sieve.dropped()
              + " were dropped");
    }
  }

  /** Removes outputs that were not installed and gives back what is held. Idempotent. */
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
