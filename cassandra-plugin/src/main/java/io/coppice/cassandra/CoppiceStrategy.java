// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.cassandra.merge.MergeTask;
import io.coppice.cassandra.merge.MoveTask;
import io.coppice.cassandra.merge.OngoingMerges;
import io.coppice.cassandra.observe.PlanningSummary;
import io.coppice.cassandra.observe.StrategyInstance;
import io.coppice.cassandra.observe.StrategyStatus;
import io.coppice.cassandra.observe.StrategyStatusCache;
import io.coppice.cassandra.observe.TableMapBuilder;
import io.coppice.cassandra.observe.TableRegistry;
import io.coppice.cassandra.sstable.CqlOptions;
import io.coppice.cassandra.sstable.FlushShards;
import io.coppice.cassandra.sstable.PluginVersion;
import io.coppice.cassandra.sstable.PurgeRule;
import io.coppice.cassandra.sstable.RunScanner;
import io.coppice.cassandra.sstable.SSTableInventory;
import io.coppice.cassandra.sstable.SteppedMerge;
import io.coppice.cassandra.state.FailureBackoff;
import io.coppice.cassandra.state.TableState;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.Reason;
import io.coppice.policy.observe.Decision;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.spec.PolicySpecException;
import io.coppice.policy.step.DisjointRuns;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.SerializationHeader;
import org.apache.cassandra.db.commitlog.CommitLogPosition;
import org.apache.cassandra.db.commitlog.IntervalSet;
import org.apache.cassandra.db.compaction.AbstractCompactionStrategy;
import org.apache.cassandra.db.compaction.AbstractCompactionTask;
import org.apache.cassandra.db.compaction.CompactionTasks;
import org.apache.cassandra.db.compaction.unified.ShardedMultiWriter;
import org.apache.cassandra.db.lifecycle.LifecycleNewTracker;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.dht.Range;
import org.apache.cassandra.dht.Token;
import org.apache.cassandra.index.Index;
import org.apache.cassandra.io.sstable.Descriptor;
import org.apache.cassandra.io.sstable.ISSTableScanner;
import org.apache.cassandra.io.sstable.SSTableMultiWriter;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.sstable.metadata.StatsMetadata;
import org.apache.cassandra.utils.Clock;
import org.apache.cassandra.utils.FBUtilities;
import org.apache.cassandra.utils.TimeUUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Base of the compaction strategies, which connects a policy to Cassandra.
 *
 * <p>It shows the SSTables of this instance to a policy as a shape and turns the policy's plans
 * into tasks. Cassandra creates one instance per data directory and repair state; an instance sees
 * the SSTables of its own share only.
 *
 * <p>The strategy saves nothing but the level in each SSTable. Cassandra reconciles rows by
 * timestamp, so every combination of levels and overlaps is legal. Crashes, other operations and
 * other strategies may therefore leave any arrangement behind.
 *
 * <p>Several threads call the strategy under the read lock of Cassandra's strategy manager. The
 * lock order is that lock, the monitor of this instance, the tracker's lock. Code here must call no
 * method of the manager that could reload disk boundaries, because such a method waits for the
 * manager's write lock.
 */
