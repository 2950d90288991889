// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.policy.Plan;
import io.coppice.policy.Reason;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.compaction.AbstractCompactionTask;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims SSTables and turns decisions into tasks. A claim is all or nothing and fails when
 * something else has taken an SSTable meanwhile; then there is no task. The task owns the claim.
 * Used under its strategy's monitor.
 */
final class Claims {

  private static final Logger LOGGER = LoggerFactory.getLogger(Claims.class);

  /**
   * How the merges of an instance go from now on.
   *
   * @param tableBytes outputs are cut once they exceed it
   * @param outputsAStep outputs of a step where no plan says; 0 means a merge is one step
   * @param transientLimit by how much all merges of the table may fill the disk
   */
  record Terms(long tableBytes, int outputsAStep, MergeTask.Limit transientLimit) {}

  private final ColumnFamilyStore cfs;
  private final Supplier<Terms> terms;
  private final PurgeRule rule;
  private final TableFigures figures;
  private final Inventory inventory;
  private final Chains chains;
  private final DecisionLog log;

  Claims(
      ColumnFamilyStore cfs,
      Supplier<Terms> terms,
      PurgeRule rule,
      TableFigures figures,
      Inventory inventory,
      Chains chains) {
    this.cfs = cfs;
    this.terms = terms;
    this.rule = rule;
    this.figures = figures;
    this.inventory = inventory;
    this.chains = chains;
    this.log =
        new DecisionLog(line -> LOGGER.info("{}.{}: {}", cfs.getKeyspaceName(), cfs.name, line));
  }

  /**
   * A task for a plan that has been checked.
   *
   * @param reach how far the task of a merge carries it on
   */
  Optional<AbstractCompactionTask> start(
      Inventory.Snapshot snapshot, Plan plan, MergeTask.Reach reach, long gcBefore) {
    if (!(plan instanceof Plan.Placing placing)) {
      throw new IllegalArgumentException("Cassandra alone decides what is dead: " + plan);
    }
    int level = placing.target().level();
    Reason reason = plan.reason();
    if (plan instanceof Plan.Delay) {
      return relevel("delay", snapshot, plan.slices(), level, reason);
    }
    if (!(plan instanceof Plan.Merge merge)) {
      return move(snapshot, plan.slices(), level, reason);
    }
    int outputs = merge.cleaningThreshold();
    return snapshot
        .readers(plan.slices())
        .flatMap(
            readers ->
                merge(withSeam(snapshot, readers, level), level, outputs, reach, gcBefore, reason));
  }

  /**
   * Adds the last outputs of a chain that was cut off: at the target level, they lie over the first
   * keys of what is left and end before any of it does. Else they would stay behind as a run of one
   * SSTable.
   */
  private static List<SSTableReader> withSeam(
      Inventory.Snapshot snapshot, List<SSTableReader> inputs, int level) {
    List<SSTableReader> all = new ArrayList<>(inputs);
    Seam.of(snapshot, inputs, level).forEach(all::add);
    return all;
  }

  /** A task that gives SSTables another level. */
  Optional<AbstractCompactionTask> move(
      Inventory.Snapshot snapshot, List<Long> ids, int level, Reason reason) {
    return relevel("move", snapshot, ids, level, reason);
  }

  /** A delay is a move onto what is there: nothing is read or written but the level. */
  private Optional<AbstractCompactionTask> relevel(
      String kind, Inventory.Snapshot snapshot, List<Long> ids, int level, Reason reason) {
    return snapshot
        .readers(ids)
        .flatMap(this::claim)
        .map(
            claim -> {
              inventory.started(level, claim.originals());
              decided(kind, claim, level, reason);
              return new MoveTask(cfs, claim, level, figures, chains);
            });
  }

  /** A task that rewrites SSTables to a level. */
  Optional<AbstractCompactionTask> merge(
      Collection<SSTableReader> sstables,
      int level,
      MergeTask.Reach reach,
      long gcBefore,
      Reason reason) {
    return merge(sstables, level, terms.get().outputsAStep, reach, gcBefore, reason);
  }

  /** True if the SSTable can be rewritten by itself within the space that merges may take. */
  boolean roomFor(SSTableReader sstable) {
    return sstable.bytesOnDisk()
        <= figures.space().free(null, terms.get().transientLimit.bytes(sstable.bytesOnDisk()));
  }

  /** A task that drops SSTables of which nothing lives; it writes nothing, so needs no space. */
  Optional<AbstractCompactionTask> drop(
      Collection<SSTableReader> sstables, int level, long gcBefore, Reason reason) {
    return claim(sstables)
        .map(
            claim -> {
              decided("drop", claim, level, reason);
              Chain.Order order =
                  new Chain.Order(level, terms.get().tableBytes, 0, reason.sentence());
              return unbounded(claim, order, false, gcBefore);
            });
  }

  private Optional<AbstractCompactionTask> merge(
      Collection<SSTableReader> sstables,
      int level,
      int outputsAStep,
      MergeTask.Reach reach,
      long gcBefore,
      Reason reason) {
    return claim(reach == MergeTask.Reach.STEP ? firstRound(sstables) : sstables)
        .map(
            claim -> {
              decided("merge", claim, level, reason);
              Chain.Order order =
                  new Chain.Order(level, terms.get().tableBytes, outputsAStep, reason.sentence());
              return task(
                  claim,
                  new Chain(order, claim.originals()),
                  new MergeTask.Manner(reach, true, gcBefore, rule, terms.get().transientLimit));
            });
  }

