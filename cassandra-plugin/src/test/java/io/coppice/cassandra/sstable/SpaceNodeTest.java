// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import com.google.common.base.Throwables;
import io.coppice.cassandra.CoppiceStrategy;
import io.coppice.cassandra.merge.ClaimRenewal;
import io.coppice.cassandra.node.DiskSampler;
import io.coppice.cassandra.node.LateDeletions;
import io.coppice.cassandra.node.MergeGate;
import io.coppice.cassandra.node.Node;
import io.coppice.cassandra.node.SharedNode;
import io.coppice.cassandra.node.SmallDisk;
import io.coppice.cassandra.node.Strategies;
import io.coppice.cassandra.node.TableModel;
import io.coppice.cassandra.observe.TableRegistry;
import io.coppice.cassandra.state.TableState;
import io.coppice.cassandra.state.TransientSpaceLedger;
import io.coppice.policy.observe.CompactionMetricId;
import io.coppice.policy.observe.StrategySnapshot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.cassandra.concurrent.ScheduledExecutors;
import org.apache.cassandra.config.DataStorageSpec.IntMebibytesBound;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.cql3.UntypedResultSet;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.compaction.AbstractCompactionTask;
import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.CompactionInterruptedException;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.marshal.LongType;
import org.apache.cassandra.io.FSError;
import org.apache.cassandra.io.FSErrorHandler;
import org.apache.cassandra.io.sstable.CorruptSSTableException;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.util.FileUtils;
import org.apache.cassandra.service.DefaultFSErrorHandler;
import org.apache.cassandra.utils.FBUtilities;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Merges where space is short, inside a real node. */
@SharedNode
final class SpaceNodeTest {

  private static final long SEED = Long.getLong("seed", 20261121L);
  private static final int PARTITIONS = 2000;

  // Flushes are cut into 32, as many as they ever are.
  private static final int MANY = 3900;
  private static final int VALUE = 4500;

  private static Node node;

  @BeforeAll
  static void startNode() {
    node = Node.shared();
  }

  @AfterAll
  static void nodeComplainedOfNothing() {
    // Merges on the full disk do fail; nothing else may be wrong, nor anything leak.
    assertThat(node.complaints())
        .filteredOn(line -> !line.contains("Exception in thread Thread[CompactionExecutor"))
        .filteredOn(line -> !line.contains("/ks/filled-"))
        .isEmpty();
  }

  /** A forest with the steps of its merges at the table's gate. */
  private static String gated(String more) {
    return forest(more).replace("SplitForestCompactionStrategy", "node.GatedForestStrategy");
  }

  private static String forest(String more) {
    return "{'class': 'io.coppice.cassandra.SplitForestCompactionStrategy', 'table_size': '1MiB',"
        + " 'fanout': '32'"
        + more
        + "}";
  }

  private static ColumnFamilyStore create(String name, String compaction) {
    node.cql(TableModel.create(name, compaction));
    ColumnFamilyStore table = node.table("ks", name);
    table.disableAutoCompaction();
    return table;
  }

  /** Has the node learn how large flushes are, so that the next are cut into several SSTables. */
  private static TableModel warm(ColumnFamilyStore table, int partitions) {
    TableModel first = new TableModel(node, table.name, SEED);
    for (int pk = 0; pk < partitions; pk++) {
      first.put(pk, 0, first.value(VALUE));
    }
    node.flush(table);
    node.cql("TRUNCATE ks." + table.name);
    LifecycleTransaction.waitForDeletions();
    return new TableModel(node, table.name, SEED);
  }

  /** Runs of SSTables that mostly end together: new rows, some overwrites, some deletes. */
  private static void fill(ColumnFamilyStore table, TableModel model, int runs, int partitions) {
    for (int run = 0; run < runs; run++) {
      for (int pk = 0; pk < partitions; pk++) {
        if ((pk + run) % 17 == 0) {
          model.delete(pk, run % TableModel.ROWS);
        } else {
          model.put(pk, run % TableModel.ROWS, model.value(VALUE));
        }
      }
      node.flush(table);
    }
    assertThat(Node.depth(table.getLiveSSTables())).isGreaterThanOrEqualTo(runs);
  }

