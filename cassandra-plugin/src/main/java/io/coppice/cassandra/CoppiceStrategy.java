// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.policy.Budget;
import io.coppice.policy.Decision;
import io.coppice.policy.DecisionJournal;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.Plan;
import io.coppice.policy.PlanCheck;
import io.coppice.policy.Policy;
import io.coppice.policy.PolicySpec;
import io.coppice.policy.PolicySpecException;
import io.coppice.policy.RunFacts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.compaction.AbstractCompactionStrategy;
import org.apache.cassandra.db.compaction.AbstractCompactionTask;
import org.apache.cassandra.db.compaction.CompactionTasks;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.io.sstable.ISSTableScanner;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.sstable.metadata.StatsMetadata;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts a policy into Cassandra: draws the SSTables of this instance as a Shape, asks the policy,
 * checks its plan, claims the inputs and returns a task. Cassandra makes one instance for each data
 * directory and repair state; an instance sees the SSTables of its own share only.
 *
 * <p>Nothing is persisted but the level in each SSTable, and no level or overlap is ever illegal,
 * as Cassandra reconciles by timestamp; so crashes, other operations and other strategies may leave
 * any arrangement behind.
 *
 * <p>Called by several threads under the read lock of Cassandra's strategy manager. Order of locks:
 * that lock, this monitor, the tracker's. Hence no method of the manager that could reload disk
 * boundaries is called from here: it would wait for the write lock.
 */
public abstract class CoppiceStrategy extends AbstractCompactionStrategy {

  private static final Logger LOGGER = LoggerFactory.getLogger(CoppiceStrategy.class);

  // A claim fails when a compaction took an input since the snapshot; three in a row is bad luck.
  private static final int CLAIM_ATTEMPTS = 3;

  // Stock groups of anticompaction hold two SSTables: few, so that a failure repeats little.
  private static final int ANTICOMPACTION_GROUP = 2;

  // An operator looks at the last few; SSTables are few and large, so shapes are small.
  private static final int KEPT_DECISIONS = 100;
  private static final int KEPT_SLICES = 100 * KEPT_DECISIONS;

  private static final String PURGES = "there is something to purge";

  static {
    Release.announce();
  }

  private final PolicySpec spec;
  private final Policy policy;
  private final Placement placement;
  private final TableFigures figures;
  private final Inventory inventory = new Inventory();
  private final Chains chains;
  private final Claims claims;
  private final DecisionJournal journal = new DecisionJournal(KEPT_DECISIONS, KEPT_SLICES);
  private final Object monitor = new Object();

  private List<Integer> runsPerLevel = List.of();
  private List<Integer> sstablesPerLevel = List.of();

  // Hot: Cassandra asks for the estimate before every choice of a task.
  private volatile boolean changed = true;
  private volatile int pendingPlans;

  /** Reads no data; wrong options, which only an older version can have let in, become defaults. */
  CoppiceStrategy(ColumnFamilyStore cfs, String policyName, Map<String, String> options) {
    this(cfs, policyName, PurgeRule.EXACT, options);
  }

  /** Takes another rule for tombstones, right or wrong. */
  CoppiceStrategy(
      ColumnFamilyStore cfs, String policyName, PurgeRule rule, Map<String, String> options) {
    this(cfs, spec(cfs, policyName, options), rule, options);
  }

  private CoppiceStrategy(
      ColumnFamilyStore cfs, PolicySpec spec, PurgeRule rule, Map<String, String> options) {
    this(cfs, spec, spec.policy(), rule, options);
  }

  /** Takes a policy that the specification does not name. */
  CoppiceStrategy(
      ColumnFamilyStore cfs,
      PolicySpec spec,
      Policy policy,
      PurgeRule rule,
      Map<String, String> options) {
    super(cfs, options);
    this.spec = spec;
    this.policy = policy;
    this.figures = TableFigures.of(cfs);
    this.chains = new Chains(figures.space(), this::chainsChanged);
    this.claims = new Claims(cfs, this::terms, rule, figures, inventory, chains);
    this.placement = new Placement(spec.tableBytes(), CqlOptions.fanout(spec));
  }

  private static PolicySpec spec(
      ColumnFamilyStore cfs, String policyName, Map<String, String> options) {
    try {
      return CqlOptions.spec(policyName, options);
    } catch (PolicySpecException e) {
      LOGGER.error(
          "{}.{}: compaction options are wrong, defaults stand in: {}",
          cfs.getKeyspaceName(),
          cfs.name,
          e.getMessage());
      return CqlOptions.spec(policyName, Map.of());
    }
  }

