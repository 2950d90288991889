// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.cassandra.merge.MergeInput;
import io.coppice.cassandra.merge.MergeTask;
import io.coppice.cassandra.merge.MoveTask;
import io.coppice.cassandra.merge.OngoingMerges;
import io.coppice.cassandra.sstable.InterruptedMergeOverlap;
import io.coppice.cassandra.sstable.PurgeRule;
import io.coppice.cassandra.sstable.SSTableInventory;
import io.coppice.cassandra.sstable.SteppedMerge;
import io.coppice.cassandra.state.DecisionLog;
import io.coppice.cassandra.state.TableState;
import io.coppice.policy.Plan;
import io.coppice.policy.Reason;
import io.coppice.policy.step.Rounds;
import io.coppice.policy.step.TransientSpaceLimit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.AbstractCompactionTask;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.Clock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Factory of tasks for one strategy instance: it claims SSTables and creates the task for them.
 *
 * <p>A claim is all or nothing. It fails if another task has taken one of the SSTables, and then no
 * task is created. The task owns the claim. No method waits. Called under the monitor of its
 * strategy.
 */
final class TaskFactory {

  private static final Logger LOGGER = LoggerFactory.getLogger(TaskFactory.class);

  /**
   * Settings for the merges that an instance starts from now on.
   *
   * @param tableBytes the size in bytes above which an output is cut
   * @param outputsPerStep outputs of a step of a merge that no plan describes (a purge, or a
   *     user-defined or major compaction); 0 means the merge is one step
   * @param transientLimit limit on the transient bytes of all merges of the table
   */
  record Terms(long tableBytes, int outputsPerStep, TransientSpaceLimit transientLimit) {}

  private final ColumnFamilyStore cfs;
  private final Supplier<Terms> terms;
  private final PurgeRule rule;
  private final TableState state;
  private final SSTableInventory inventory;
  private final OngoingMerges merges;
  private final DecisionLog log;

  TaskFactory(
      ColumnFamilyStore cfs,
      Supplier<Terms> terms,
      PurgeRule rule,
      TableState state,
      SSTableInventory inventory,
      OngoingMerges merges) {
    this.cfs = cfs;
    this.terms = terms;
    this.rule = rule;
    this.state = state;
    this.inventory = inventory;
    this.merges = merges;
    this.log =
        new DecisionLog(line -> LOGGER.info("{}.{}: {}", cfs.getKeyspaceName(), cfs.name, line));
  }

  /**
   * Returns a task for a plan that has been checked; empty if an input is not free.
   *
   * @param snapshot the snapshot of the plan, which holds its inputs
   * @param scope how much of a merge the task carries out
   * @param gcBefore tombstones older than this, in seconds since the epoch, may be purged
   * @throws IllegalArgumentException if the plan is a drop, because only Cassandra knows when data
   *     is dead
   */
  Optional<AbstractCompactionTask> start(
      SSTableInventory.Snapshot snapshot, Plan plan, MergeTask.Scope scope, long gcBefore) {
    if (!(plan instanceof Plan.Placing placing)) {
      throw new IllegalArgumentException(
          "a drop was planned, but Cassandra alone decides what to delete: " + plan);
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
                merge(withSeam(snapshot, readers, level), level, outputs, scope, gcBefore, reason));
  }

  /**
   * Returns the inputs and their seam: the last outputs of an interrupted merge of them, see {@link
   * InterruptedMergeOverlap}. Left out, the seam would stay a run of its own.
   */
  private static List<SSTableReader> withSeam(
      SSTableInventory.Snapshot snapshot, List<SSTableReader> inputs, int level) {
    List<SSTableReader> all = new ArrayList<>(inputs);
    InterruptedMergeOverlap.of(snapshot, inputs, level).forEach(all::add);
    return all;
  }

  /** Returns a task that changes the level of SSTables; empty if one of them is not free. */
  Optional<AbstractCompactionTask> move(
      SSTableInventory.Snapshot snapshot, List<Long> ids, int level, Reason reason) {
    return relevel("move", snapshot, ids, level, reason);
  }