  @Test
  void aMajorCompactionOfFourRunsFinishesInTwoPercentOfTheTable() throws Exception {
    ColumnFamilyStore table = create("tight", forest(", 'max_transient_space': '2%'"));
    TableModel model = warm(table, MANY);
    fill(table, model, 4, MANY);
    LifecycleTransaction.waitForDeletions();
    long base = DiskSampler.bytes(table);
    long widest =
        table.getLiveSSTables().stream().mapToLong(SSTableReader::bytesOnDisk).max().orElseThrow();
    assertThat(4 * widest).as("aligned steps do not fit").isGreaterThan(base / 50);
    try (DiskSampler sampler = new DiskSampler(table)) {
      table.forceMajorCompaction();
      assertThat(sampler.peak() - base).isLessThanOrEqualTo(base / 50);
    }
    assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
    model.verify("after a major compaction in little space", MANY);
  }

  @ParameterizedTest
  @ValueSource(strings = {"2%", "1MiB"})
  void aSmallBoundNeverAddsSstablesAndMergingGoesOn(String bound) {
    String name = "bound" + bound.length();
    ColumnFamilyStore table =
        create(
            name,
            "{'class': 'io.coppice.cassandra.SplitForestCompactionStrategy',"
                + " 'max_transient_space': '"
                + bound
                + "'}");
    TableModel model = new TableModel(node, name, SEED);
    CoppiceStrategy strategy = strategy(table);
    Random random = new Random(SEED);
    for (int flush = 0; flush < 40; flush++) {
      for (int row = 0; row < 100; row++) {
        model.put(random.nextInt(200), 0, model.value(1000));
      }
      node.flush(table);
      int flushed = table.getLiveSSTables().size();
      for (AbstractCompactionTask task = next(strategy); task != null; task = next(strategy)) {
        task.execute(CompactionManager.instance.active);
      }
      assertThat(table.getLiveSSTables()).as("flush " + flush).hasSizeLessThanOrEqualTo(flushed);
    }
    assertThat(Node.depth(table.getLiveSSTables())).isLessThan(12);
    table.forceMajorCompaction();
    assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
    model.verify("within " + bound, 200);
  }

  /**
   * A merge of a node keeps the deletions of emptied partitions. In its statistics they leave the
   * rows of a partition alone, so that later deletions hide as many as they delete.
   */
  @Test
  void deletionsHideTheirRowsAlsoAfterAMergeOfDeletions() {
    ColumnFamilyStore table = create("emptied", forest(""));
    node.cql("ALTER TABLE ks.emptied WITH gc_grace_seconds = 1000000");
    TableModel model = new TableModel(node, "emptied", SEED);
    int partitions = 300;
    for (int pk = 0; pk < partitions; pk++) {
      for (int row = 0; row < TableModel.ROWS; row++) {
        model.put(pk, row, model.value(10));
      }
    }
    node.flush(table);
    for (int pk = 0; pk < partitions / 3; pk++) {
      model.deletePartition(pk);
    }
    node.flush(table);
    table.forceMajorCompaction();
    for (int pk = partitions / 3; pk < partitions; pk++) {
      model.deletePartition(pk);
    }
    node.flush(table);
    List<SSTableCounts> counts =
        table.getLiveSSTables().stream()
            .map(sstable -> SSTableCounts.of(sstable).orElseThrow())
            .toList();
    SSTableCounts.Density density = SSTableCounts.Density.of(counts);
    long[] hidden =
        counts.stream().mapToLong(one -> one.deletions(density).hidden()).sorted().toArray();
    assertThat(hidden)
        .containsExactly(
            (long) TableModel.ROWS * partitions / 3, (long) TableModel.ROWS * partitions * 2 / 3);
    model.verify("after deletions", partitions);
  }

