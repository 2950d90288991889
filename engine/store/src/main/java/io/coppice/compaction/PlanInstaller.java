// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.compaction.shape.Claims;
import io.coppice.manifest.FamilyVersions;
import io.coppice.manifest.Lease;
import io.coppice.policy.Plan;
import io.coppice.policy.Target;
import io.coppice.table.OpenTables;
import io.coppice.version.Level;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import io.coppice.version.SliceSize;
import io.coppice.version.Version;
import io.coppice.version.VersionEdit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Installer of the checked plans of one family. A merge is claimed and split into parts; a plan of
 * metadata becomes one edit at once. Guarded by the compactor's lock.
 *
 * <p>Table indexes are read under a lease of the version that names the tables.
 */
final class PlanInstaller {

  private final FamilyPlanner planner;
  private final FamilyVersions versions;
  private final OpenTables tables;
  private final Claims claims;
  private final LongSupplier transientBytesLeft;
  private final ArrayList<Subcompaction> jobs = new ArrayList<>();

  /**
   * Creates an installer without running merges.
   *
   * @param planner planner that the subcompactions belong to
   * @param transientBytesLeft supplies the transient space that running merges leave, in bytes
   */
  PlanInstaller(
      FamilyPlanner planner,
      FamilyVersions versions,
      OpenTables tables,
      Claims claims,
      LongSupplier transientBytesLeft) {
    this.planner = planner;
    this.versions = versions;
    this.tables = tables;
    this.claims = claims;
    this.transientBytesLeft = transientBytesLeft;
  }

  /** Returns whether no merge is claimed. */
  boolean isIdle() {
    return jobs.isEmpty();
  }

  /** Returns the transient space of the family's running merges, in bytes. */
  long transientBytes() {
    long bytes = 0;
    for (Subcompaction subcompaction : jobs) {
      bytes += subcompaction.transientBytes();
    }
    return bytes;
  }

  /**
   * Claims the tables of a checked merge, creates a new target run, and splits a large merge into
   * parts.
   *
   * @param checked the version that the plan was checked against
   * @param tableBytes size of a full output, in bytes
   * @param freeSlots number of parts that can run at once, at least 1
   * @return the parts, by ascending key; the caller passes each to {@link #release} once
   * @throws StalePlanException if the shape has changed too much since the check; nothing is
   *     claimed
   * @throws IOException if the edit cannot be written; the tables stay free
   */
  List<Subcompaction> claim(Plan.Merge plan, Version checked, long tableBytes, int freeSlots)
      throws IOException {
    Target target = plan.target();
    long run = target.isNew() ? versions.nextNumber() : target.run();
    versions.beginOutput(run);
    boolean claimed = false;
    try {
      List<Subcompaction> made = parts(plan, run, checked, tableBytes, freeSlots);
      jobs.ensureCapacity(jobs.size() + made.size());
      claims.prepare();
      claims.take(made.get(0).claim());
      // The rest allocates nothing, because a half-made claim would never be released.
      for (int i = 0; i < made.size(); i++) {
        jobs.add(made.get(i));
      }
      claimed = true;
      return made;
    } finally {
      if (!claimed) {
        versions.endOutput(run);
      }
    }
  }