public abstract class CoppiceStrategy extends AbstractCompactionStrategy
    implements StrategyInstance {

  private static final Logger LOGGER = LoggerFactory.getLogger(CoppiceStrategy.class);

  // Attempts to claim the inputs of a plan. An attempt fails if a compaction has taken an input
  // since the snapshot. Three failures in a row are unlikely.
  private static final int CLAIM_ATTEMPTS = 3;

  // SSTables of a group for anticompaction, as in Cassandra's strategies. Small groups repeat
  // little work after a failure.
  private static final int ANTICOMPACTION_GROUP = 2;

  private static final Reason PLACED = Reason.of("placed", "they need no merge with other flushes");
  private static final Reason NAMED = Reason.of("named", "an operator named them");

  static {
    PluginVersion.announce();
  }

  private final TableState state;

  @GuardedBy("monitor")
  private final SSTableInventory inventory = new SSTableInventory();

  private final OngoingMerges merges;
  private final TaskFactory taskFactory;
  private final StrategyPlanner planner;
  private final MajorCompactionTasks majorTasks;
  private final TombstoneTasks tombstoneTasks;
  private final ReadAmplificationTracker reads;
  private final CompactionTrigger trigger;
  private final FailureBackoff backoff = new FailureBackoff();
  private final Object monitor = new Object();

  // The value of changeCount when the groups for reads were last measured.
  @GuardedBy("monitor")
  private long measuredChange = -1;

  // Read often: Cassandra asks for the estimate each time before it picks a task.
  private final AtomicLong changeCount = new AtomicLong();
  private volatile PlanningSummary summary = PlanningSummary.NONE;
  private final CpuThrottle throttle = new CpuThrottle();
  private final StrategyStatusCache statusCache = new StrategyStatusCache();

  /**
   * Creates the strategy without reading data. Invalid options are replaced by the defaults: only
   * an older version can have accepted them, and the node must start.
   */
  CoppiceStrategy(ColumnFamilyStore cfs, String policyName, Map<String, String> options) {
    this(cfs, policyName, PurgeRule.EXACT, options);
  }

  /** Creates the strategy with another rule for tombstones, for tests of wrong rules. */
  CoppiceStrategy(
      ColumnFamilyStore cfs, String policyName, PurgeRule rule, Map<String, String> options) {
    this(cfs, spec(cfs, policyName, options), PolicySpec::policy, rule, options);
  }

  /** Creates the strategy with a policy that {@code policies} makes from the specification. */
  public CoppiceStrategy(
      ColumnFamilyStore cfs,
      PolicySpec spec,
      Function<PolicySpec, Policy> policies,
      PurgeRule rule,
      Map<String, String> options) {
    super(cfs, options);
    this.state = TableRegistry.of(cfs, spec);
    this.trigger = new CompactionTrigger(cfs);
    this.merges = new OngoingMerges(state.space(), new Owner());
    this.taskFactory = new TaskFactory(cfs, this::terms, rule, state, inventory, merges);
    this.planner = new StrategyPlanner(cfs, state, policies);
    this.majorTasks = new MajorCompactionTasks(taskFactory, merges);
    this.tombstoneTasks = new TombstoneTasks(cfs, taskFactory);
    this.reads =
        new ReadAmplificationTracker(state.readBalance(), planner::readTerms, this::reconsiderSoon);
  }

  private static PolicySpec spec(
      ColumnFamilyStore cfs, String policyName, Map<String, String> options) {
    try {
      return CqlOptions.spec(policyName, options);
    } catch (PolicySpecException e) {
      LOGGER.error(
          "{}.{}: the compaction options are invalid, so the strategy uses defaults; alter the table: {}",
          cfs.getKeyspaceName(),
          cfs.name,
          e.getMessage());
      return CqlOptions.fallback(policyName);
    }
  }

  /** Receiver of the events of the instance's merges, which their threads report. */
  private final class Owner implements OngoingMerges.Owner {

    @Override
    public void changed() {
      reconsider();
    }

    @Override
    public void mayContinue() {
      trigger.soon();
    }

    @Override
    public void waits() {
      trigger.whileWaiting();
    }

    @Override
    public int failures(Collection<SSTableReader> inputs) {
      return backoff.failures(inputs);
    }

    @Override
    public void failed(Collection<SSTableReader> inputs, int level, int earlier, Throwable why) {
      FailureBackoff.Setback setback = backoff.put(inputs, earlier, Clock.Global.nanoTime());
      state.setBack(inputs, level, setback, why);
      trigger.later(setback.nanos());
    }
  }

  private TaskFactory.Terms terms() {
    PolicySpec spec = state.tunables().current();
    int outputsPerStep = Math.toIntExact(spec.value("cleaning_threshold"));
    return new TaskFactory.Terms(spec.tableBytes(), outputsPerStep, state.limit());
  }

  @Override
  public final void shutdown() {
    super.shutdown();
    merges.end();
    synchronized (monitor) {
      taskFactory.end();
      reads.stop(inventory.all());
    }
    TableRegistry.instanceEnded(cfs, state);
  }

  // --- events that Cassandra reports ---

  @Override
  public final void addSSTable(SSTableReader added) {
    synchronized (monitor) {
      inventory.add(added);
      reconsider();
    }
  }

  @Override
  public final void addSSTables(Iterable<SSTableReader> added) {
    synchronized (monitor) {
      added.forEach(inventory::add);
      reconsider();
    }
  }

  @Override
  public final void removeSSTable(SSTableReader removed) {
    synchronized (monitor) {
      forgetRemoved(removed);
      giveUpGone();
      reconsider();
    }
  }

  @Override
  public final void removeSSTables(Iterable<SSTableReader> removed) {
    synchronized (monitor) {
      removed.forEach(this::forgetRemoved);
      giveUpGone();
      reconsider();
    }
  }

  @Override
  public final void replaceSSTables(
      Collection<SSTableReader> removed, Collection<SSTableReader> added) {
    synchronized (monitor) {
      removed.forEach(inventory::remove);
      added.forEach(inventory::add);
      // A task that is rolled back returns other readers of its inputs, so their backoff stays.
      for (SSTableReader gone : removed) {
        if (!inventory.has(gone)) {
          backoff.forget(gone);
        }
      }
      giveUpGone();
      reconsider();
    }
  }

  // The merges call the reference before this method returns.
  @GuardedBy("monitor")
  @SuppressWarnings("GuardedBy")
  private void giveUpGone() {
    merges.giveUpGone(inventory::has);
  }

  @GuardedBy("monitor")
  private void forgetRemoved(SSTableReader removed) {
    inventory.remove(removed);
    backoff.forget(removed);
  }

  @Override
  public final void metadataChanged(StatsMetadata before, SSTableReader sstable) {
    synchronized (monitor) {
      inventory.renew(sstable);
      reconsider();
    }
  }

  @Override
  public final Set<SSTableReader> getSSTables() {
    synchronized (monitor) {
      return inventory.all();
    }
  }

  // --- requests of Cassandra ---

  /**
   * Returns the next background task, or null without work or after three claims failed. The first
   * of these that applies is returned:
   *
   * <ol>
   *   <li>a task that drops fully expired SSTables
   *   <li>a task that moves flushed SSTables that need no merge
   *   <li>the next step of an ongoing merge, unless the policy's plan is more urgent
   *   <li>a task for that plan
   *   <li>without a plan, a task that purges one SSTable with many tombstones
   * </ol>
   */
  @Override
  public final AbstractCompactionTask getNextBackgroundTask(long gcBefore) {
    synchronized (monitor) {
      for (int attempt = 0; attempt < CLAIM_ATTEMPTS; attempt++) {
        // Read before the snapshot, which then shows the inputs of these merges as idle unless
        // another task took them.
        List<SteppedMerge> waiting = merges.betweenSteps();
        SSTableInventory.Snapshot snapshot = snapshot();
        Optional<AbstractCompactionTask> task =
            tombstoneTasks.expired(snapshot, gcBefore).or(() -> place(snapshot));
        if (task.isPresent()) {
          return noteTask(task);
        }
        Optional<Plan> plan = planner.next(snapshot);
        task = taskFactory.nextStep(waiting, snapshot, plan, gcBefore);
        if (task.isEmpty() && plan.isPresent()) {
          task = taskFactory.start(snapshot, plan.get(), MergeTask.Scope.STEP, gcBefore);
          task.ifPresent(begun -> chargePlan(snapshot, plan.get(), begun));
        }
        if (task.isPresent() || plan.isEmpty()) {
          return noteTask(task.or(() -> purge(snapshot, gcBefore)));
        }
      }
      return null;
    }
  }

  private Optional<AbstractCompactionTask> purge(
      SSTableInventory.Snapshot snapshot, long gcBefore) {
    return tombstoneTasks.purge(
        snapshot,
        tombstoneThreshold,
        sstable -> worthDroppingTombstones(sstable, gcBefore),
        gcBefore);
  }

  private AbstractCompactionTask noteTask(Optional<AbstractCompactionTask> task) {
    if (task.filter(MoveTask.class::isInstance).isEmpty()) {
      taskFactory.noDecision();
    }
    task.ifPresent(begun -> state.counts().throughput().at(Clock.Global.nanoTime(), true));
    return task.orElse(null);
  }

  private void chargePlan(
      SSTableInventory.Snapshot snapshot, Plan plan, AbstractCompactionTask task) {
    // The merge may be a round, which reads fewer SSTables than the plan names.
    if (task instanceof MergeTask merge) {
      state.tuner().budget().charge(merge.inputBytes());
    }
    if (plan.reason().code().equals(Reason.READ_REQUEST)) {
      snapshot
          .readers(plan.slices())
          .ifPresent(readers -> reads.obeyed(SSTableReader.getTotalBytes(readers)));
    }
  }

  /**
   * Returns a snapshot of the table. If the table has changed since the last call, also measures
   * how many SSTables reads may check, see {@link ReadAmplificationTracker#arrange}.
   */
  @GuardedBy("monitor")
  private SSTableInventory.Snapshot snapshot() {
    long at = changeCount.get();
    long now = Clock.Global.nanoTime();
    state.counts().throughput().at(now, !cfs.getTracker().getCompacting().isEmpty());
    SSTableInventory.Snapshot drawn =
        inventory.snapshot(
            cfs.getTracker().getView(), merges.all(), sstable -> backoff.holds(sstable, now));
    if (measuredChange != at) {
      reads.arrange(drawn, planner.mergeOnRead());
      measuredChange = at;
    }
    long tableBytes = state.tunables().current().tableBytes();
    long flushed = cfs.metric == null ? 0 : state.flushedBytes(cfs);
    return drawn.asking(reads.requests(drawn.shape(), drawn.free(), flushed, tableBytes));
  }

  /**
   * Returns a snapshot of the table. If the table has changed, also updates the planning summary.
   */
  @GuardedBy("monitor")
  private SSTableInventory.Snapshot count() {
    long at = changeCount.get();
    SSTableInventory.Snapshot snapshot = snapshot();
    if (summary.change() != at) {
      int others = merges.all().size();
      summary = PlanningSummary.of(at, snapshot.whole(), planner.projected(snapshot), others);
    }
    return snapshot;
  }

  private Optional<AbstractCompactionTask> place(SSTableInventory.Snapshot snapshot) {
    Map.Entry<Integer, List<Long>> move = planner.placement(snapshot).firstEntry();
    return move == null
        ? Optional.empty()
        : taskFactory.move(snapshot, move.getValue(), move.getKey(), PLACED);
  }

  @Override
  public final Collection<AbstractCompactionTask> getMaximalTask(
      long gcBefore, boolean splitOutput) {
    List<AbstractCompactionTask> tasks = new ArrayList<>();
    try {
      synchronized (monitor) {
        // An operator's major compaction includes SSTables whose tasks have failed.
        backoff.forgetAll();
        @SuppressWarnings("GuardedBy") // Called before the monitor is released.
        Supplier<SSTableInventory.Snapshot> snapshots = this::snapshot;
        majorTasks.addTasks(snapshots, gcBefore, tasks);
      }
    } catch (RuntimeException | Error e) {
      CompactionTasks.create(tasks).close();
      throw e;
    }
    return tasks.isEmpty() ? null : tasks;
  }

  /**
   * Returns a task that merges the named SSTables into the deepest level of them. If another task
   * has claimed one of them, the returned task does nothing. It is never null, because Cassandra's
   * callers close their tasks.
   */
  @Override
  public final AbstractCompactionTask getUserDefinedTask(
      Collection<SSTableReader> sstables, long gcBefore) {
    synchronized (monitor) {
      return taskFactory
          .merge(sstables, SSTableInventory.deepest(sstables), MergeTask.Scope.END, gcBefore, NAMED)
          .orElseGet(() -> taskFactory.nothing(gcBefore))
          .setUserDefined(true);
    }
  }

  /**
   * Returns a task that rewrites SSTables in place, for instance to a newer format, and keeps their
   * level; the deepest one, if they differ.
   *
   * @param claim a claim over the SSTables; the task closes it
   */
  @Override
  public final AbstractCompactionTask getCompactionTask(
      LifecycleTransaction claim, long gcBefore, long maxSSTableBytes) {
    synchronized (monitor) {
      return taskFactory.rewrite(
          claim, SSTableInventory.deepest(claim.originals()), maxSSTableBytes, gcBefore);
    }
  }

  /**
   * Returns the number of pending plans at the last count, but at least 1 if something has changed
   * since. It counts again at once, unless the pause of a {@link CpuThrottle} after the last count
   * still lasts.
   */
  @Override
  public final int getEstimatedRemainingTasks() {
    if (summary.change() != changeCount.get() && !throttle.on()) {
      synchronized (monitor) {
        @SuppressWarnings("GuardedBy") // Called before the monitor is released.
        Runnable counting = this::count;
        throttle.after(counting);
      }
    }
    PlanningSummary counted = summary;
    return counted.change() == changeCount.get() ? counted.plans() : Math.max(1, counted.plans());
  }

  @Override
  public final long getMaxSSTableBytes() {
    return state.tunables().current().tableBytes();
  }

  /**
   * Returns a writer that cuts a flush at keys where a merge step may end, see {@link FlushShards}.
   */
  @Override
  public final SSTableMultiWriter createSSTableMultiWriter(
      Descriptor descriptor,
      long keyCount,
      long repairedAt,
      TimeUUID pendingRepair,
      boolean isTransient,
      IntervalSet<CommitLogPosition> commitLogPositions,
      int sstableLevel,
      SerializationHeader header,
      Collection<Index.Group> indexGroups,
      LifecycleNewTracker tracker) {
    boolean divisible = sstableLevel == 0 && FlushShards.allowedBy(indexGroups);
    int shards = divisible ? FlushShards.count(cfs, state.tunables().current()) : 1;
    if (shards == 1) {
      return super.createSSTableMultiWriter(
          descriptor,
          keyCount,
          repairedAt,
          pendingRepair,
          isTransient,
          commitLogPositions,
          sstableLevel,
          header,
          indexGroups,
          tracker);
    }
    return new ShardedMultiWriter(
        cfs,
        descriptor,
        keyCount,
        repairedAt,
        pendingRepair,
        isTransient,
        commitLogPositions,
        header,
        indexGroups,
        tracker,
        FlushShards.bounds(cfs, shards));
  }

  /** Returns one scanner per run, so that a merge of many SSTables reads through few buffers. */
  @Override
  public final ScannerList getScanners(
      Collection<SSTableReader> sstables, Collection<Range<Token>> ranges) {
    List<SSTableReader> read = new ArrayList<>(sstables);
    read.removeIf(sstable -> ranges != null && !intersects(sstable, ranges));
    List<ISSTableScanner> scanners = new ArrayList<>();
    for (List<SSTableReader> run :
        DisjointRuns.of(read, SSTableReader::getFirst, SSTableReader::getLast)) {
      List<RunScanner.Part> parts =
          run.stream().map(sstable -> RunScanner.part(sstable, ranges)).toList();
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

  /**
   * Groups neighbors of one level. Groups must not mix levels, because Cassandra would write their
   * outputs to level 0.
   */
  @Override
  public final Collection<Collection<SSTableReader>> groupSSTablesForAntiCompaction(
      Collection<SSTableReader> sstables) {
    Map<Integer, List<SSTableReader>> byLevel = new TreeMap<>();
    for (SSTableReader sstable : sstables) {
      byLevel
          .computeIfAbsent(SSTableInventory.level(sstable), level -> new ArrayList<>())
          .add(sstable);
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

  /**
   * Returns the latest decisions of the policy, oldest first: each request for a plan with its
   * answer.
   */
  public final List<Decision> decisions() {
    synchronized (monitor) {
      return planner.decisions();
    }
  }

  // --- requests of the bean ---

  /** Records a change of the table or its options, so that the next call takes a new snapshot. */
  @Override
  public final void reconsider() {
    changeCount.incrementAndGet();
  }

  /** Records a change and makes Cassandra ask for a task, because it may not ask by itself. */
  private void reconsiderSoon() {
    reconsider();
    trigger.soon();
  }

  /** Returns the current planning summary. */
  @Override
  public final PlanningSummary summary() {
    synchronized (monitor) {
      count();
      return summary;
    }
  }

  /** Adds the current SSTables of this instance to a table map. */
  @Override
  public final void draw(TableMapBuilder picture) {
    synchronized (monitor) {
      picture.add(count(), merges.all(), planner.delaysMerges());
    }
  }

  /**
   * Returns the current status of this instance for operators.
   *
   * @param parts the names of the table's other instances; the name of this one is added
   */
  @Override
  public final StrategyStatus status(Set<String> parts) {
    synchronized (monitor) {
      SSTableInventory.Snapshot snapshot = count();
      String part = StrategyStatus.part(snapshot, cfs.getDirectories(), parts);
      return statusCache.of(summary, snapshot, part, FBUtilities.nowInSeconds());
    }
  }
}