  @Test
  void manySmallSstablesOnANearlyFullDiskBecomeFewer() throws Exception {
    ColumnFamilyStore table = create("crowded", forest("").replace("32", "4"));
    try (SmallDisk disk = SmallDisk.under(table, 32 << 20)) {
      TableModel model = new TableModel(node, "crowded", SEED);
      for (int flush = 0; flush < 60; flush++) {
        for (int pk = 0; pk < 40; pk++) {
          model.put(pk, flush % TableModel.ROWS, model.value(1000));
        }
        node.flush(table);
      }
      assertThat(table.getLiveSSTables()).hasSize(60);
      IntMebibytesBound usual = DatabaseDescriptor.getRawConfig().min_free_space_per_drive;
      try {
        DatabaseDescriptor.getRawConfig().min_free_space_per_drive = new IntMebibytesBound("0MiB");
        disk.leave(700 << 10);
        table.forceMajorCompaction();
      } finally {
        DatabaseDescriptor.getRawConfig().min_free_space_per_drive = usual;
      }
      assertThat(table.getLiveSSTables()).hasSize(1);
      model.verify("on a nearly full disk", 40);
      node.cql("TRUNCATE ks.crowded");
      LifecycleTransaction.waitForDeletions();
    }
  }

  /** By hand also with {@code -Dsstables=5000} in a heap of 512 MB. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aMergeReadsABoundedNumberOfRunsAtOnce(boolean major) {
    int copies = Integer.getInteger("sstables", 150);
    String name = major ? "manymajor" : "many";
    ColumnFamilyStore one = create("one" + name, forest(""));
    TableModel model = new TableModel(node, "one" + name, SEED);
    for (int pk = 0; pk < 20; pk++) {
      model.put(pk, 0, model.value(100));
    }
    node.flush(one);
    ColumnFamilyStore table =
        create(name, Strategies.ours("Coppice", "'policy': 'leveled', 'l0_trigger': '2'"));
    for (int copy = 0; copy < copies; copy++) {
      node.copy(one, table);
    }
    if (major) {
      table.forceMajorCompaction();
      assertThat(table.getLiveSSTables()).hasSize(1);
    } else {
      CoppiceStrategy strategy = strategy(table);
      for (AbstractCompactionTask task = next(strategy); task != null; task = next(strategy)) {
        task.execute(CompactionManager.instance.active);
      }
      assertThat(table.getLiveSSTables()).hasSizeLessThan(3);
    }
    int most = 0;
    for (UntypedResultSet.Row step : node.run("SELECT * FROM system.compaction_history")) {
      if (step.getString("columnfamily_name").equals(name)) {
        for (int runs :
            step.getMap("rows_merged", Int32Type.instance, LongType.instance).keySet()) {
          most = Math.max(most, runs);
        }
      }
    }
    assertThat(most).isBetween(32, 64);
  }

  @Test
  void aMajorCompactionWithRoomToSpareDoesNotRunAheadOfItsDeletions() throws Exception {
    ColumnFamilyStore table = create("ahead", forest(", 'cleaning_threshold': '1'"));
    TableModel model = warm(table, PARTITIONS);
    fill(table, model, 3, PARTITIONS);
    LifecycleTransaction.waitForDeletions();
    CountDownLatch deleting = new CountDownLatch(1);
    ScheduledExecutors.nonPeriodicTasks.submit(() -> deleting.await(1, TimeUnit.MINUTES));
    CompletableFuture<Void> major = CompletableFuture.runAsync(table::forceMajorCompaction);
    try {
      Node.await("it to wait for files to go", () -> major.isDone() || awaitsDeletions());
      assertThat(major).isNotDone();
      long merged = table.getLiveSSTables().stream().filter(t -> t.getSSTableLevel() > 0).count();
      assertThat(merged).as("outputs of the first step and the second").isBetween(2L, 4L);
    } finally {
      deleting.countDown();
    }
    major.join();
    assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
    model.verify("after a major compaction whose inputs went late", PARTITIONS);
  }

  @Test
  void largeOutputsAreSyncedWhileTheyAreWritten() {
    ColumnFamilyStore table = create("large", forest("").replace("1MiB", "16MiB"));
    TableModel model = new TableModel(node, "large", SEED);
    fill(table, model, 2, PARTITIONS);
    table.forceMajorCompaction();
    assertThat(Thread.getAllStackTraces().keySet())
        .extracting(Thread::getName)
        .anyMatch(name -> name.startsWith("CoppiceWriteback"));
    model.verify("after a major compaction to large SSTables", PARTITIONS);
  }

  private static boolean awaitsDeletions() {
    return Thread.getAllStackTraces().entrySet().stream()
        .filter(thread -> thread.getKey().getState() == Thread.State.WAITING)
        .flatMap(thread -> Arrays.stream(thread.getValue()))
        .anyMatch(frame -> frame.getMethodName().equals("awaitEarlierDeletions"));
  }

  @Test
  void aMajorCompactionFinishesOnAFileSystemWithThreePercentFree() throws Exception {
    ColumnFamilyStore table = create("small", forest(""));
    IntMebibytesBound usual = DatabaseDescriptor.getRawConfig().min_free_space_per_drive;
    try (SmallDisk disk = SmallDisk.under(table, 160 << 20)) {
      TableModel model = warm(table, MANY);
      fill(table, model, 4, MANY);
      LifecycleTransaction.waitForDeletions();
      long free = DiskSampler.bytes(table) * 3 / 100;
      disk.leave(free);
      long base = DiskSampler.bytes(table);
      DatabaseDescriptor.getRawConfig().min_free_space_per_drive = new IntMebibytesBound("0MiB");
      try (DiskSampler sampler = new DiskSampler(table);
          LateDeletions late = new LateDeletions()) {
        table.forceMajorCompaction();
        assertThat(sampler.peak() - base).isLessThanOrEqualTo(free);
        assertThat(late.times()).isPositive();
      }
      assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
      model.verify("after a major compaction on a full disk", MANY);
      node.cql("TRUNCATE ks.small");
      LifecycleTransaction.waitForDeletions();
    } finally {
      DatabaseDescriptor.getRawConfig().min_free_space_per_drive = usual;
    }
  }

  @Test
  void aDiskThatFillsAmidAMergeLosesNothingAndTheMergeGoesOnWhenSpaceReturns() throws Exception {
    ColumnFamilyStore table = create("filled", forest(", 'cleaning_threshold': '1'"));
    try (SmallDisk disk = SmallDisk.under(table, 64 << 20)) {
      TableModel model = warm(table, PARTITIONS);
      fill(table, model, 3, PARTITIONS);
      LifecycleTransaction.waitForDeletions();
      // Instead of the one that obeys disk_failure_policy, which would end this node.
      AtomicReference<FSError> reported = new AtomicReference<>();
      FileUtils.setFSErrorHandler(handler(reported));
      // Without its check the merge runs into the wall.
      table.compactionDiskSpaceCheck(false);
      disk.leave(1 << 20);
      assertThatThrownBy(table::forceMajorCompaction)
          .hasStackTraceContaining("No space left on device");
      Node.await("the failure policy to be asked", () -> reported.get() != null);
      assertThat(table.getTracker().getCompacting()).isEmpty();
      assertThat(Node.depth(table.getLiveSSTables())).isGreaterThan(1);
      model.verify("after the disk was full", PARTITIONS);
      List<StrategySnapshot.Decision> decisions = TableRegistry.known(table).counts().decisions();
      assertThat(decisions.get(0).kind()).isEqualTo("aside");
      assertThat(decisions.get(0).sentence()).contains("left alone for 10 s");
      disk.leave(20 << 20);
      table.forceMajorCompaction();
      assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
      model.verify("after space came back", PARTITIONS);
      node.cql("TRUNCATE ks.filled");
      LifecycleTransaction.waitForDeletions();
    } finally {
      FileUtils.setFSErrorHandler(new DefaultFSErrorHandler());
    }
  }

  private static FSErrorHandler handler(AtomicReference<FSError> reported) {
    return new FSErrorHandler() {

      @Override
      public void handleCorruptSSTable(CorruptSSTableException e) {
        throw new AssertionError(e);
      }

      @Override
      public void handleFSError(FSError e) {
        reported.set(e);
      }

      @Override
      public void handleStartupFSError(Throwable e) {
        throw new AssertionError(e);
      }
    };
  }

  @Test
  void whatFailsIsPutAsideAndOtherPlansHaveTheirTurn() {
    ColumnFamilyStore table = create("aside", forest("").replace("32", "2"));
    TableModel model = new TableModel(node, "aside", SEED);
    CoppiceStrategy strategy = strategy(table);
    for (int flush = 0; flush < 2; flush++) {
      for (int pk = 0; pk < 100; pk++) {
        model.put(pk, flush, model.value(500));
      }
      node.flush(table);
    }
    AbstractCompactionTask failing = next(strategy);
    assertThat(failing).isNotNull();
    // The space it would need is taken while it runs.
    node.call("aside", "apply", "max_transient_space=1KiB", "");
    assertThatThrownBy(() -> failing.execute(CompactionManager.instance.active))
        .hasMessageContaining("max_transient_space leaves 1 KiB");
    node.call("aside", "revert");
    assertThat(next(strategy)).as("the same merge, at once").isNull();
    assertThat(strategy.getEstimatedRemainingTasks()).isPositive();
    StrategySnapshot.Decision decision = TableRegistry.known(table).counts().decisions().get(0);
    assertThat(decision.kind()).isEqualTo("aside");
    assertThat(decision.code()).isEqualTo("set-back");
    assertThat(decision.sentence())
        .startsWith("2 SSTables are left alone for 10 s, because a task");
    for (int flush = 0; flush < 2; flush++) {
      for (int pk = 0; pk < 100; pk++) {
        model.put(pk, flush, model.value(500));
      }
      node.flush(table);
    }
    AbstractCompactionTask other = next(strategy);
    assertThat(other).as("a merge of what came since").isNotNull();
    other.execute(CompactionManager.instance.active);
    table.forceMajorCompaction();
    assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
    model.verify("after all", 100);
  }

  /** nodetool prints the first cause and its frames, and has no class of ours. */
  @Test
  void aLackOfSpaceIsOneSentenceToWhoAsksForAMajorCompaction() {
    ColumnFamilyStore table = create("sentence", forest(", 'max_transient_space': '1KiB'"));
    fill(table, new TableModel(node, "sentence", SEED), 2, 50);
    Throwable reported = catchThrowable(table::forceMajorCompaction);
    assertThat(reported).isNotNull();
    Throwable first = Throwables.getRootCause(reported);
    assertThat(first).isExactlyInstanceOf(CompactionInterruptedException.class);
    assertThat(first.getStackTrace()).isEmpty();
    assertThat(first.getSuppressed()).isEmpty();
    assertThat(first.getMessage())
        .contains("not enough space: merge ", "ks.sentence needs ", "raise max_transient_space")
        .doesNotContain("\n");
  }