  /** Creates a new target run, and returns the parts of the merge. It claims nothing. */
  private List<Subcompaction> parts(
      Plan.Merge plan, long run, Version checked, long tableBytes, int freeSlots)
      throws IOException {
    Target target = plan.target();
    try (Lease lease = versions.lease()) {
      Version version = lease.version();
      if (!target.isNew() && version.run(run) == null) {
        throw new StalePlanException(new IllegalArgumentException("there is no run " + run));
      }
      List<Slice> slices = slices(version, plan);
      Set<Long> numbers = new HashSet<>();
      byte[] low = null;
      byte[] high = null;
      long bytes = 0;
      for (Slice slice : slices) {
        numbers.add(slice.table().number());
        low = low == null || Arrays.compareUnsigned(slice.low(), low) < 0 ? slice.low() : low;
        high = high == null || Arrays.compareUnsigned(slice.high(), high) > 0 ? slice.high() : high;
        bytes += SliceSize.of(tables, slice).bytes();
      }
      Set<Long> ids = new HashSet<>(plan.slices());
      int runs = runsOf(version, ids).size();
      long each = plan.transientBytes(bytes);
      long left = transientBytesLeft.getAsLong();
      int most = SubcompactionSplitter.count(plan, runs, bytes, tableBytes, freeSlots, each, left);
      VersionEdit.Builder edit = VersionEdit.builder();
      if (target.isNew()) {
        addRun(plan, version, run, edit);
      }
      List<byte[]> cuts = List.of();
      if (most > 1) {
        cuts =
            SubcompactionSplitter.cuts(
                version, ids, slice -> SliceSize.of(tables, slice).bytes(), most);
        Set<Long> fresh = SubcompactionSplitter.cut(version, ids, cuts, versions::nextNumber, edit);
        cuts = fresh == null ? List.of() : cuts;
        ids.addAll(fresh == null ? Set.of() : fresh);
      }
      VersionEdit whole = edit.build();
      if (!whole.ops().isEmpty()) {
        install(whole, checked);
      }
      Claims.Claim claim = new Claims.Claim(target.level(), run, low, high, numbers);
      List<Subcompaction> made = new ArrayList<>();
      for (List<Slice> part : SubcompactionSplitter.parts(versions.current(), ids, cuts)) {
        made.add(part(plan, part, ids, run, claim, runs, cuts.size() + 1, each));
      }
      return made;
    }
  }

  private Subcompaction part(
      Plan.Merge plan,
      List<Slice> slices,
      Set<Long> siblings,
      long run,
      Claims.Claim claim,
      int runs,
      int parts,
      long transientBytes) {
    Set<Long> ids = new HashSet<>();
    long bytes = 0;
    for (Slice slice : slices) {
      ids.add(slice.id());
      bytes += SliceSize.of(tables, slice).bytes();
    }
    return new Subcompaction(
        planner,
        plan,
        slices,
        siblings,
        run,
        claim,
        bytes,
        runs,
        SubcompactionSplitter.outputsPerStep(plan.cleaningThreshold(), runs, parts),
        transientBytes,
        takesFlushes(ids),
        planner.major().isRunning());
  }

  /**
   * Removes a part of a merge that has ended or did not begin. The last part releases the merge's
   * claim.
   */
  void release(Subcompaction subcompaction) {
    boolean last = true;
    for (int i = jobs.size() - 1; i >= 0; i--) {
      if (jobs.get(i) == subcompaction) {
        jobs.remove(i);
      } else {
        last &= jobs.get(i).claim() != subcompaction.claim();
      }
    }
    if (last) {
      claims.release(subcompaction.claim());
      versions.endOutput(subcompaction.run());
    }
  }

  /**
   * Carries out a checked move, delay or drop by one durable edit.
   *
   * @param checked the version that the plan was checked against
   * @return bytes of its slices
   * @throws StalePlanException if the shape has changed too much since the check; nothing has
   *     happened
   * @throws IOException if the edit cannot be written
   */
  long installMetadataPlan(Plan plan, Version checked) throws IOException {
    try (Lease lease = versions.lease()) {
      Version version = lease.version();
      List<Slice> slices = slices(version, plan);
      long bytes = 0;
      for (Slice slice : slices) {
        bytes += SliceSize.of(tables, slice).bytes();
      }
      VersionEdit.Builder edit = VersionEdit.builder();
      if (plan instanceof Plan.Drop) {
        for (Slice slice : slices) {
          edit.removeSlice(slice.id());
        }
      } else if (plan instanceof Plan.Placing placing) {
        Target target = placing.target();
        long run = target.isNew() ? versions.nextNumber() : target.run();
        if (target.isNew()) {
          addRun(placing, version, run, edit);
        }
        place(placing, version, slices, run, edit);
      }
      install(edit.build(), checked);
      return bytes;
    }
  }

