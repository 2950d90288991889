// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.whatif;

import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.Shape;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.simulator.keys.Portion;
import io.coppice.simulator.keys.PortionModel;
import io.coppice.simulator.store.MergeStepSettings;
import io.coppice.simulator.store.ReadRequests;
import io.coppice.simulator.store.SimulatedRun;
import io.coppice.simulator.store.SimulatedStore;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.DoubleUnaryOperator;

/**
 * Simulation of a live store under a policy, for what-if reports. It starts from the present tables
 * and carries out the plans that the policy wants at once. It then flushes like the store, with the
 * policy's plans after each flush. Deterministic unless it is stopped early.
 */
public final class WhatIfSimulation {

  /** Number of positions that the estimate of the share of existing keys samples. */
  private static final int PROBES = 512;

  /** Least share of the tokens that a run must cover to show how uneven they are. */
  private static final double MIN_COVERED = 0.9;

  private final LiveLoad load;
  private final Policy policy;
  private final LiveModel model;
  private final SimulatedStore<Portion> store;
  private final ReadRequests requests;
  private final BooleanSupplier stop;

  private long flushedBytes;
  private long mergedBytes;
  private long readBytes;
  private long writtenBytes;
  private long peakBytes;
  private double runs;
  private double space;
  private int rests;

  private WhatIfSimulation(
      MergeRule rule,
      PolicySpec spec,
      List<LiveSlice> slices,
      LiveLoad load,
      long transientBytes,
      BooleanSupplier stop) {
    this.load = load;
    this.policy = spec.policy();
    this.model = new LiveModel(load, spec.tableBytes());
    DoubleUnaryOperator positions = positions(rule, slices);
    this.store =
        new SimulatedStore<>(rule, model, new MergeStepSettings(spec, transientBytes, positions));
    this.requests = new ReadRequests(policy, store, spec.tableBytes());
    this.stop = stop;
    restore(
        slices.stream()
            .map(
                slice ->
                    slice.at(
                        positions.applyAsDouble(slice.low()),
                        positions.applyAsDouble(slice.high())))
            .toList());
  }

  /**
   * Returns a function from a token to its position in the order of keys, both from 0 to 1. Under
   * {@code FREE} it follows the largest run, if that covers nearly all tokens, because a small
   * table's tokens are uneven. Otherwise it is the identity.
   */
  private static DoubleUnaryOperator positions(MergeRule rule, List<LiveSlice> slices) {
    KeyScale scale = KeyScale.of(slices);
    return rule == MergeRule.FREE && scale.covered() > MIN_COVERED
        ? scale::at
        : DoubleUnaryOperator.identity();
  }

  /**
   * Runs a what-if simulation.
   *
   * @param slices all present slices, in any order
   * @param transientBytes limit on transient space beside the policy's own
   * @param stop called often; the simulation ends when it returns true
   */
  public static WhatIfReport run(
      MergeRule rule,
      PolicySpec policy,
      List<LiveSlice> slices,
      LiveLoad load,
      long transientBytes,
      BooleanSupplier stop) {
    return new WhatIfSimulation(rule, policy, slices, load, transientBytes, stop).run();
  }

  private void restore(List<LiveSlice> slices) {
    TreeMap<Integer, TreeMap<Integer, List<LiveSlice>>> levels = new TreeMap<>();
    for (LiveSlice slice : slices) {
      levels
          .computeIfAbsent(slice.level(), level -> new TreeMap<>(Comparator.reverseOrder()))
          .computeIfAbsent(slice.run(), run -> new ArrayList<>())
          .add(slice);
    }
    List<Portion> all = new ArrayList<>();
    // Oldest first in each level, because each restored run becomes the newest.
    levels.forEach((level, runs) -> runs.values().forEach(run -> restore(level, run, all)));
    double[] live = new double[model.classes()];
    for (int i = 0; i < PROBES; i++) {
      int rank = (int) ((i + 0.5) / PROBES * PortionModel.RANKS);
      double[] lacking = new double[live.length];
      double[] deleted = new double[live.length];
      Arrays.fill(lacking, 1);
      for (Portion one : all) {
        for (int c = 0; one.low() <= rank && rank <= one.high() && c < live.length; c++) {
          lacking[c] *= 1 - LiveModel.shares(one)[c];
          deleted[c] += model.deletions(one, c);
        }
      }
      for (int c = 0; c < live.length; c++) {
        live[c] += Math.max(0, 1 - lacking[c] - deleted[c]) / PROBES;
      }
    }
    model.live(live);
  }