  @Test
  void anSstableAboveTheLimitDoesNotKeepOthersFromBeingRewritten() {
    String bound = "{'class': 'io.coppice.cassandra.SplitForestCompactionStrategy'%s}";
    ColumnFamilyStore table =
        create("oversized", bound.formatted(", 'max_transient_space': '1MiB'"));
    TableModel model = new TableModel(node, "oversized", SEED);
    for (int pk = 0; pk < 400; pk++) {
      model.put(pk, 0, model.value(VALUE));
    }
    node.flush(table);
    Set<SSTableReader> large = new HashSet<>(table.getLiveSSTables());
    for (int flush = 0; flush < 3; flush++) {
      for (int pk = 0; pk < 400; pk += 20) {
        model.put(pk, 0, model.value(1000));
      }
      node.flush(table);
    }
    String name = large.iterator().next().getFilename();
    assertThatThrownBy(table::forceMajorCompaction)
        .hasStackTraceContaining(" leaves out " + name)
        .hasStackTraceContaining("raise max_transient_space");
    assertThat(table.getLiveSSTables()).hasSize(2).containsAll(large);
    assertThat(table.getTracker().getCompacting()).isEmpty();
    node.cql("ALTER TABLE ks.oversized WITH compaction = " + bound.formatted(""));
    table.disableAutoCompaction();
    table.forceMajorCompaction();
    assertThat(table.getLiveSSTables()).hasSize(1).doesNotContainAnyElementsOf(large);
    model.verify("after an oversized SSTable", 400);
  }

