// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.CorruptionException;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.Kind;
import io.coppice.entry.MergeCursor;
import io.coppice.entry.Survivors;
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

  /** How many entries pass between two looks at whether the store closes, less one. */
  private static final int STOP_CHECK_MASK = (1 << 12) - 1;

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
  private long entriesIn;
  private long entriesDropped;

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
    Survivors survivors = new Survivors(context.snapshots().sequences());
    byte[] key = new byte[256];
    int keyLength = -1;
    for (merged.first(); merged.valid(); merged.next()) {
      byte[] array = merged.keyArray();
      int from = merged.keyOffset();
      int length = merged.keyLength();
      boolean same = keyLength >= 0 && Arrays.equals(key, 0, keyLength, array, from, from + length);
      if (!same) {
        if (keyLength >= 0 && outputs.full()) {
          outputs.cut();
          if (outputs.finished().size() >= outputsAStep()) {
            step(outputs, Arrays.copyOf(key, keyLength));
          }
        }
        if (key.length < length) {
          key = new byte[length * 2];
        }
        System.arraycopy(array, from, key, 0, length);
        keyLength = length;
      }
      if ((++entriesIn & STOP_CHECK_MASK) == 0 && stopped.getAsBoolean()) {
        throw new StoppedException();
      }
      long sequence = merged.sequence();
      boolean needed = same ? survivors.older(sequence) : survivors.newest(sequence);
      if (needed
          && merged.kind() == Kind.DELETE
          && survivors.deletionIsFinal(sequence)
          && !older.mayContain(array, from, length)) {
        needed = false;
      }
      if (needed) {
        outputs.add(merged);
      } else {
        entriesDropped++;
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
    if (entriesIn != outputs.entries() + entriesDropped) {
      throw new CorruptionException(
          "merge into run " + run,
          0,
          entriesIn
              + " entries went in, "
              + outputs.entries()
              + " came out and "
              + entriesDropped
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