  private void restore(int level, List<LiveSlice> run, List<Portion> all) {
    List<LiveSlice> sorted = new ArrayList<>(run);
    sorted.sort(Comparator.comparingDouble(LiveSlice::low));
    List<SimulatedStore.Found<Portion>> found = new ArrayList<>();
    int least = 0;
    for (int i = 0; i < sorted.size(); ) {
      LiveSlice first = sorted.get(i);
      List<Portion> together = new ArrayList<>();
      double end = first.high();
      int next = i;
      int highest = least;
      while (next < sorted.size() && belongs(first, sorted.get(next), end, next == i)) {
        Portion portion = model.found(sorted.get(next), least);
        together.add(portion);
        highest = Math.max(highest, portion.high());
        end = Math.max(end, sorted.get(next).high());
        next++;
      }
      long group = together.size() > 1 || first.group() != 0 ? first.group() : 0;
      found.add(
          new SimulatedStore.Found<>(
              together, group, group == 0 ? 0 : Math.max(1, first.parents())));
      all.addAll(together);
      least = highest + 1;
      i = next;
    }
    store.restore(level, found);
  }

  /**
   * Returns whether a slice belongs to the segment that {@code first} began.
   *
   * @param end the end of the segment by now
   * @param same whether {@code slice} is {@code first}
   */
  private static boolean belongs(LiveSlice first, LiveSlice slice, double end, boolean same) {
    return same || (first.group() != 0 && slice.group() == first.group() && slice.low() < end);
  }

  private WhatIfReport run() {
    settle();
    final long settleBytes = writtenBytes;
    int flushes = 0;
    List<Portion> memtable = model.flush();
    while (!memtable.isEmpty() && !stop.getAsBoolean()) {
      long bytes = store.flush(memtable);
      flushedBytes += bytes;
      requests.flushed(bytes);
      flushes++;
      read();
      settle();
      if (2 * flushes >= load.flushes()) {
        rest();
      }
      memtable = model.flush();
    }
    mergedBytes = writtenBytes - settleBytes;
    if (rests == 0) {
      rest();
    }
    return new WhatIfReport(
        flushes,
        flushedBytes,
        mergedBytes,
        settleBytes,
        readBytes,
        writtenBytes,
        runs / rests,
        space / rests,
        peakBytes,
        flushes == load.flushes());
  }

  private void rest() {
    long covered = 0;
    for (List<SimulatedRun<Portion>> level : store.levels()) {
      for (SimulatedRun<Portion> run : level) {
        covered += run.covered();
      }
    }
    runs += (double) covered / model.ranks();
    double live = Math.max(load.flushEntries(), model.liveEntries());
    space += store.diskBytes() / (live * load.entryBytes());
    rests++;
  }

  private void read() {
    if (requests.possible()) {
      for (int i = 0; i < load.readsAFlush(); i++) {
        requests.read(model.lookup());
      }
    }
  }

  private void settle() {
    Shape shape = requests.shape();
    Optional<Plan> next = store.next(policy, shape).plan();
    while (next.isPresent() && !stop.getAsBoolean()) {
      SimulatedStore.Effect effect = store.apply(next.get());
      requests.applied(next.get(), effect);
      readBytes += effect.readBytes();
      writtenBytes += effect.writtenBytes();
      peakBytes = Math.max(peakBytes, effect.peakBytes());
      shape = requests.shape();
      next = store.next(policy, shape).plan();
    }
  }
}