  @Test
  void whatOtherMergesHoldIsWaitedForAndNoFailure() {
    ColumnFamilyStore table =
        create("others", forest(", 'max_transient_space': '64MiB'").replace("32", "2"));
    TableModel model = new TableModel(node, "others", SEED);
    CoppiceStrategy strategy = strategy(table);
    for (int flush = 0; flush < 2; flush++) {
      for (int pk = 0; pk < 100; pk++) {
        model.put(pk, flush, model.value(500));
      }
      node.flush(table);
    }
    AbstractCompactionTask lacking = next(strategy);
    SteppedMerge other =
        new SteppedMerge(new SteppedMerge.Spec(1, 1, 1, "a test wants it"), List.of());
    TransientSpaceLedger ledger = TableRegistry.known(table).space();
    assertThat(ledger.reserve(other, (64 << 20) - 1024, 0, Long.MAX_VALUE)).isTrue();
    assertThatThrownBy(() -> lacking.execute(CompactionManager.instance.active))
        .hasMessageContaining("other merges hold 64 MiB of max_transient_space");
    assertThat(TableRegistry.known(table).counts().decisions())
        .noneMatch(decision -> decision.kind().equals("aside"));
    ledger.release(other);
    AbstractCompactionTask again = next(strategy);
    assertThat(again).as("the same merge, at once").isNotNull();
    again.execute(CompactionManager.instance.active);
    assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
    model.verify("after all", 100);
  }

