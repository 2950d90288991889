// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.CorruptionException;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntrySieve;
import io.coppice.entry.MergeCursor;
import io.coppice.manifest.Lease;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.Slice;
import io.coppice.manifest.SliceSize;
import io.coppice.manifest.VersionEdit;
import io.coppice.policy.Plan;
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
import java.util.function.BooleanSupplier;

/**
 * Rewrites the slices of one plan, step by step (SifrDB, section 3.4: early cleaning and its
 * journal).
 *
 * <ol>
 *   <li>Entries of all inputs pass in order; versions that nobody can see are left out, and so are
 *       deletions under which nothing older can lie.
 *   <li>Outputs are cut at the table size, never inside one user key.
 *   <li>After so many outputs a step ends: outputs synced, directory synced, then one edit in which
 *       the outputs enter the target run, each input opens after the watermark, and inputs that end
 *       at or before it leave.
 *   <li>The edit makes a new version; the job moves its lease to it, so that tables which left are
 *       retired as soon as no reader holds them.
 * </ol>
 *
 * <p>Every version in between is legal: a job that stops, by failure or by closing, is forgotten,
 * and what it left is planned again like any other shape. Runs on one thread.
 */
final class MergeJob {

  /** How many entries pass between two looks at whether the store closes, at least. */
  private static final int STOP_CHECK_ENTRIES = 1 << 12;

  private final MergeContext context;
  private final Manifest manifest;
  private final Plan.Merge plan;
  private final long run;
  private final CompactionListener listener;
  private final BooleanSupplier stopped;

  private final int outputsAStep;

  /** By slice, as it was at the start. */
  private final Map<Long, Long> inputBytes = new HashMap<>();

  private List<Slice> inputs;
  private Lease lease;
  private EntrySieve sieve;

  MergeJob(
      MergeContext context,
      Manifest manifest,
      Job job,
      CompactionListener listener,
      BooleanSupplier stopped) {
    this.context = context;
    this.manifest = manifest;
    this.plan = job.plan();
    this.outputsAStep =
        plan.cleaningThreshold() == 0 ? Integer.MAX_VALUE : plan.cleaningThreshold();
    this.inputs = job.slices();
    this.run = job.run();
    this.listener = listener;
    this.stopped = stopped;
  }

  void run() throws IOException {
    lease = manifest.lease();
    try (TableSeries outputs = context.outputs()) {
      Set<Long> ids = new HashSet<>();
      for (Slice slice : inputs) {
        ids.add(slice.id());
        inputBytes.put(slice.id(), SliceSize.of(context.tables(), slice).bytes());
      }
      OlderKeys older = OlderKeys.below(lease.version(), ids);
      try (EntryCursor merged = new MergeCursor(context.cursors(lease.version(), ids))) {
        copy(merged, outputs, older);
      }
    } finally {
      lease.close();
    }
  }

  private void copy(EntryCursor merged, TableSeries outputs, OlderKeys older) throws IOException {
    sieve = new EntrySieve(merged, context.snapshots().sequences(), older, outputs);
    long nextStopCheck = STOP_CHECK_ENTRIES;
    for (sieve.first(); sieve.hasMore(); ) {
      sieve.passKey();
      if (sieve.entriesIn() >= nextStopCheck) {
        nextStopCheck = sieve.entriesIn() + STOP_CHECK_ENTRIES;
        if (stopped.getAsBoolean()) {
          throw new StoppedException();
        }
      }
      if (outputs.full() && sieve.hasMore()) {
        outputs.cut();
        if (outputs.finished().size() >= outputsAStep()) {
          step(outputs, sieve.lastKey());
        }
      }
    }
    outputs.cut();
    step(outputs, null);
  }

  /** On a full disk inputs go as soon as they can. */
  private int outputsAStep() {
    return context.reserve().released() ? 1 : outputsAStep;
  }

  /**
   * Makes what was written so far the truth.
   *
   * @param watermark the last key of the outputs, or null if all inputs are used up
   */
  private void step(TableSeries outputs, byte[] watermark) throws IOException {
    if (sieve.entriesIn() != outputs.entries() + sieve.dropped()) {
      throw new CorruptionException(
          "merge into run " + run,
          0,
          sieve.entriesIn()
              + " entries went in, "
              + outputs.entries()
              + " came out and "
              + sieve.dropped()
              + " were dropped");
    }
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
      edit.addTable(plan.target().level(), run, table.number(), table);
      written += table.bytes();
    }
    outputs.handTo(() -> manifest.install(edit.build()));
    inputs = left;
    Lease next = manifest.lease();
    lease.close();
    lease = next;
    listener.merged(plan, read, written);
    context.reserve().ensure();
  }

  /** The store closes; what is not yet a step is forgotten. */
  static final class StoppedException extends IOException {
    StoppedException() {
      super("the store is closing");
    }
  }
}
