// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.store;

import io.coppice.policy.step.DisjointRuns;
import io.coppice.policy.step.Rounds;
import io.coppice.policy.step.StepPicker;
import io.coppice.policy.step.TokenShards;
import io.coppice.policy.step.TransientSpaceLimit;
import io.coppice.policy.step.UsableFreeSpace;
import io.coppice.simulator.keys.ContentModel;
import io.coppice.simulator.keys.OlderRanks;
import java.util.ArrayList;
import java.util.List;

/**
 * Merge of whole tables by steps, as the Cassandra plugin carries it out in the background. It
 * takes the inputs of the first round. All its steps read one union of them, because no step
 * changes the keys that later steps find. Used once.
 */
final class SimulatedMerge<C> {

  /** A table as an input, with the ranks that earlier steps have merged. */
  private record Input<C>(SimulatedSlice<C> slice, int cursor, ContentModel<C> model)
      implements StepPicker.StepInput<Integer> {

    @Override
    public Integer first() {
      return slice.low();
    }

    @Override
    public Integer last() {
      return slice.high();
    }

    @Override
    public long bytes() {
      return slice.facts.bytes();
    }

    @Override
    public long bytesUpTo(Integer rank) {
      C part = rank < slice.low() ? null : model.window(slice.content, slice.low(), rank);
      return part == null ? 0 : Math.min(bytes(), model.bytes(part));
    }

    @Override
    public long doneBytes() {
      return bytesUpTo(cursor);
    }
  }

  /**
   * Outputs and freed inputs of a step.
   *
   * @param outputs the tables that it writes, by ascending rank
   * @param consumed the inputs that it frees
   */
  record Step<C>(List<C> outputs, List<SimulatedSlice<C>> consumed) {}

  private final MergeStepSettings settings;
  private final TransientSpaceLimit limit;
  private final ContentModel<C> model;
  private final long targetBytes;
  private final long limitBytes;
  private final List<SimulatedSlice<C>> inputs;
  private List<Input<C>> left;
  private C rest;
  private int shards;

  /**
   * Creates a merge that has made no step, on the inputs of its first round.
   *
   * @param inputs newest first
   * @param cleaningThreshold outputs of a step; 0 for all
   * @param liveBytes bytes of all tables of the store
   */
  SimulatedMerge(
      MergeStepSettings settings,
      ContentModel<C> model,
      List<SimulatedSlice<C>> inputs,
      int cleaningThreshold,
      long liveBytes) {
    this.settings = settings;
    this.model = model;
    limit = settings.limit(liveBytes);
    targetBytes = settings.stepBytes(cleaningThreshold);
    long widest = inputs.stream().mapToLong(slice -> slice.facts.bytes()).max().orElse(0);
    limitBytes = UsableFreeSpace.of(limit.bytes(widest));
    this.left = inputs.stream().map(slice -> new Input<>(slice, slice.low() - 1, model)).toList();
    left =
        Rounds.take(left, isLimited() ? limitBytes : Long.MAX_VALUE, settings.tableBytes(), false)
            .orElse(left);
    List<SimulatedSlice<C>> taken = left.stream().map(Input::slice).toList();
    this.inputs = inputs.stream().filter(taken::contains).toList();
  }

  private boolean isLimited() {
    return limit.bytes(0) < Long.MAX_VALUE;
  }

  /** Returns the inputs of the round, newest first. */
  List<SimulatedSlice<C>> inputs() {
    return inputs;
  }

  /**
   * Merges the contents of all inputs.
   *
   * @param older ranks with older data outside of the inputs
   */
  void unite(OlderRanks older) {
    long bytes = 0;
    double entries = 0;
    int low = Integer.MAX_VALUE;
    int high = 0;
    for (SimulatedSlice<C> input : inputs) {
      bytes += input.facts.bytes();
      entries += model.entries(input.content);
      low = Math.min(low, input.low());
      high = Math.max(high, input.high());
    }
    rest = model.union(inputs.stream().map(slice -> slice.content).toList(), older);
    double distinct = rest == null ? 1 : Math.min(1, model.entries(rest) / entries);
    double span = (high - low + 1.0) / model.ranks();
    shards = TokenShards.countForOutputs(bytes / span * distinct, settings.tableBytes());
  }

  /** Returns whether all inputs are merged. */
  boolean finished() {
    return left.isEmpty();
  }

  /**
   * Carries out the next step.
   *
   * @throws IllegalStateException if no step fits the limit on transient space
   */
  Step<C> step() {
    StepPicker.Step<Integer> next =
        new StepPicker<>(left)
            .next(targetBytes, settings.tableBytes(), limitBytes)
            .orElseThrow(() -> new IllegalStateException("no step fits " + limitBytes + " bytes"));
    int cut = ((StepPicker.Cut<Integer>) next).at();
    List<SimulatedSlice<C>> consumed = new ArrayList<>();
    List<Input<C>> read = new ArrayList<>();
    List<Input<C>> later = new ArrayList<>();
    for (Input<C> input : left) {
      if (input.first() <= cut) {
        read.add(input);
      }
      if (input.last() <= cut) {
        consumed.add(input.slice);
      } else {
        later.add(input.first() <= cut ? new Input<>(input.slice, cut, model) : input);
      }
    }
    left = later;
    C merged = rest == null ? null : model.window(rest, model.low(rest), cut);
    List<C> outputs =
        merged == null
            ? List.of()
            : cutter(next.stepBytes(), consumed.size(), joins(read)).cut(merged, model);
    if (rest != null) {
      rest = cut < model.high(rest) ? model.window(rest, cut + 1, model.high(rest)) : null;
    }
    return new Step<>(outputs, consumed);
  }

  private boolean joins(List<Input<C>> read) {
    return read.size() > 1 && DisjointRuns.of(read, Input::first, Input::last).size() == 1;
  }

  private TokenCutter cutter(long stepBytes, int consumed, boolean joins) {
    long tableBytes = settings.tableBytes();
    long outputBytes =
        isLimited() ? UsableFreeSpace.outputs(stepBytes, consumed, limit, tableBytes) : tableBytes;
    return outputBytes < tableBytes
        ? new TokenCutter(
            0, 0, TokenShards.evenOutputBytes(outputBytes, stepBytes), settings.positions())
        : new TokenCutter(
            shards,
            Math.ceil(tableBytes * TokenShards.minOutputTables(joins)),
            tableBytes * TokenShards.MAX_OUTPUT_TABLES,
            settings.positions());
  }
}