  @Test
  void aLimitInPercentDoesNotGrowByWhatAMergeHasWrittenAndNotFreed() {
    ColumnFamilyStore table =
        create(
            "percent",
            forest(", 'cleaning_threshold': '1', 'max_transient_space': '80%'").replace("32", "2"));
    // The first flush is one wide SSTable, which straddles every step but the last.
    fill(table, new TableModel(node, "percent", SEED), 2, PARTITIONS);
    CoppiceStrategy strategy = strategy(table);
    TableState state = TableRegistry.known(table);
    long before = state.transientLimit();
    long dead = 0;
    int steps = 0;
    for (AbstractCompactionTask task = next(strategy); task != null; task = next(strategy)) {
      task.execute(CompactionManager.instance.active);
      assertThat(state.transientLimit()).as("after step " + ++steps).isLessThanOrEqualTo(before);
      dead = Math.max(dead, state.space().deadBytes());
    }
    assertThat(steps).isGreaterThan(4);
    assertThat(dead).isGreaterThan(before / 4);
    assertThat(state.space().deadBytes()).isZero();
  }

  @Test
  void whatARepairHasTakenMeanwhileIsNoLongerPartOfAMerge() throws Exception {
    ColumnFamilyStore table = create("taken", forest(""));
    fill(table, warm(table, PARTITIONS), 1, PARTITIONS);
    SteppedMerge merge =
        new SteppedMerge(
            new SteppedMerge.Spec(1, 1 << 20, 1, "a test wants it"), table.getLiveSSTables());
    SSTableReader any = merge.inputs().iterator().next();
    ClaimRenewal reclaim = new ClaimRenewal(table, merge, RepairState.of(any));
    table.getCompactionStrategyManager().mutateRepaired(List.of(any), 1_000_000, null, false);
    Set<SSTableReader> rest = new HashSet<>(table.getLiveSSTables());
    rest.remove(any);
    assertThat(rest).isNotEmpty();
    try (LifecycleTransaction claim = reclaim.attempt().orElseThrow()) {
      assertThat(claim.originals()).isEqualTo(rest);
      assertThat(reclaim.attempt()).as("while something has them").isEmpty();
    }
    assertThat(merge.inputs()).isEqualTo(rest);
    assertThat(table.getTracker().getCompacting()).isEmpty();
  }

