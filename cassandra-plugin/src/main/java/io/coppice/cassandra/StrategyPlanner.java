// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.cassandra.merge.DiskRoom;
import io.coppice.cassandra.merge.MergeInput;
import io.coppice.cassandra.merge.StepSpaceReservation;
import io.coppice.cassandra.sstable.CqlOptions;
import io.coppice.cassandra.sstable.FlushShards;
import io.coppice.cassandra.sstable.Placement;
import io.coppice.cassandra.sstable.SSTableInventory;
import io.coppice.cassandra.sstable.SSTableOutline;
import io.coppice.cassandra.sstable.ShapeBuilder;
import io.coppice.cassandra.state.Reminder;
import io.coppice.cassandra.state.TableState;
import io.coppice.policy.Backlog;
import io.coppice.policy.Budget;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.ReadTerms;
import io.coppice.policy.check.PlanCheck;
import io.coppice.policy.observe.Decision;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.step.PlanSearch;
import io.coppice.policy.step.StepPicker;
import io.coppice.policy.step.TransientSpaceLimit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.util.FileUtils;
import org.apache.cassandra.utils.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Planner of a strategy instance: it asks the active policy for plans, records its decisions, and
 * refuses plans that break a law of {@link PlanCheck}. Called under the monitor of its strategy.
 */
final class StrategyPlanner {

  private static final Logger LOGGER = LoggerFactory.getLogger(StrategyPlanner.class);

  // Most decisions kept. Operators need only the last few, and shapes are small because SSTables
  // are few and large.
  private static final int KEPT_DECISIONS = 100;
  private static final int KEPT_SLICES = 100 * KEPT_DECISIONS;

  private record ActivePolicy(PolicySpec spec, Policy policy) {}

  private final ColumnFamilyStore cfs;
  private final TableState state;
  private final Function<PolicySpec, Policy> policies;
  private final DecisionJournal journal = new DecisionJournal(KEPT_DECISIONS, KEPT_SLICES);
  private ActivePolicy inForce;
  private final Reminder blocked = new Reminder(TimeUnit.MINUTES.toNanos(10));

  StrategyPlanner(ColumnFamilyStore cfs, TableState state, Function<PolicySpec, Policy> policies) {
    this.cfs = cfs;
    this.state = state;
    this.policies = policies;
  }

  private ActivePolicy inForce() {
    PolicySpec spec = state.tunables().current();
    if (inForce == null || !inForce.spec.equals(spec)) {
      inForce = new ActivePolicy(spec, policies.apply(spec));
    }
    return inForce;
  }

  /**
   * Returns the least number of overlapping SSTables whose merge is requested by reads, see {@link
   * Policy#mergeOnRead}; {@link Integer#MAX_VALUE} if reads request none.
   */
  int mergeOnRead() {
    return inForce().policy.mergeOnRead();
  }

  /** Returns the active policy's terms for granting merges requested by reads. */
  ReadTerms readTerms() {
    return inForce().policy.readTerms();
  }

  /** Returns whether the policy delays merges, so that SSTables of one level may overlap. */
  boolean delaysMerges() {
    return mergeOnRead() < Integer.MAX_VALUE;
  }

  /**
   * Returns the next plan of the policy. A plan that does not fit the free part of {@code
   * max_transient_space} may be returned too; it is then merged in rounds. Empty if there is no
   * plan, if the space is too small for any, or if the plan breaks a law of {@link PlanCheck}.
   */
  Optional<Plan> next(SSTableInventory.Snapshot snapshot) {
    PolicySpec spec = inForce().spec;
    TransientSpaceLimit limit = state.limit();
    PlanSearch<DecoratedKey, MergeInput> search =
        new PlanSearch<>(
            new PlanSearch.Tables<>(
                slice -> {
                  SSTableReader sstable = snapshot.free().get(slice);
                  return sstable == null ? null : new MergeInput(sstable);
                },
                input -> SSTableInventory.level(input.sstable()),
                inputs -> StepSpaceReservation.undivided(sstables(inputs)),
                inputs -> DiskRoom.bytes(cfs, sstables(inputs))),
            limit,
            state.space().heldBytes(null),
            StepPicker.stepBytes(spec.tableBytes(), (int) spec.value("cleaning_threshold")),
            spec.tableBytes());
    PlanSearch.Found found =
        search.search(inForce().policy, snapshot.shape(), state.tuner().budget().remaining());
    found.shortage().ifPresent(shortage -> noteShortage(snapshot, shortage));
    return checked(Decision.Question.NEXT, snapshot, found.budget(), found.plan());
  }

  private static Set<SSTableReader> sstables(List<MergeInput> inputs) {
    return inputs.stream().map(MergeInput::sstable).collect(Collectors.toSet());
  }

  /** Reports that the table stays unchanged for lack of space, although the policy wants a plan. */
  private void noteShortage(SSTableInventory.Snapshot snapshot, PlanSearch.Shortage shortage) {
    if (!snapshot.shape().runningPlans().isEmpty()) {
      return;
    }
    String sentence =
        "max_transient_space blocks "
            + backlog(snapshot).plans()
            + " merges: the smallest needs "
            + size(shortage.neededBytes())
            + ", but the option allows "
            + size(shortage.limitBytes())
            + "; raise it";
    state.counts().lastDecision(sentence);
    if (blocked.tryRemind(Clock.Global.nanoTime())) {
      LOGGER.warn("{}.{}: {}", cfs.getKeyspaceName(), cfs.name, sentence);
    }
  }