  /**
   * Returns a task for a move or a delay; empty if an SSTable is not free. A delay is a move onto
   * overlapping SSTables; both change the level alone.
   *
   * @param kind name of the plan for logs and counters
   */
  private Optional<AbstractCompactionTask> relevel(
      String kind, SSTableInventory.Snapshot snapshot, List<Long> ids, int level, Reason reason) {
    return snapshot
        .readers(ids)
        .flatMap(this::claim)
        .map(
            claim -> {
              inventory.started(level, claim.originals());
              decided(kind, claim, level, reason);
              return new MoveTask(cfs, claim, level, state, merges);
            });
  }

  /**
   * Returns a task that merges SSTables into a level; empty if the claim fails. A task of {@code
   * STEP} takes the SSTables of the first round alone.
   */
  Optional<AbstractCompactionTask> merge(
      Collection<SSTableReader> sstables,
      int level,
      MergeTask.Scope scope,
      long gcBefore,
      Reason reason) {
    return merge(sstables, level, terms.get().outputsPerStep, scope, gcBefore, reason);
  }

  /**
   * Returns whether {@code max_transient_space}, less the space that merges hold, has room for a
   * rewrite of the SSTable alone. The free space of the disks is not checked.
   */
  boolean roomFor(SSTableReader sstable) {
    return sstable.bytesOnDisk()
        <= state.space().free(null, terms.get().transientLimit.bytes(sstable.bytesOnDisk()));
  }

  /**
   * Returns a task that drops fully expired SSTables; empty if the claim fails. It only deletes, so
   * it needs no space.
   *
   * @param level a level for logs and metrics
   */
  Optional<AbstractCompactionTask> drop(
      Collection<SSTableReader> sstables, int level, long gcBefore, Reason reason) {
    return claim(sstables)
        .map(
            claim -> {
              decided("drop", claim, level, reason);
              SteppedMerge.Spec spec =
                  new SteppedMerge.Spec(level, terms.get().tableBytes, 0, reason.sentence());
              return unbounded(claim, spec, false, gcBefore);
            });
  }

  private Optional<AbstractCompactionTask> merge(
      Collection<SSTableReader> sstables,
      int level,
      int outputsPerStep,
      MergeTask.Scope scope,
      long gcBefore,
      Reason reason) {
    return claim(scope == MergeTask.Scope.STEP ? firstRound(sstables) : sstables)
        .map(
            claim -> {
              decided("merge", claim, level, reason);
              SteppedMerge.Spec spec =
                  new SteppedMerge.Spec(
                      level, terms.get().tableBytes, outputsPerStep, reason.sentence());
              return task(
                  claim,
                  new SteppedMerge(spec, claim.originals()),
                  new MergeTask.Settings(scope, true, gcBefore, rule, terms.get().transientLimit));
            });
  }

  /**
   * Returns the SSTables of the first round. A background merge leaves out the others, because the
   * policy plans them again.
   */
  private static Collection<SSTableReader> firstRound(Collection<SSTableReader> sstables) {
    if (sstables.size() <= Rounds.MAX_RUNS) {
      return sstables;
    }
    List<MergeInput> inputs = sstables.stream().map(MergeInput::new).toList();
    return Rounds.take(inputs, Long.MAX_VALUE, Long.MAX_VALUE, false)
        .map(taken -> (Collection<SSTableReader>) taken.stream().map(MergeInput::sstable).toList())
        .orElse(sstables);
  }

  /**
   * Returns a task for the next step of an ongoing merge; empty if the plan is more urgent or none
   * of the merges can continue. A plan is more urgent if it reads no data, or if its target level
   * has a smaller number than that of the merge. A merge that is {@linkplain SteppedMerge#due due}
   * goes before any plan that reads data.
   *
   * @param waiting merges between two steps, in the order of {@link OngoingMerges#betweenSteps},
   *     listed before the snapshot was taken
   * @param plan the next plan of the policy, or empty
   */
  Optional<AbstractCompactionTask> nextStep(
      List<SteppedMerge> waiting,
      SSTableInventory.Snapshot snapshot,
      Optional<Plan> plan,
      long gcBefore) {
    for (SteppedMerge merge : waiting) {
      boolean urgent =
          plan.isPresent()
              && (!(plan.get() instanceof Plan.Merge planned)
                  || planned.target().level() < merge.spec().level());
      if (urgent && !merge.due()) {
        // All of them were passed over.
        merges.passOver(null);
        return Optional.empty();
      }
      Optional<AbstractCompactionTask> step = resume(snapshot, merge, gcBefore);
      if (step.isPresent()) {
        merges.passOver(merge);
        return step;
      }
    }
    return Optional.empty();
  }