  /** In the background a merge has one round; what it leaves is planned again. */
  private static Collection<SSTableReader> firstRound(Collection<SSTableReader> sstables) {
    if (sstables.size() <= Rounds.MOST_RUNS) {
      return sstables;
    }
    List<Input> inputs = sstables.stream().map(Input::new).toList();
    return Rounds.take(inputs, Long.MAX_VALUE, Long.MAX_VALUE, false)
        .map(taken -> (Collection<SSTableReader>) taken.stream().map(Input::sstable).toList())
        .orElse(sstables);
  }

  /** An SSTable that a merge may take. */
  record Input(SSTableReader sstable) implements Rounds.Sized<DecoratedKey> {

    @Override
    public DecoratedKey first() {
      return sstable.getFirst();
    }

    @Override
    public DecoratedKey last() {
      return sstable.getLast();
    }

    @Override
    public long bytes() {
      return sstable.bytesOnDisk();
    }
  }

  /**
   * The next step of a merge that has begun, unless a plan is more urgent: one that reads no data,
   * or whose outputs lie above those of every such merge. Even then a merge has its turn in time.
   *
   * @param resting chains between two steps, taken before the snapshot
   */
  Optional<AbstractCompactionTask> nextStep(
      List<Chain> resting, Inventory.Snapshot snapshot, Optional<Plan> plan, long gcBefore) {
    for (Chain chain : resting) {
      boolean urgent =
          plan.isPresent()
              && (!(plan.get() instanceof Plan.Merge merge)
                  || merge.target().level() < chain.order().level());
      if (urgent && !chain.due()) {
        chains.passOver(null);
        return Optional.empty();
      }
      Optional<AbstractCompactionTask> step = resume(snapshot, chain, gcBefore);
      if (step.isPresent()) {
        chains.passOver(chain);
        return step;
      }
    }
    return Optional.empty();
  }

  /**
   * A task for the next step of a chain. While something else has an input, or an output that a
   * cursor relies on, the chain waits, as that is mostly over in an instant; what has gone, or is
   * not given back for long, is no longer part of it.
   *
   * @param chain which rested already when the snapshot was taken
   * @return empty if nothing is left of it, or something has what it needs
   */
  private Optional<AbstractCompactionTask> resume(
      Inventory.Snapshot snapshot, Chain chain, long gcBefore) {
    Set<SSTableReader> present = new HashSet<>(snapshot.readers().values());
    List<SSTableReader> readers = new ArrayList<>();
    for (SSTableReader input : chain.inputs()) {
      SSTableReader reader = snapshot.idle().get(input);
      if (reader != null) {
        readers.add(reader);
      } else if (present.contains(input) && chain.waits(Clock.Global.nanoTime())) {
        chains.owner().waits();
        return Optional.empty();
      } else {
        chain.leave(input);
      }
    }
    if (readers.isEmpty()) {
      chains.giveUp(List.of(chain));
      return Optional.empty();
    }
    boolean lacksWitness =
        readers.stream()
            .flatMap(input -> chain.witnesses(input).stream())
            .anyMatch(
                witness -> present.contains(witness) && !snapshot.idle().containsKey(witness));
    if (lacksWitness && chain.waits(Clock.Global.nanoTime())) {
      chains.owner().waits();
      return Optional.empty();
    }
    chain.waitsNoMore();
    return claim(readers)
        .map(
            claim -> {
              chain.run(true);
              return task(
                  claim,
                  chain,
                  new MergeTask.Manner(
                      MergeTask.Reach.STEP, true, gcBefore, rule, terms.get().transientLimit));
            });
  }

  /**
   * A task that rewrites SSTables in place, whatever space that takes: an operator wants it, and
   * nothing smaller would do.
   *
   * @param claim over them
   */
  AbstractCompactionTask rewrite(
      LifecycleTransaction claim, int level, long tableBytes, long gcBefore) {
    Chain.Order order = new Chain.Order(level, tableBytes, 0, "they are rewritten in place");
    return unbounded(claim, order, true, gcBefore);
  }

  private AbstractCompactionTask unbounded(
      LifecycleTransaction claim, Chain.Order order, boolean writes, long gcBefore) {
    return task(
        claim,
        new Chain(order, claim.originals()),
        new MergeTask.Manner(MergeTask.Reach.END, writes, gcBefore, rule, MergeTask.Limit.NONE));
  }

  /** A task that claims nothing and does nothing. */
  AbstractCompactionTask nothing(long gcBefore) {
    return rewrite(claim(List.of()).orElseThrow(), 0, Long.MAX_VALUE, gcBefore);
  }

  private AbstractCompactionTask task(
      LifecycleTransaction claim, Chain chain, MergeTask.Manner manner) {
    inventory.started(chain.order().level(), claim.originals());
    return new MergeTask(cfs, claim, chain, chains, manner, figures);
  }

  private Optional<LifecycleTransaction> claim(Collection<SSTableReader> sstables) {
    return Optional.ofNullable(cfs.getTracker().tryModify(sstables, OperationType.COMPACTION));
  }

  private void decided(String kind, LifecycleTransaction claim, int level, Reason reason) {
    int tables = claim.originals().size();
    String sentence =
        kind + " of " + tables + " SSTables to level " + level + ": " + reason.sentence();
    long bytes = SSTableReader.getTotalBytes(claim.originals());
    if (kind.equals("delay")) {
      figures.delayed(tables, bytes);
    } else if (kind.equals("drop")) {
      figures.dropped(bytes);
    }
    figures.decided(kind, reason, sentence, tables, bytes, level);
    if (kind.equals("delay") || kind.equals("move")) {
      log.decided(kind, tables, sentence);
    } else {
      log.decided(sentence);
    }
  }

  /** No move or delay follows for now. */
  void rest() {
    log.rest(Clock.Global.nanoTime());
  }

  /** Nothing follows. */
  void end() {
    log.endRow();
  }
}