  private Claims.Terms terms() {
    int outputsAStep = Math.toIntExact(spec.value("cleaning_threshold"));
    return new Claims.Terms(spec.tableBytes(), outputsAStep, () -> Long.MAX_VALUE);
  }

  private void chainsChanged() {
    synchronized (monitor) {
      changed = true;
    }
  }

  final PolicySpec spec() {
    return spec;
  }

  @Override
  public final void shutdown() {
    super.shutdown();
    chains.end();
    figures.instanceEnded();
  }

  // --- what Cassandra reports ---

  @Override
  public final void addSSTable(SSTableReader added) {
    synchronized (monitor) {
      inventory.add(added);
      changed = true;
    }
  }

  @Override
  public final void addSSTables(Iterable<SSTableReader> added) {
    synchronized (monitor) {
      added.forEach(inventory::add);
      changed = true;
    }
  }

  @Override
  public final void removeSSTable(SSTableReader removed) {
    synchronized (monitor) {
      inventory.remove(removed);
      changed = true;
    }
  }

  @Override
  public final void removeSSTables(Iterable<SSTableReader> removed) {
    synchronized (monitor) {
      removed.forEach(inventory::remove);
      changed = true;
    }
  }

  @Override
  public final void replaceSSTables(
      Collection<SSTableReader> removed, Collection<SSTableReader> added) {
    synchronized (monitor) {
      removed.forEach(inventory::remove);
      added.forEach(inventory::add);
      changed = true;
    }
  }

  @Override
  public final void metadataChanged(StatsMetadata before, SSTableReader sstable) {
    synchronized (monitor) {
      inventory.renew(sstable);
      changed = true;
    }
  }

  @Override
  protected final Set<SSTableReader> getSSTables() {
    synchronized (monitor) {
      return inventory.all();
    }
  }

  // --- what Cassandra asks for ---

  @Override
  public final AbstractCompactionTask getNextBackgroundTask(long gcBefore) {
    synchronized (monitor) {
      for (int attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
        // Before the snapshot, in which their inputs are then idle, unless something took them.
        List<Chain> resting = chains.resting();
        Inventory.Snapshot snapshot = snapshot();
        Optional<AbstractCompactionTask> placing = place(snapshot);
        if (placing.isPresent()) {
          return placing.get();
        }
        Optional<Plan> plan = policy.next(snapshot.shape(), Budget.unlimited());
        journal.note(spec, Decision.Question.NEXT, snapshot.shape(), Budget.unlimited(), plan);
        Optional<AbstractCompactionTask> step = nextStep(resting, snapshot, plan, gcBefore);
        if (step.isPresent()) {
          return step.get();
        }
        if (plan.isEmpty()) {
          return tombstoneTask(snapshot, gcBefore);
        }
        if (refuses(snapshot, plan.get())) {
          return null;
        }
        Optional<AbstractCompactionTask> task = claims.start(snapshot, plan.get(), false, gcBefore);
        if (task.isPresent()) {
          return task.get();
        }
      }
      return null;
    }
  }