  private void place(
      Plan.Placing plan, Version version, List<Slice> slices, long run, VersionEdit.Builder edit) {
    int level = plan.target().level();
    if (plan instanceof Plan.Move) {
      for (Slice slice : slices) {
        edit.moveSlice(slice.id(), level, run);
      }
    } else if (plan instanceof Plan.Delay delay && delay.stays()) {
      cut(delay, version, edit);
    } else if (plan instanceof Plan.Delay delay) {
      List<Slice> line = VirtualCompaction.line(version, new HashSet<>(plan.slices()));
      line = VirtualCompaction.united(line);
      List<byte[]> cuts = VirtualCompaction.cuts(tables, line, delay.segments());
      edit.regroup(
          level,
          run,
          versions.nextNumber(),
          plan.slices(),
          VirtualCompaction.cut(line, cuts, versions::nextNumber));
    } else {
      throw new IllegalArgumentException("not a plan of metadata: " + plan);
    }
  }

  private void cut(Plan.Delay plan, Version version, VersionEdit.Builder edit) {
    version.forEachSlice(
        slice -> {
          if (slice.id() == plan.after()) {
            Set<Long> inputs = new HashSet<>(plan.slices());
            SubcompactionSplitter.cut(
                version, inputs, List.of(slice.high()), versions::nextNumber, edit);
          }
        });
  }

  /** Returns the slices of a plan, in its order. */
  private static List<Slice> slices(Version version, Plan plan) {
    Set<Long> named = new HashSet<>(plan.slices());
    Map<Long, Slice> byId = new HashMap<>();
    version.forEachSlice(
        slice -> {
          if (named.contains(slice.id())) {
            byId.put(slice.id(), slice);
          }
        });
    return plan.slices().stream().map(byId::get).toList();
  }

  /**
   * Makes the edit of a plan durable.
   *
   * @throws StalePlanException if it no longer fits the current version
   * @throws IllegalArgumentException if it did not fit the checked version either
   */
  private void install(VersionEdit edit, Version checked) throws IOException {
    try {
      versions.install(edit);
    } catch (IllegalArgumentException e) {
      throw versions.current() == checked ? e : new StalePlanException(e);
    }
  }

  /**
   * Adds the operation that creates a run to an edit. The run must precede its first table, so that
   * further plans can join it. Its sources are those of the plan, or else the runs of the inputs.
   */
  private void addRun(Plan.Placing plan, Version version, long run, VersionEdit.Builder edit) {
    Target target = plan.target();
    Set<Long> sources = target.sources();
    if (sources.isEmpty()) {
      sources = runsOf(version, new HashSet<>(plan.slices()));
    }
    edit.addRun(target.level(), run, sources);
  }

  private static Set<Long> runsOf(Version version, Set<Long> slices) {
    Set<Long> runs = new HashSet<>();
    for (Level level : version.levels()) {
      for (Run run : level.runs()) {
        for (Segment segment : run.segments()) {
          if (holds(segment, slices)) {
            runs.add(run.id());
          }
        }
      }
    }
    return runs;
  }

  /** Returns whether the segment contains some of the slices. */
  private static boolean holds(Segment segment, Set<Long> slices) {
    boolean holds = false;
    for (Slice slice : segment.slices()) {
      holds |= slices.contains(slice.id());
    }
    return holds;
  }

  /** Returns whether some of the slices are in level 0. */
  boolean takesFlushes(Set<Long> slices) {
    for (Run run : versions.current().levels().get(0).runs()) {
      for (Segment segment : run.segments()) {
        if (holds(segment, slices)) {
          return true;
        }
      }
    }
    return false;
  }
}
