// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.policy.Backlog;
import io.coppice.policy.Budget;
import io.coppice.policy.Decision;
import io.coppice.policy.DecisionJournal;
import io.coppice.policy.Plan;
import io.coppice.policy.PlanCheck;
import io.coppice.policy.Policy;
import io.coppice.policy.PolicySpec;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Predicate;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the policy in force, keeps what it was asked and what it answered, and lets no plan pass
 * that breaks a law. Used under its strategy's monitor.
 */
final class Planner {

  private static final Logger LOGGER = LoggerFactory.getLogger(Planner.class);

  // An operator looks at the last few; SSTables are few and large, so shapes are small.
  private static final int KEPT_DECISIONS = 100;
  private static final int KEPT_SLICES = 100 * KEPT_DECISIONS;

  // Each question looks at the whole table.
  private static final int MOST_ASKED = 4;

  private record InForce(PolicySpec spec, Policy policy) {}

  private final ColumnFamilyStore cfs;
  private final TableFigures figures;
  private final Function<PolicySpec, Policy> policies;
  private final DecisionJournal journal = new DecisionJournal(KEPT_DECISIONS, KEPT_SLICES);
  private InForce inForce;
  private boolean shortOfSpace;

  Planner(ColumnFamilyStore cfs, TableFigures figures, Function<PolicySpec, Policy> policies) {
    this.cfs = cfs;
    this.figures = figures;
    this.policies = policies;
  }

  private InForce inForce() {
    PolicySpec spec = figures.tunables().current();
    if (inForce == null || !inForce.spec.equals(spec)) {
      inForce = new InForce(spec, policies.apply(spec));
    }
    return inForce;
  }

  /** From how many SSTables on reads ask for a merge, see {@link Policy#mergeOnRead}. */
  int mergeOnRead() {
    return inForce().policy.mergeOnRead();
  }

  /**
   * True if the policy puts merges off, so that SSTables of one level overlap until they are made.
   */
  boolean putsOff() {
    return mergeOnRead() < Integer.MAX_VALUE;
  }

  /**
   * The next plan of the policy, within what merges under way leave of the space allowed. Where
   * none fits as the policy reckons, one that is carried out by trimming its inputs does, see
   * {@link CutChoice}: it writes more, and needs no more space than twice its largest input.
   */
  Optional<Plan> next(Inventory.Snapshot snapshot) {
    long free = figures.space().free(null, figures.transientLimit());
    PolicySpec spec = inForce().spec;
    long step = Chain.stepBytes(spec.tableBytes(), (int) spec.value("cleaning_threshold"));
    long rewrite = figures.tuner().rewrites().left();
    long most = Math.max(0, StepLimit.ofPlans(free, step, spec.tableBytes()));
    Budget budget = new Budget(1, most, rewrite);
    Asked asked = ask(snapshot, budget, plan -> !joinsNothing(snapshot, plan, free));
    if (asked.plan.isEmpty() && free < Long.MAX_VALUE) {
      Asked larger =
          ask(
              snapshot,
              new Budget(1, Long.MAX_VALUE, rewrite),
              plan -> trimmable(snapshot, plan, free) && !joinsNothing(snapshot, plan, free));
      asked = larger.plan.isPresent() ? larger : asked;
      if (asked.plan.isEmpty()) {
        noteLackOfSpace(snapshot, budget);
      }
    }
    return checked(Decision.Question.NEXT, snapshot, asked.budget, asked.plan);
  }

  /** What a policy was asked last, and what it answered. */
  private record Asked(Budget budget, Optional<Plan> plan) {}

  /** Asks for the first plan that will do; instead of one that will not, for one of less space. */
  private Asked ask(Inventory.Snapshot snapshot, Budget budget, Predicate<Plan> willDo) {
    Budget within = budget;
    for (int again = 0; again < MOST_ASKED; again++) {
      Optional<Plan> plan = inForce().policy.next(snapshot.shape(), within);
      if (plan.isEmpty() || willDo.test(plan.get())) {
        return new Asked(within, plan);
      }
      long needed = plan.get().reason().forecast().transientBytes();
      long less = Math.max(0, Math.min(needed, within.transientBytes()) - 1);
      within = new Budget(1, less, within.rewriteBytes());
    }
    return new Asked(within, Optional.empty());
  }

  private static boolean trimmable(Inventory.Snapshot snapshot, Plan plan, long freeBytes) {
    return plan instanceof Plan.Merge merge
        && merge.cleaningThreshold() > 0
        && merge.slices().stream()
            .map(snapshot.free()::get)
            .allMatch(input -> input != null && input.bytesOnDisk() <= freeBytes / 2);
  }