  /** Anything may leave the table during a pause. Here, SSTables of another table stand for it. */
  @Test
  void aClaimAfterAPauseAlwaysHoldsAnInputOfTheRound() {
    ColumnFamilyStore table = create("present", forest(""));
    ColumnFamilyStore other = create("gone", forest(""));
    for (int pk = 0; pk < 5; pk++) {
      for (ColumnFamilyStore each : List.of(table, other)) {
        new TableModel(node, each.name, SEED).put(pk, 0, "value");
        node.flush(each);
      }
    }
    List<SSTableReader> all = new ArrayList<>(table.getLiveSSTables());
    all.addAll(other.getLiveSSTables());
    RepairState state = RepairState.of(all.get(0));
    Random random = new Random(SEED);
    for (int round = 0; round < 1_000; round++) {
      String as = "seed " + SEED + ", round " + round;
      Collections.shuffle(all, random);
      int inputs = 1 + random.nextInt(all.size());
      SteppedMerge merge =
          new SteppedMerge(
              new SteppedMerge.Spec(1, 1, 1, "a test wants it"), all.subList(0, inputs));
      int taken = random.nextInt(1 + inputs);
      merge.putAside(all.subList(taken, inputs));
      merge.expect(all.subList(inputs, inputs + random.nextInt(1 + all.size() - inputs)));
      try (LifecycleTransaction claim =
          new ClaimRenewal(table, merge, state).attempt().orElseThrow()) {
        assertThat(claim.originals()).as(as).isEqualTo(merge.inputs());
        assertThat(table.getLiveSSTables()).as(as).containsAll(merge.inputs());
        assertThat(merge.inputs().stream().anyMatch(merge::takes))
            .as(as)
            .isEqualTo(!merge.finished());
      }
      assertThat(table.getTracker().getCompacting()).as(as).isEmpty();
    }
  }

  @Test
  void anInputThatSomethingElseHasForAnInstantStaysPartOfItsMerge() {
    ColumnFamilyStore table =
        create("instant", forest(", 'cleaning_threshold': '1'").replace("32", "2"));
    // The first flush is one wide SSTable, the second many narrow ones: one merge of many steps.
    TableModel model = new TableModel(node, "instant", SEED);
    fill(table, model, 2, PARTITIONS);
    CoppiceStrategy strategy = strategy(table);
    next(strategy).execute(CompactionManager.instance.active);
    SSTableReader last =
        table.getLiveSSTables().stream()
            .filter(sstable -> sstable.getSSTableLevel() == 0)
            .max(SSTableReader.firstKeyComparator)
            .orElseThrow();
    LifecycleTransaction other =
        table.getTracker().tryModify(List.of(last), OperationType.COMPACTION);
    assertThat(other).isNotNull();
    assertThat(next(strategy)).as("the merge waits").isNull();
    other.close();
    AbstractCompactionTask task = next(strategy);
    assertThat(task.toString()).isNotEmpty();
    int steps = 0;
    for (; task != null; task = next(strategy), steps++) {
      task.execute(CompactionManager.instance.active);
    }
    assertThat(steps).isGreaterThan(4);
    assertThat(node.bean("instant", "Merges")).as("all was one merge").isEqualTo(1L);
    assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
  }

  @Test
  void anOutputThatSomethingElseHasForAnInstantCostsNoCursor() {
    ColumnFamilyStore table =
        create("lent", forest(", 'cleaning_threshold': '1'").replace("32", "2"));
    // The first flush is one wide SSTable, which straddles every step but the last.
    fill(table, new TableModel(node, "lent", SEED), 2, PARTITIONS);
    long bytes = table.getLiveSSTables().stream().mapToLong(SSTableReader::onDiskLength).sum();
    CoppiceStrategy strategy = strategy(table);
    next(strategy).execute(CompactionManager.instance.active);
    List<SSTableReader> outputs =
        table.getLiveSSTables().stream().filter(sstable -> sstable.getSSTableLevel() > 0).toList();
    assertThat(outputs).isNotEmpty();
    LifecycleTransaction other = table.getTracker().tryModify(outputs, OperationType.COMPACTION);
    assertThat(other).isNotNull();
    assertThat(next(strategy)).as("the merge waits").isNull();
    other.close();
    for (AbstractCompactionTask task = next(strategy); task != null; task = next(strategy)) {
      task.execute(CompactionManager.instance.active);
    }
    assertThat(node.bean("lent", "Merges")).as("all was one merge").isEqualTo(1L);
    assertThat(TableRegistry.known(table).counter(CompactionMetricId.MERGE_READ_BYTES.label()))
        .as("nothing is read from its start again")
        .isLessThanOrEqualTo(bytes);
    assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
  }