  private static String size(long bytes) {
    return FileUtils.stringifyFileSize(bytes);
  }

  /** Returns the backlog of the policy: the work that is due now. */
  private Backlog backlog(SSTableInventory.Snapshot snapshot) {
    return inForce().policy.backlog(snapshot.whole());
  }

  /**
   * Returns the backlog until the table rests, see {@link BacklogEstimator}. The merges that a
   * policy switch needs are left out while its rewrite budget is exhausted. If the projection
   * fails, that is logged, and the result is the work that is due now.
   */
  Backlog projected(SSTableInventory.Snapshot snapshot) {
    if (state.tuner().budget().isExhaustedFor(inForce().policy, snapshot.whole())
        && placement(snapshot).isEmpty()) {
      return Backlog.NONE;
    }
    Backlog due = backlog(snapshot);
    try {
      if (due.plans() == 0 && placement(snapshot).isEmpty()) {
        return due;
      }
      return new BacklogEstimator(
              inForce().policy,
              placing(),
              positions(snapshot.outlines()),
              snapshot.shape().requests(),
              flushBytes(),
              state.keptShare())
          .backlog();
    } catch (RuntimeException e) {
      // Cassandra asks for the estimate before every task; an exception would stop all compaction.
      if (state.misprojected()) {
        LOGGER.error(
            "{}.{}: the backlog of {} cannot be projected, so metrics count only plans that are due"
                + " now; later failures of this kind are not logged",
            cfs.getKeyspaceName(),
            cfs.name,
            inForce.spec,
            e);
      }
      return due;
    }
  }

  /**
   * Returns outlines whose keys are positions on the ring, from 0 to 1. For partitioners without
   * positions, the ranks of the SSTables' ends stand in.
   */
  private List<SSTableOutline<Double>> positions(List<SSTableOutline<DecoratedKey>> outlines) {
    Token origin = cfs.getPartitioner().getMinimumToken();
    Function<DecoratedKey, Double> position =
        cfs.getPartitioner().splitter().isPresent()
            ? key -> origin.size(key.getToken())
            : ranks(outlines)::get;
    List<SSTableOutline<Double>> placed = new ArrayList<>();
    for (SSTableOutline<DecoratedKey> outline : outlines) {
      Double first = position.apply(outline.first());
      placed.add(outline.moved(first, position.apply(outline.last()), outline.level()));
    }
    return placed;
  }

  private static Map<DecoratedKey, Double> ranks(List<SSTableOutline<DecoratedKey>> outlines) {
    TreeMap<DecoratedKey, Double> ranks = new TreeMap<>();
    for (SSTableOutline<DecoratedKey> outline : outlines) {
      ranks.put(outline.first(), 0.0);
      ranks.put(outline.last(), 0.0);
    }
    int rank = 0;
    for (Map.Entry<DecoratedKey, Double> entry : ranks.entrySet()) {
      entry.setValue((double) rank++ / ranks.size());
    }
    return ranks;
  }

  /**
   * Returns the ids of SSTables that leave level 0 without a merge, by target level, see {@link
   * Placement#moves}.
   */
  TreeMap<Integer, List<Long>> placement(SSTableInventory.Snapshot snapshot) {
    boolean measurable = cfs.getPartitioner().splitter().isPresent();
    return placing()
        .moves(
            snapshot.outlines(),
            (first, last) -> measurable ? first.getToken().size(last.getToken()) : 1,
            flushBytes());
  }

  private Placement placing() {
    PolicySpec spec = inForce().spec;
    int shards = FlushShards.count(cfs, spec);
    return new Placement(spec.tableBytes(), CqlOptions.fanout(spec), shards);
  }

  private long flushBytes() {
    return Math.round(cfs.metric.flushSizeOnDisk.get());
  }

  private Optional<Plan> checked(
      Decision.Question question,
      SSTableInventory.Snapshot snapshot,
      Budget budget,
      Optional<Plan> answer) {
    journal.note(inForce.spec, question, snapshot.shape(), budget, answer);
    return answer.filter(plan -> !refuses(snapshot, plan, budget));
  }

  private boolean refuses(SSTableInventory.Snapshot snapshot, Plan plan, Budget budget) {
    Optional<String> fault =
        PlanCheck.fault(snapshot.shape(), plan, budget, ShapeBuilder.DEEPEST_LEVEL);
    if (fault.isEmpty()) {
      return false;
    }
    if (state.refused("refused: " + fault.get())) {
      LOGGER.error(
          "{}.{}: {} proposed a plan that breaks {}, and the checker refused it; RefusedPlans"
              + " counts later ones: {}",
          cfs.getKeyspaceName(),
          cfs.name,
          inForce.spec,
          fault.get(),
          plan);
    }
    return true;
  }

  /**
   * Returns the latest decisions of the policy, oldest first: each request for a plan with its
   * answer.
   */
  List<Decision> decisions() {
    return journal.decisions();
  }
}