  /**
   * Returns a task for the next step of a merge.
   *
   * <p>The merge waits while another task has claimed one of its inputs or a pinned output; mostly
   * that takes an instant. It drops inputs that are gone, or stay claimed for too long.
   *
   * @param merge a merge that was between two steps when the snapshot was taken
   * @return empty if no input is left, or another task has claimed what the step needs
   */
  private Optional<AbstractCompactionTask> resume(
      SSTableInventory.Snapshot snapshot, SteppedMerge merge, long gcBefore) {
    Set<SSTableReader> present = new HashSet<>(snapshot.readers().values());
    List<SSTableReader> readers = new ArrayList<>();
    for (SSTableReader input : merge.inputs()) {
      SSTableReader reader = snapshot.idle().get(input);
      if (reader != null) {
        readers.add(reader);
      } else if (present.contains(input) && merge.noteWait(Clock.Global.nanoTime())) {
        merges.owner().waits();
        return Optional.empty();
      } else {
        merge.drop(input);
      }
    }
    if (readers.isEmpty()) {
      merges.giveUp(List.of(merge));
      return Optional.empty();
    }
    boolean lacksPinned =
        readers.stream()
            .flatMap(input -> merge.pinnedOutputs(input).stream())
            .anyMatch(output -> present.contains(output) && !snapshot.idle().containsKey(output));
    if (lacksPinned && merge.noteWait(Clock.Global.nanoTime())) {
      merges.owner().waits();
      return Optional.empty();
    }
    merge.endWait();
    return claim(readers)
        .map(
            claim -> {
              merge.setRunning(true);
              return task(
                  claim,
                  merge,
                  new MergeTask.Settings(
                      MergeTask.Scope.STEP, true, gcBefore, rule, terms.get().transientLimit));
            });
  }

  /**
   * Returns a task that rewrites SSTables in place. It may take any amount of space, because an
   * operator asked for it and no smaller task would do.
   *
   * @param claim a claim over these SSTables; the task closes it
   * @param tableBytes the size in bytes above which an output is cut
   */
  AbstractCompactionTask rewrite(
      LifecycleTransaction claim, int level, long tableBytes, long gcBefore) {
    SteppedMerge.Spec spec =
        new SteppedMerge.Spec(level, tableBytes, 0, "they are rewritten in place");
    return unbounded(claim, spec, true, gcBefore);
  }

  private AbstractCompactionTask unbounded(
      LifecycleTransaction claim, SteppedMerge.Spec spec, boolean writes, long gcBefore) {
    return task(
        claim,
        new SteppedMerge(spec, claim.originals()),
        new MergeTask.Settings(
            MergeTask.Scope.END, writes, gcBefore, rule, TransientSpaceLimit.NONE));
  }

  /** Returns a task without claims; running it has no effect. */
  AbstractCompactionTask nothing(long gcBefore) {
    return rewrite(claim(List.of()).orElseThrow(), 0, Long.MAX_VALUE, gcBefore);
  }

  private AbstractCompactionTask task(
      LifecycleTransaction claim, SteppedMerge merge, MergeTask.Settings settings) {
    inventory.started(merge.spec().level(), claim.originals());
    return new MergeTask(cfs, claim, merge, merges, settings, state);
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
      state.delayed(tables, bytes);
    } else if (kind.equals("drop")) {
      state.counts().countDrop(bytes);
    }
    state.counts().recordDecision(kind, reason, sentence, tables, bytes, level);
    if (kind.equals("delay") || kind.equals("move")) {
      log.decided(kind, tables, sentence);
    } else {
      log.decided(sentence);
    }
  }

  /** Tells the log of decisions that no move or delay follows for now; it may log its series. */
  void noDecision() {
    log.noDecision(Clock.Global.nanoTime());
  }

  /**
   * Tells the log of decisions that no decision follows, so that it writes what it has collected.
   */
  void end() {
    log.endRow();
  }
}