  @Test
  void underALimitOneThreadCarriesOutAllMergesOfAMajorCompaction() throws Exception {
    ColumnFamilyStore table = create("turns", gated(", 'max_transient_space': '90%'"));
    TableModel model = warm(table, PARTITIONS);
    fill(table, model, 2, PARTITIONS);
    table
        .getCompactionStrategyManager()
        .mutateRepaired(table.getLiveSSTables(), 1_000_000, null, false);
    fill(table, model, 2, PARTITIONS);
    List<AbstractCompactionTask> tasks = new ArrayList<>();
    for (var group : table.getCompactionStrategyManager().getStrategies()) {
      for (var strategy : group) {
        var more = strategy.getMaximalTask(FBUtilities.nowInSeconds(), false);
        tasks.addAll(more == null ? List.of() : more);
      }
    }
    assertThat(tasks).hasSizeGreaterThan(8);
    // Whoever comes later returns at once, however long the first one takes.
    AtomicReference<Throwable> failure = new AtomicReference<>();
    try (MergeGate gate = MergeGate.after(0, "turns")) {
      Thread first =
          new Thread(
              () -> {
                try {
                  tasks.get(0).execute(CompactionManager.instance.active);
                } catch (Throwable e) {
                  failure.set(e);
                }
              },
              "first");
      first.start();
      gate.awaitHeld();
      for (AbstractCompactionTask task : tasks.subList(1, tasks.size())) {
        assertThat(task.execute(CompactionManager.instance.active)).isZero();
      }
      assertThat(first.isAlive()).isTrue();
      assertThat(operations(table))
          .as("all show, so that all can be stopped")
          .hasSizeGreaterThan(tasks.size() / 2);
      // One that waits is stopped without waiting for the others.
      operations(table).stream()
          .max(Comparator.comparing(holder -> holder.getCompactionInfo().getTaskId()))
          .orElseThrow()
          .stop();
      // What an operator names waits: Cassandra closes its claim as soon as it has returned.
      Set<SSTableReader> before = table.getLiveSSTables();
      fill(table, model, 1, PARTITIONS);
      Set<SSTableReader> named = new HashSet<>(table.getLiveSSTables());
      named.removeIf(sstable -> before.contains(sstable) || sstable.isRepaired());
      AbstractCompactionTask byName =
          strategy(table).getUserDefinedTask(named, FBUtilities.nowInSeconds());
      Thread waits =
          new Thread(() -> byName.execute(CompactionManager.instance.active), "named by hand");
      waits.start();
      Node.await(
          "it to wait", () -> waits.getState() == Thread.State.TIMED_WAITING || !waits.isAlive());
      assertThat(waits.isAlive()).isTrue();
      gate.open();
      first.join();
      waits.join();
    }
    assertThat(failure.get())
        .as("one was stopped")
        .isInstanceOf(CompactionInterruptedException.class);
    assertThat(node.bean("turns", "Merges"))
        .as("all but the one stopped")
        .isEqualTo((long) tasks.size());
    assertThat(table.getTracker().getCompacting()).isEmpty();
    assertThat(operations(table)).isEmpty();
    model.verify("after all but one", PARTITIONS);
  }

  /** The compactions of a table that run or wait. */
  private static List<CompactionInfo.Holder> operations(ColumnFamilyStore table) {
    return CompactionManager.instance.active.getCompactions().stream()
        .filter(one -> one.getCompactionInfo().getTable().equals(Optional.of(table.name)))
        .toList();
  }

  private static CoppiceStrategy strategy(ColumnFamilyStore table) {
    return (CoppiceStrategy) table.getCompactionStrategyManager().getStrategies().get(1).get(0);
  }

  private static AbstractCompactionTask next(CoppiceStrategy strategy) {
    return strategy.getNextBackgroundTask(FBUtilities.nowInSeconds());
  }
}