  /**
   * True for a merge in place of neighbours of which not even two fit one step: it would write them
   * as they are, and be wanted again.
   */
  private boolean joinsNothing(Inventory.Snapshot snapshot, Plan plan, long freeBytes) {
    if (!(plan instanceof Plan.Merge merge)) {
      return false;
    }
    List<SSTableReader> inputs = new ArrayList<>();
    for (long slice : merge.slices()) {
      SSTableReader input = snapshot.free().get(slice);
      if (input == null || Inventory.level(input) != merge.target().level()) {
        return false;
      }
      inputs.add(input);
    }
    inputs.sort(SSTableReader.firstKeyComparator);
    long pair = 0;
    for (int i = 1; i < inputs.size(); i++) {
      SSTableReader before = inputs.get(i - 1);
      SSTableReader input = inputs.get(i);
      if (before.getLast().compareTo(input.getFirst()) >= 0) {
        return false;
      }
      pair = Math.max(pair, before.bytesOnDisk() + input.bytesOnDisk());
    }
    long room = Math.min(freeBytes, DiskRoom.bytes(cfs, new HashSet<>(inputs)));
    return pair > StepLimit.ofPlans(room, pair, inForce().spec.tableBytes());
  }

  /** An operator must see that a bound, and not the lack of work, keeps the table as it is. */
  private void noteLackOfSpace(Inventory.Snapshot snapshot, Budget budget) {
    long needed = backlog(snapshot).headroomBytes();
    boolean lacking = snapshot.shape().jobs().isEmpty() && needed > budget.transientBytes();
    if (lacking && !shortOfSpace) {
      String sentence =
          "no merge fits max_transient_space, which allows "
              + budget.transientBytes()
              + " bytes now; the smallest one wanted needs "
              + needed;
      figures.decided(sentence);
      LOGGER.warn("{}.{}: {}", cfs.getKeyspaceName(), cfs.name, sentence);
    }
    shortOfSpace = lacking;
  }

  /** What is due now. */
  private Backlog backlog(Inventory.Snapshot snapshot) {
    return inForce().policy.backlog(snapshot.whole());
  }

  /**
   * What there is to do until the table rests, see {@link Projection}. What a change of form must
   * leave undone, as nothing pays for it, is not.
   */
  Backlog projected(Inventory.Snapshot snapshot) {
    if (figures.tuner().rewrites().coverNothing(inForce().policy, snapshot.whole())
        && placement(snapshot).isEmpty()) {
      return Backlog.NONE;
    }
    Backlog due = backlog(snapshot);
    try {
      if (due.plans() == 0 && placement(snapshot).isEmpty()) {
        return due;
      }
      return new Projection(
              inForce().policy,
              placing(),
              positions(snapshot.outlines()),
              snapshot.shape().requests(),
              flushBytes(),
              figures.keptShare())
          .backlog();
    } catch (RuntimeException e) {
      // Cassandra asks for the estimate before every choice of a task, and would choose none.
      if (figures.misprojected()) {
        LOGGER.error(
            "{}.{}: what {} has still to do cannot be projected, only what is due now is shown;"
                + " further such failures are not logged",
            cfs.getKeyspaceName(),
            cfs.name,
            inForce.spec,
            e);
      }
      return due;
    }
  }

  /** The same with shares of the ring for keys; where there are none, of the ends of SSTables. */
  private List<Outline<Double>> positions(List<Outline<DecoratedKey>> outlines) {
    Token origin = cfs.getPartitioner().getMinimumToken();
    Function<DecoratedKey, Double> position =
        cfs.getPartitioner().splitter().isPresent()
            ? key -> origin.size(key.getToken())
            : ranks(outlines)::get;
    List<Outline<Double>> placed = new ArrayList<>();
    for (Outline<DecoratedKey> outline : outlines) {
      placed.add(
          new Outline<>(
              outline.id(),
              position.apply(outline.first()),
              position.apply(outline.last()),
              outline.level(),
              outline.bytes(),
              outline.entries(),
              outline.tombstones(),
              false));
    }
    return placed;
  }

  private static Map<DecoratedKey, Double> ranks(List<Outline<DecoratedKey>> outlines) {
    TreeMap<DecoratedKey, Double> ranks = new TreeMap<>();
    for (Outline<DecoratedKey> outline : outlines) {
      ranks.put(outline.first(), 0.0);
      ranks.put(outline.last(), 0.0);
    }
    int rank = 0;
    for (Map.Entry<DecoratedKey, Double> entry : ranks.entrySet()) {
      entry.setValue((double) rank++ / ranks.size());
    }
    return ranks;
  }

  /** By target level what leaves level 0 without a merge, see {@link Placement}. */
  TreeMap<Integer, List<Long>> placement(Inventory.Snapshot snapshot) {
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
      Inventory.Snapshot snapshot,
      Budget budget,
      Optional<Plan> answer) {
    journal.note(inForce.spec, question, snapshot.shape(), budget, answer);
    return answer.filter(plan -> !refuses(snapshot, plan, budget));
  }

  private boolean refuses(Inventory.Snapshot snapshot, Plan plan, Budget budget) {
    Optional<String> fault =
        PlanCheck.fault(snapshot.shape(), plan, budget, ShapeBuilder.DEEPEST_LEVEL);
    if (fault.isEmpty()) {
      return false;
    }
    if (figures.refused("refused: " + fault.get())) {
      LOGGER.error(
          "{}.{}: {} made a plan that breaks {}; it is not carried out; further ones are counted"
              + " only: {}",
          cfs.getKeyspaceName(),
          cfs.name,
          inForce.spec,
          fault.get(),
          plan);
    }
    return true;
  }

  /** What the policy was asked lately and what it answered, oldest first. */
  List<Decision> decisions() {
    return journal.decisions();
  }
}