  /**
   * The next step of a merge that has begun, unless a plan is more urgent: one that reads no data,
   * or whose outputs lie above those of every such merge. Even then a merge has its turn in time.
   */
  private Optional<AbstractCompactionTask> nextStep(
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
      Optional<AbstractCompactionTask> step = claims.resume(snapshot, chain, gcBefore);
      if (step.isPresent()) {
        chains.passOver(chain);
        return step;
      }
    }
    return Optional.empty();
  }

  private Inventory.Snapshot snapshot() {
    List<Chain> begun = chains.all();
    Inventory.Snapshot snapshot = inventory.snapshot(cfs.getTracker().getView(), begun);
    if (changed) {
      pendingPlans =
          policy.backlog(snapshot.shape()).plans() + placement(snapshot).size() + begun.size();
      runsPerLevel = new ArrayList<>();
      sstablesPerLevel = new ArrayList<>();
      for (LevelFacts level : snapshot.shape().levels()) {
        runsPerLevel.add(level.runs().size());
        sstablesPerLevel.add(level.runs().stream().mapToInt(CoppiceStrategy::sstables).sum());
      }
      // Last, as the estimate is read without the monitor while this stands.
      changed = false;
    }
    return snapshot;
  }

  private static int sstables(RunFacts run) {
    return run.segments().size();
  }

  private TreeMap<Integer, List<Long>> placement(Inventory.Snapshot snapshot) {
    boolean measurable = cfs.getPartitioner().splitter().isPresent();
    return placement.moves(
        snapshot.outlines(),
        (first, last) -> measurable ? first.getToken().size(last.getToken()) : 1,
        Math.round(cfs.metric.flushSizeOnDisk.get()));
  }

  private Optional<AbstractCompactionTask> place(Inventory.Snapshot snapshot) {
    Map.Entry<Integer, List<Long>> move = placement(snapshot).firstEntry();
    return move == null
        ? Optional.empty()
        : claims.move(
            snapshot, move.getValue(), move.getKey(), "they need no merge with other flushes");
  }

  private boolean refuses(Inventory.Snapshot snapshot, Plan plan) {
    Optional<String> fault =
        PlanCheck.fault(snapshot.shape(), plan, Budget.unlimited(), ShapeBuilder.DEEPEST_LEVEL);
    if (fault.isEmpty()) {
      return false;
    }
    if (figures.refused("refused: " + fault.get())) {
      LOGGER.error(
          "{}.{}: {} made a plan that breaks {}; it is not carried out; further ones are counted"
              + " only: {}",
          cfs.getKeyspaceName(),
          cfs.name,
          spec,
          fault.get(),
          plan);
    }
    return true;
  }

  /** With nothing else to do, rewrites the SSTable with the largest share of dead cells. */
  private AbstractCompactionTask tombstoneTask(Inventory.Snapshot snapshot, long gcBefore) {
    List<SSTableReader> candidates = new ArrayList<>();
    for (SSTableReader sstable : snapshot.free().values()) {
      if (sstable.getEstimatedDroppableTombstoneRatio(gcBefore) > tombstoneThreshold) {
        candidates.add(sstable);
      }
    }
    candidates.sort(
        Comparator.comparingDouble(
                (SSTableReader sstable) -> sstable.getEstimatedDroppableTombstoneRatio(gcBefore))
            .reversed());
    for (SSTableReader sstable : candidates) {
      if (worthDroppingTombstones(sstable, gcBefore)) {
        Optional<AbstractCompactionTask> task =
            claims.merge(List.of(sstable), Inventory.level(sstable), false, gcBefore, PURGES);
        if (task.isPresent()) {
          return task.get().setCompactionType(OperationType.TOMBSTONE_COMPACTION);
        }
      }
    }
    return null;
  }

  /**
   * Everything into one run: one task for each cluster of SSTables that overlap, a move of what
   * lies alone, and a rewrite of what lies alone and has something to purge. The tasks touch
   * different key ranges, so they may run in any order or at once.
   */
  @Override
  public final Collection<AbstractCompactionTask> getMaximalTask(
      long gcBefore, boolean splitOutput) {
    List<AbstractCompactionTask> tasks = new ArrayList<>();
    try {
      synchronized (monitor) {
        addMajorTasks(gcBefore, tasks);
      }
    } catch (RuntimeException | Error e) {
      CompactionTasks.create(tasks).close();
      throw e;
    }
    return tasks.isEmpty() ? null : tasks;
  }

  private void addMajorTasks(long gcBefore, List<AbstractCompactionTask> tasks) {
    // Nothing runs now, and all that rests is taken up.
    chains.giveUp(chains.all());
    Inventory.Snapshot snapshot = snapshot();
    int deepest = Math.max(1, snapshot.shape().levels().size() - 1);
    for (int atMost = snapshot.free().size(); atMost > 0; atMost--) {
      Optional<Plan> plan = policy.everything(snapshot.shape(), Budget.unlimited());
      journal.note(spec, Decision.Question.EVERYTHING, snapshot.shape(), Budget.unlimited(), plan);
      if (plan.isEmpty() || refuses(snapshot, plan.get())) {
        break;
      }
      if (plan.get() instanceof Plan.Move move) {
        addMoves(snapshot, move, gcBefore, tasks);
      } else {
        claims.start(snapshot, plan.get(), true, gcBefore).ifPresent(tasks::add);
      }
      snapshot = snapshot();
    }
    for (Outline<DecoratedKey> alone : Placement.lone(snapshot.outlines())) {
      SSTableReader sstable = snapshot.free().get(alone.id());
      if (sstable != null && purges(sstable, gcBefore)) {
        claims.merge(List.of(sstable), deepest, true, gcBefore, PURGES).ifPresent(tasks::add);
      }
    }
  }

  private void addMoves(
      Inventory.Snapshot snapshot,
      Plan.Move move,
      long gcBefore,
      List<AbstractCompactionTask> tasks) {
    List<Long> rest = new ArrayList<>();
    for (long slice : move.slices()) {
      SSTableReader sstable = snapshot.free().get(slice);
      if (purges(sstable, gcBefore)) {
        claims
            .merge(List.of(sstable), move.target().level(), true, gcBefore, PURGES)
            .ifPresent(tasks::add);
      } else {
        rest.add(slice);
      }
    }
    if (!rest.isEmpty()) {
      claims
          .move(snapshot, rest, move.target().level(), move.reason().sentence())
          .ifPresent(tasks::add);
    }
  }

  /** True if it may hold something to purge, be it no cell but a deletion. */
  private static boolean purges(SSTableReader sstable, long gcBefore) {
    return sstable.getSSTableMetadata().getDroppableTombstonesBefore(gcBefore) > 0;
  }

  /**
   * Merges what the operator named at the deepest level among it. If something else has one of the
   * SSTables the task does nothing: Cassandra's callers fail on null when they close their tasks.
   */
  @Override
  public final AbstractCompactionTask getUserDefinedTask(
      Collection<SSTableReader> sstables, long gcBefore) {
    synchronized (monitor) {
      return claims
          .merge(sstables, deepest(sstables), true, gcBefore, "an operator named them")
          .orElseGet(() -> claims.nothing(gcBefore))
          .setUserDefined(true);
    }
  }

  private static int deepest(Collection<SSTableReader> sstables) {
    int level = 0;
    for (SSTableReader sstable : sstables) {
      level = Math.max(level, Inventory.level(sstable));
    }
    return level;
  }

  /** Rewrites in place, for instance to a newer format: the level stays. */
  @Override
  public final AbstractCompactionTask getCompactionTask(
      LifecycleTransaction claim, long gcBefore, long maxSSTableBytes) {
    return claims.rewrite(claim, deepest(claim.originals()), maxSSTableBytes, gcBefore);
  }

  @Override
  public final int getEstimatedRemainingTasks() {
    if (changed) {
      synchronized (monitor) {
        snapshot();
      }
    }
    return pendingPlans;
  }

  @Override
  public final long getMaxSSTableBytes() {
    return spec.tableBytes();
  }

  /** One scanner for each run, so that a merge of many SSTables reads through few buffers. */
  @Override
  public final ScannerList getScanners(
      Collection<SSTableReader> sstables, Collection<Range<Token>> ranges) {
    Map<Long, SSTableReader> byId = new HashMap<>();
    List<Outline<DecoratedKey>> outlines = new ArrayList<>();
    for (SSTableReader sstable : sstables) {
      if (ranges == null || intersects(sstable, ranges)) {
        long id = byId.size();
        byId.put(id, sstable);
        outlines.add(new Outline<>(id, sstable.getFirst(), sstable.getLast(), 0, 0, 0, 0, true));
      }
    }
    List<ISSTableScanner> scanners = new ArrayList<>();
    for (List<Outline<DecoratedKey>> run : ShapeBuilder.colour(outlines)) {
      List<RunScanner.Part> parts =
          run.stream().map(outline -> RunScanner.part(byId.get(outline.id()), ranges)).toList();
      scanners.add(new RunScanner(cfs.metadata(), parts));
    }
    return new ScannerList(scanners);
  }

  private static boolean intersects(SSTableReader sstable, Collection<Range<Token>> ranges) {
    for (Range<Token> range : ranges) {
      if (range == null || range.intersects(sstable.getBounds())) {
        return true;
      }
    }
    return false;
  }

  /** Neighbours of one level together: the outputs of a mixed group would fall to level 0. */
  @Override
  public final Collection<Collection<SSTableReader>> groupSSTablesForAntiCompaction(
      Collection<SSTableReader> sstables) {
    Map<Integer, List<SSTableReader>> byLevel = new TreeMap<>();
    for (SSTableReader sstable : sstables) {
      byLevel.computeIfAbsent(Inventory.level(sstable), level -> new ArrayList<>()).add(sstable);
    }
    List<Collection<SSTableReader>> groups = new ArrayList<>();
    for (List<SSTableReader> members : byLevel.values()) {
      members.sort(SSTableReader.firstKeyComparator);
      for (int i = 0; i < members.size(); i += ANTICOMPACTION_GROUP) {
        int end = Math.min(i + ANTICOMPACTION_GROUP, members.size());
        groups.add(new HashSet<>(members.subList(i, end)));
      }
    }
    return groups;
  }

  /** What the policy was asked lately and what it answered, oldest first. */
  final List<Decision> decisions() {
    return journal.decisions();
  }

  // --- what the bean asks for ---

  final List<Integer> runsPerLevel() {
    synchronized (monitor) {
      snapshot();
      return List.copyOf(runsPerLevel);
    }
  }

  final List<Integer> sstablesPerLevel() {
    synchronized (monitor) {
      snapshot();
      return List.copyOf(sstablesPerLevel);
    }
  }
}
