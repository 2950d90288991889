// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.cassandra.CoppiceStrategy;
import io.coppice.cassandra.merge.MergeInput;
import io.coppice.cassandra.merge.MergeTask;
import io.coppice.cassandra.merge.NoOwner;
import io.coppice.cassandra.merge.OngoingMerges;
import io.coppice.cassandra.node.DiskSampler;
import io.coppice.cassandra.node.MergeGate;
import io.coppice.cassandra.node.Node;
import io.coppice.cassandra.node.SharedNode;
import io.coppice.cassandra.node.Waves;
import io.coppice.cassandra.observe.TableRegistry;
import io.coppice.cassandra.state.MergeQueue;
import io.coppice.cassandra.state.QueuedMerge;
import io.coppice.cassandra.state.TableState;
import io.coppice.cassandra.state.TransientSpaceLedger;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import java.util.stream.Stream;
import org.apache.cassandra.cql3.UntypedResultSet;
import org.apache.cassandra.db.Clustering;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.Mutation;
import org.apache.cassandra.db.compaction.CompactionInfo;
import org.apache.cassandra.db.compaction.CompactionInterruptedException;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.context.CounterContext;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.partitions.PartitionUpdate;
import org.apache.cassandra.db.rows.BTreeRow;
import org.apache.cassandra.db.rows.BufferCell;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.schema.ColumnMetadata;
import org.apache.cassandra.schema.TableMetadata;
import org.apache.cassandra.utils.ByteBufferUtil;
import org.apache.cassandra.utils.FBUtilities;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Merges in steps, inside a real node: what leaves the disk when, and that no row changes. */
@SharedNode
final class SteppedMergeNodeTest {

  private static final long SEED = Long.getLong("seed", 20261121L);
  private static final long MIB = 1 << 20;
  private static final long MILLI = 1_000_000;
  private static final int PARTITIONS = 2500;
  private static final String OURS =
      "{'class': 'io.coppice.cassandra.node.GatedForestStrategy', 'table_size': '1MiB',"
          + " 'cleaning_threshold': '1'}";

  /** What Cassandra would do if told that all inputs of the merge are being compacted. */
  private static final PurgeRule NAIVE =
      new PurgeRule() {
        @Override
        public Set<SSTableReader> merged(
            Set<SSTableReader> consumed, Set<SSTableReader> straddlers, Set<SSTableReader> later) {
          Set<SSTableReader> all = new HashSet<>(consumed);
          all.addAll(straddlers);
          all.addAll(later);
          return all;
        }

        @Override
        public LongPredicate within(
            DecoratedKey key, LongPredicate stock, Set<SSTableReader> straddlers) {
          return stock;
        }
      };

  /** Nothing is purged while any input that covers the key stays on disk. */
  private static final PurgeRule STRICT =
      new PurgeRule() {
        @Override
        public Set<SSTableReader> merged(
            Set<SSTableReader> consumed, Set<SSTableReader> straddlers, Set<SSTableReader> later) {
          return EXACT.merged(consumed, straddlers, later);
        }

        @Override
        public LongPredicate within(
            DecoratedKey key, LongPredicate stock, Set<SSTableReader> straddlers) {
          for (SSTableReader straddler : straddlers) {
            if (straddler.getFirst().compareTo(key) <= 0
                && key.compareTo(straddler.getLast()) <= 0) {
              return time -> false;
            }
          }
          return stock;
        }
      };

  private static Node node;

  // Written once, and given to the tables of the tests as links.
  private static ColumnFamilyStore mixed;
  private static ColumnFamilyStore narrow;
  private static ColumnFamilyStore halved;

  @BeforeAll
  static void writeOnce() {
    node = Node.shared();
    mixed = create("mixed");
    fill(mixed, false, waves("mixed"));
    narrow = create("narrow");
    fill(narrow, true, waves("narrow"));
    halved = create("halved");
    Waves waves = new Waves(node, "halved", SEED, PARTITIONS, 300, false);
    waves.write(0, 2);
    waves.write(1, 2);
    Waves.awaitExpiry();
  }

  @AfterAll
  static void nodeComplainedOfNothing() {
    assertThat(node.complaints()).isEmpty();
  }

  /** A merge that is carried on by hand. */
  private static final class ByHand {

    private final ColumnFamilyStore table;
    private final SteppedMerge merge;
    private final PurgeRule rule;
    private final TableState state;
    private final OngoingMerges merges;
    private final AtomicInteger progress = new AtomicInteger();
    private final Set<SSTableReader> failed = new HashSet<>();
    private boolean refuses;

    ByHand(ColumnFamilyStore table, PurgeRule rule, Collection<SSTableReader> inputs) {
      this(table, rule, inputs, MIB);
    }

    ByHand(
        ColumnFamilyStore table,
        PurgeRule rule,
        Collection<SSTableReader> inputs,
        long tableBytes) {
      this.table = table;
      this.rule = rule;
      this.state = TableRegistry.known(table);
      this.merges = new OngoingMerges(state.space(), new Counting());
      this.merge =
          new SteppedMerge(new SteppedMerge.Spec(1, tableBytes, 1, "a test wants it"), inputs);
    }

    /** Counts what an owner would plan anew for. */
    private final class Counting extends NoOwner {

      @Override
      public void mayContinue() {
        progress.incrementAndGet();
      }

      @Override
      public int failures(Collection<SSTableReader> inputs) {
        if (refuses) {
          throw new IllegalStateException("a test wants it");
        }
        return super.failures(inputs);
      }

      @Override
      public void failed(Collection<SSTableReader> inputs, int level, int earlier, Throwable why) {
        failed.addAll(inputs);
      }
    }

    boolean step() {
      return step(Long.MAX_VALUE);
    }

    /** One step as in the background; false if it was the last. */
    boolean step(long transientLimit) {
      task(MergeTask.Scope.STEP, transientLimit).execute(CompactionManager.instance.active);
      return !merge.finished();
    }

    /** A part of a major compaction that is about to be run. */
    MergeTask part(long transientLimit) {
      MergeTask part = task(MergeTask.Scope.MAJOR, transientLimit);
      part.announce();
      return part;
    }

    MergeTask task(MergeTask.Scope scope, long transientLimit) {
      Set<SSTableReader> inputs = merge.inputs();
      List<SSTableReader> live = table.getLiveSSTables().stream().filter(inputs::contains).toList();
      LifecycleTransaction claim = table.getTracker().tryModify(live, OperationType.COMPACTION);
      assertThat(claim).isNotNull();
      MergeTask.Settings settings =
          new MergeTask.Settings(
              scope, true, FBUtilities.nowInSeconds(), rule, widest -> transientLimit);
      return new MergeTask(table, claim, merge, merges, settings, state);
    }

    boolean isHeldBy(MergeGate gate) {
      return operations(table).stream()
          .anyMatch(info -> info.getTaskId().equals(merge.id()) && gate.holds(info));
    }

    /** SSTables with a cursor. */
    List<SSTableReader> straddlers() {
      return merge.inputs().stream().filter(input -> merge.cursor(input).isPresent()).toList();
    }
  }

  @Test
  void consumedInputsAreGoneFromDiskAfterEachStepAndNoRowEverChanges() {
    ColumnFamilyStore table = mixed("steps");
    Waves waves = waves("steps");
    Set<SSTableReader> inputs = table.getLiveSSTables();
    ByHand merge = new ByHand(table, PurgeRule.EXACT, inputs);
    int steps = 0;
    for (boolean more = true; more; steps++) {
      Set<SSTableReader> before = merge.merge.inputs();
      more = merge.step();
      LifecycleTransaction.waitForDeletions();
      Set<SSTableReader> left = merge.merge.inputs();
      assertThat(left).as("a step consumes something").hasSizeLessThan(before.size());
      for (SSTableReader input : before) {
        assertThat(Files.exists(data(input))).isEqualTo(left.contains(input));
      }
      assertThat(waves.differences(4)).as("after step " + steps + ", seed " + SEED).isEmpty();
    }
    assertThat(steps).isGreaterThan(4);
    assertThat(table.getLiveSSTables()).doesNotContainAnyElementsOf(inputs);
    assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
    assertThat(table.getTracker().getCompacting()).isEmpty();
  }

  @Test
  void cutsAreBetweenPartitionsAndWhatTheyCutIsReadOnce() {
    ColumnFamilyStore table = mixed("once");
    long rows = rows(table);
    ByHand merge = new ByHand(table, PurgeRule.EXACT, table.getLiveSSTables());
    int straddled = 0;
    while (merge.step()) {
      straddled += merge.straddlers().size();
    }
    assertThat(straddled).isPositive();
    assertThat(merge.merge.readBytes()).isLessThanOrEqualTo(rows);
    // All waves write their keys once, so what was merged twice would be more than there was.
    assertThat(merge.merge.readBytes()).isGreaterThan(rows * 9 / 10);
  }

  private static long rows(ColumnFamilyStore table) {
    return table.getLiveSSTables().stream().mapToLong(SSTableReader::uncompressedLength).sum();
  }

  @Test
  void tellingCassandraThatAllInputsAreBeingCompactedBringsDeletedRowsBack() {
    ColumnFamilyStore table = mixed("naive");
    Waves waves = waves("naive");
    ByHand merge = new ByHand(table, NAIVE, table.getLiveSSTables());
    List<String> differences = List.of();
    while (differences.isEmpty() && merge.step()) {
      differences = waves.differences(4);
    }
    assertThat(differences)
        .as("a harness that finds nothing here proves nothing elsewhere, seed " + SEED)
        .anyMatch(difference -> difference.startsWith("came back"));
  }

  @Test
  void anSstableOfNothingButDeletionsIsNotDroppedWhileAStraddlerHoldsWhatTheyHide() {
    ColumnFamilyStore table = create("expired");
    Waves old = new Waves(node, "expired", SEED, 400, 300, false);
    old.write(0, 1);
    List<Integer> deleted = new ArrayList<>();
    for (UntypedResultSet.Row row : node.run("SELECT DISTINCT pk FROM ks.expired LIMIT 60")) {
      deleted.add(row.getInt("pk"));
      node.run("DELETE FROM ks.expired WHERE pk = ?", row.getInt("pk"));
    }
    node.flush(table);
    Waves.awaitExpiry();
    int left = node.run("SELECT pk FROM ks.expired").size();
    ByHand merge = new ByHand(table, PurgeRule.EXACT, table.getLiveSSTables(), 16 << 10);
    assertThat(merge.step()).as("the old SSTable straddles").isTrue();
    for (int pk : deleted) {
      assertThat(node.run("SELECT pk FROM ks.expired WHERE pk = ?", pk)).isEmpty();
    }
    assertThat(merge.step()).isFalse();
    assertThat(node.run("SELECT pk FROM ks.expired")).hasSize(left);
  }

  @Test
  void aColumnThatOnlyAStraddlerHasSurvives() {
    ColumnFamilyStore table = create("column");
    Waves old = new Waves(node, "column", SEED, 600, 300, false);
    old.write(0, 4);
    node.cql("ALTER TABLE ks.column ADD later text");
    for (int pk = 0; pk < 600; pk++) {
      node.run("UPDATE ks.column SET later = ? WHERE pk = ? AND ck = 0", "later " + pk, pk);
    }
    node.flush(table);
    ByHand merge = new ByHand(table, PurgeRule.EXACT, table.getLiveSSTables(), 16 << 10);
    boolean more = true;
    while (more) {
      more = merge.step();
      for (int pk = 0; pk < 600; pk++) {
        var row = node.run("SELECT later FROM ks.column WHERE pk = ? AND ck = 0", pk).one();
        assertThat(row.getString("later")).isEqualTo("later " + pk);
      }
    }
    assertThat(merge.merge.steps()).isGreaterThan(1);
  }

  /** Cassandra adds up such shards of one node, wherever it finds them. */
  @Test
  void countersOfOldVersionsAreMergedInOneStepAsTheyWouldCountTwice() {
    node.cql("CREATE TABLE ks.tallies (pk int PRIMARY KEY, c counter) WITH compaction = " + OURS);
    ColumnFamilyStore table = node.table("ks", "tallies");
    table.disableAutoCompaction();
    for (int pk = 0; pk < 600; pk++) {
      count(table, pk);
    }
    node.flush(table);
    Set<Integer> twice = new HashSet<>();
    for (UntypedResultSet.Row row : node.run("SELECT pk FROM ks.tallies WHERE token(pk) < 0")) {
      twice.add(row.getInt("pk"));
    }
    twice.forEach(pk -> count(table, pk));
    node.flush(table);
    ByHand merge = new ByHand(table, PurgeRule.EXACT, table.getLiveSSTables(), 1 << 10);
    boolean more = merge.step();
    for (UntypedResultSet.Row row : node.run("SELECT pk, c FROM ks.tallies")) {
      assertThat(row.getLong("c")).isEqualTo(twice.contains(row.getInt("pk")) ? 2 : 1);
    }
    assertThat(more).isFalse();
  }

  private static void count(ColumnFamilyStore table, int pk) {
    TableMetadata metadata = table.metadata();
    ColumnMetadata column = metadata.getColumn(ByteBufferUtil.bytes("c"));
    long now = FBUtilities.timestampMicros();
    Row row =
        BTreeRow.singleCellRow(
            Clustering.EMPTY,
            BufferCell.live(column, now, CounterContext.instance().createLocal(1)));
    DecoratedKey key = table.decorateKey(Int32Type.instance.decompose(pk));
    new Mutation(PartitionUpdate.singleRowUpdate(metadata, key, row)).apply();
  }

  @Test
  void theStrictRuleGivesTheSameRows() {
    ColumnFamilyStore table = mixed("strict");
    Waves waves = waves("strict");
    ByHand merge = new ByHand(table, STRICT, table.getLiveSSTables());
    while (merge.step()) {
      assertThat(waves.differences(4)).as("seed " + SEED).isEmpty();
    }
    assertThat(waves.differences(4)).as("seed " + SEED).isEmpty();
  }

  @Test
  void aCursorIsForgottenWhenAnOutputItReliesOnHasGone() {
    ColumnFamilyStore table = mixed("witness");
    Waves waves = waves("witness");
    ByHand merge = new ByHand(table, PurgeRule.EXACT, table.getLiveSSTables());
    merge.step();
    merge.step();
    assertThat(merge.straddlers()).isNotEmpty();
    Set<SSTableReader> outputs = new HashSet<>(table.getLiveSSTables());
    outputs.removeAll(merge.merge.inputs());
    FBUtilities.waitOnFuture(
        CompactionManager.instance.submitUserDefined(
            table,
            outputs.stream().map(sstable -> sstable.descriptor).toList(),
            FBUtilities.nowInSeconds()));
    long read = merge.merge.readBytes();
    long left = rest(merge);
    long whole = 0;
    for (SSTableReader input : merge.merge.inputs()) {
      whole += new MergeInput(input, Optional.empty()).restLength();
    }
    while (merge.step()) {
      assertThat(waves.differences(4)).as("seed " + SEED).isEmpty();
    }
    assertThat(merge.merge.readBytes() - read)
        .as("straddlers were read from their starts again, but once")
        .isGreaterThan(left)
        .isLessThanOrEqualTo(whole);
    assertThat(waves.differences(4)).as("seed " + SEED).isEmpty();
  }

  private static long rest(ByHand merge) {
    long rest = 0;
    for (SSTableReader input : merge.merge.inputs()) {
      rest += new MergeInput(input, merge.merge.cursor(input)).restLength();
    }
    return rest;
  }

  @Test
  void anOutputSomethingElseIsCompactingCostsTheCursorOnly() {
    ColumnFamilyStore table = mixed("busy");
    Waves waves = waves("busy");
    ByHand merge = new ByHand(table, PurgeRule.EXACT, table.getLiveSSTables());
    merge.step();
    Set<SSTableReader> outputs = new HashSet<>(table.getLiveSSTables());
    outputs.removeAll(merge.merge.inputs());
    long read = merge.merge.readBytes();
    long left = rest(merge);
    try (LifecycleTransaction other =
        table.getTracker().tryModify(outputs, OperationType.COMPACTION)) {
      assertThat(other).isNotNull();
      merge.step();
    }
    while (merge.step()) {}
    assertThat(merge.merge.readBytes() - read).isGreaterThan(left);
    assertThat(waves.differences(4)).as("seed " + SEED).isEmpty();
  }

  @Test
  void aMergeThatGoesOnToItsEndWaitsForAnOutputThatSomethingElseHas() {
    ColumnFamilyStore table = mixed("patient");
    Waves waves = waves("patient");
    ByHand merge = new ByHand(table, PurgeRule.EXACT, table.getLiveSSTables());
    merge.step();
    assertThat(merge.straddlers()).isNotEmpty();
    Set<SSTableReader> outputs = new HashSet<>(table.getLiveSSTables());
    outputs.removeAll(merge.merge.inputs());
    long read = merge.merge.readBytes();
    long left = rest(merge);
    LifecycleTransaction other = table.getTracker().tryModify(outputs, OperationType.COMPACTION);
    assertThat(other).isNotNull();
    MergeTask whole = merge.task(MergeTask.Scope.END, Long.MAX_VALUE);
    Thread thread = background(() -> whole.execute(CompactionManager.instance.active));
    Node.await(
        "it to wait", () -> thread.getState() == Thread.State.TIMED_WAITING || !thread.isAlive());
    other.close();
    join(thread);
    assertThat(merge.merge.finished()).isTrue();
    assertThat(merge.merge.readBytes() - read)
        .as("nothing is read from its start again")
        .isLessThanOrEqualTo(left);
    assertThat(waves.differences(4)).as("seed " + SEED).isEmpty();
  }

  @Test
  void aScannerThatBeginsAtACursorCountsFromThere() {
    ColumnFamilyStore table = mixed("counted");
    ByHand merge = new ByHand(table, PurgeRule.EXACT, table.getLiveSSTables());
    merge.step();
    SSTableReader straddler = merge.straddlers().get(0);
    MergeInput input = new MergeInput(straddler, merge.merge.cursor(straddler));
    try (RunScanner scanner =
        new RunScanner(table.metadata(), List.of(input.part(straddler.getLast())))) {
      assertThat(scanner.hasNext()).isTrue();
      assertThat(scanner.getCurrentPosition()).isZero();
      while (scanner.hasNext()) {
        try (UnfilteredRowIterator partition = scanner.next()) {
          partition.forEachRemaining(row -> {});
        }
      }
      assertThat(scanner.getCurrentPosition())
          .isEqualTo(input.restLength())
          .isEqualTo(scanner.getLengthInBytes());
    }
  }

  @Test
  void stepsStayWithinTheSpaceAllowedAndSayWhenThatIsTooLittle() throws IOException {
    ColumnFamilyStore table = narrow("space");
    Waves waves = waves("space");
    long base = bytes(table);
    ByHand merge = new ByHand(table, PurgeRule.EXACT, table.getLiveSSTables());
    assertThatThrownBy(() -> merge.step(1000))
        .isInstanceOf(CompactionInterruptedException.class)
        .hasMessageContaining("max_transient_space leaves");
    assertThat(merge.merge.steps()).isZero();
    assertThat(merge.progress).as("nobody is to plan it again at once").hasValue(0);
    assertThat(merge.failed).isEqualTo(table.getLiveSSTables());

    long limit = base / 5;
    ByHand again = new ByHand(table, PurgeRule.EXACT, table.getLiveSSTables());
    try (DiskSampler sampler = new DiskSampler(table)) {
      while (again.step(limit)) {
        LifecycleTransaction.waitForDeletions();
      }
      assertThat(sampler.peak() - base).isLessThanOrEqualTo(limit);
    }
    assertThat(again.merge.steps()).isGreaterThan(4);
    assertThat(again.progress).hasValue(again.merge.steps());
    assertThat(waves.differences(4)).as("seed " + SEED).isEmpty();
  }

  @Test
  void aMajorCompactionStaysWithinTheShareOfLiveBytesThatATableAllows() throws IOException {
    Waves.create(node, "share", OURS.replace("}", ", 'max_transient_space': '25%'}"));
    ColumnFamilyStore table = node.table("ks", "share");
    table.disableAutoCompaction();
    node.copy(narrow, table);
    Waves waves = waves("share");
    long base = bytes(table);
    try (DiskSampler sampler = new DiskSampler(table)) {
      table.forceMajorCompaction();
      assertThat(sampler.peak() - base).isLessThanOrEqualTo(base / 4);
    }
    assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
    assertThat(waves.differences(4)).as("seed " + SEED).isEmpty();

    node.cql(
        "ALTER TABLE ks.share WITH compaction = "
            + OURS.replace("}", ", 'max_transient_space': '16KiB'}"));
    waves.write(4, 1);
    Waves.awaitExpiry();
    assertThatThrownBy(table::forceMajorCompaction)
        .hasStackTraceContaining("max_transient_space leaves 16 KiB");
    assertThat(table.getTracker().getCompacting()).isEmpty();
    assertThat(waves.differences(5)).as("seed " + SEED).isEmpty();
  }

  @Test
  void aMajorCompactionGoesByStepsAndShowsAsOneOperation() {
    ColumnFamilyStore table = mixed("major");
    Waves waves = waves("major");
    Set<Object> ids = new HashSet<>();
    List<Double> shares = new ArrayList<>();
    try (MergeGate gate = MergeGate.after(0, "major")) {
      Thread major = background(table::forceMajorCompaction);
      while (major.isAlive()) {
        boolean between = gate.isHolding();
        for (CompactionInfo info : operations(table)) {
          ids.add(info.getTaskId());
          shares.add((double) info.getCompleted() / Math.max(1, info.getTotal()));
          assertThat(info.getSSTables()).isNotEmpty();
          assertThat(info.getCompleted()).isLessThanOrEqualTo(info.getTotal());
          assertThat(leftToWrite(info))
              .as("only the step, not the whole merge, is still to be written")
              .isLessThan(4 * MIB);
        }
        if (between) {
          gate.passNext();
        }
        LockSupport.parkNanos(MILLI);
      }
    }
    assertThat(ids).hasSize(1);
    assertThat(shares).anyMatch(share -> share > 0.6);
    assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
    assertThat(waves.differences(4)).as("seed " + SEED).isEmpty();
    assertThat(history("major")).hasSizeGreaterThan(4);
    assertThat(node.bean("major", "Merges")).isEqualTo(1L);
  }

  @Test
  void stopEndsAMajorCompactionAtABoundary() {
    ColumnFamilyStore table = mixed("stopped");
    Waves waves = waves("stopped");
    try (MergeGate gate = MergeGate.after(2, "stopped")) {
      Thread major = background(table::forceMajorCompaction);
      gate.awaitHeld();
      CompactionManager.instance.stopCompaction("MAJOR_COMPACTION");
      join(major);
    }
    assertThat(table.getTracker().getCompacting()).isEmpty();
    assertThat(operations(table)).isEmpty();
    assertThat(Node.depth(table.getLiveSSTables())).isGreaterThan(1);
    assertThat(waves.differences(4)).as("seed " + SEED).isEmpty();
    table.forceMajorCompaction();
    assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
    assertThat(waves.differences(4)).as("seed " + SEED).isEmpty();
  }

  @Test
  void aPauseForOtherSstablesLetsAMajorCompactionGoOn() {
    ColumnFamilyStore table = mixed("paused");
    Waves waves = waves("paused");
    try (MergeGate gate = MergeGate.after(2, "paused")) {
      Thread major = background(table::forceMajorCompaction);
      gate.awaitHeld();
      assertThat(
              table.runWithCompactionsDisabled(
                  () -> history("paused").size(),
                  sstable -> false,
                  OperationType.P0,
                  false,
                  false,
                  false))
          .isNotNull();
      gate.open();
      join(major);
    }
    assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
    assertThat(waves.differences(4)).as("seed " + SEED).isEmpty();
  }

  @Test
  void aPartThatComesToCursorsWithinAPauseLetsGoAndKeepsThem() {
    ColumnFamilyStore table = mixed("between");
    Waves waves = waves("between");
    try (MergeGate gate = MergeGate.after(2, "between")) {
      Thread major = background(table::forceMajorCompaction);
      gate.awaitHeld();
      table.runWithCompactionsDisabled(
          () -> {
            assertThat(major.isAlive()).as("something is left to merge").isTrue();
            gate.open();
            Node.await(
                "all parts to let go or end", () -> table.getTracker().getCompacting().isEmpty());
            return true;
          },
          sstable -> false,
          OperationType.P0,
          false,
          false,
          false);
      join(major);
    }
    assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
    assertThat(waves.differences(4)).as("seed " + SEED).isEmpty();
  }

  @Test
  void partsOfAMajorCompactionGoOneAfterTheOtherOnOneThread() {
    ColumnFamilyStore table = narrow("turns");
    Waves waves = waves("turns");
    CoppiceStrategy strategy =
        (CoppiceStrategy) table.getCompactionStrategyManager().getStrategies().get(1).get(0);
    var parts = List.copyOf(strategy.getMaximalTask(FBUtilities.nowInSeconds(), false));
    assertThat(parts).hasSizeGreaterThan(1);
    try (MergeGate gate = MergeGate.after(0, "turns")) {
      Thread first = background(() -> parts.get(0).execute(CompactionManager.instance.active));
      gate.awaitHeld();
      for (var part : parts.subList(1, parts.size())) {
        assertThat(part.execute(CompactionManager.instance.active)).isZero();
      }
      assertThat(first.isAlive()).as("the first thread has all of them to do").isTrue();
      gate.open();
      join(first);
    }
    assertThat(operations(table)).isEmpty();
    assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
    assertThat(waves.differences(4)).as("seed " + SEED).isEmpty();
  }

  @Test
  void aPartOfAMajorCompactionThatAnotherThreadCarriesOutIsLeftAlone() {
    ColumnFamilyStore table = create("own");
    List<ByHand> halves = halves(table);
    List<MergeTask> parts = halves.stream().map(half -> half.part(Long.MAX_VALUE)).toList();
    try (MergeGate gate = MergeGate.after(0, "own")) {
      FutureTask<Void> other =
          future(() -> parts.get(1).execute(CompactionManager.instance.active));
      gate.awaitHeld();
      assertThat(halves.get(0).isHeldBy(gate)).isTrue();
      assertThat(parts.get(0).execute(CompactionManager.instance.active)).isZero();
      assertThat(halves.get(0).progress).as("its only step goes on").hasValue(0);
      gate.open();
      run(other::get);
    }
    assertThat(halves).allMatch(half -> half.merge.finished() && half.merge.steps() == 1);
    assertThat(table.getTracker().getCompacting()).isEmpty();
  }

  @Test
  void partsOfAMajorCompactionThatHaveNoThreadYetEndWithTheOneThatRuns() {
    ColumnFamilyStore table = narrow("queued");
    Waves waves = waves("queued");
    CoppiceStrategy strategy =
        (CoppiceStrategy) table.getCompactionStrategyManager().getStrategies().get(1).get(0);
    var parts = List.copyOf(strategy.getMaximalTask(FBUtilities.nowInSeconds(), false));
    assertThat(parts).hasSizeGreaterThan(2);
    try (MergeGate gate = MergeGate.after(0, "queued")) {
      Thread executor =
          background(
              () -> {
                for (var part : parts) {
                  try {
                    part.execute(CompactionManager.instance.active);
                  } catch (CompactionInterruptedException e) {
                    // The next one comes all the same.
                  }
                }
              });
      gate.awaitHeld();
      assertThat(operations(table)).hasSameSizeAs(parts);
      assertThat(table.runWithCompactionsDisabled(() -> true, OperationType.P0, true, true))
          .as("nothing is claimed within a minute")
          .isTrue();
      join(executor);
    }
    assertThat(table.getTracker().getCompacting()).isEmpty();
    assertThat(operations(table)).isEmpty();
    assertThat(Node.depth(table.getLiveSSTables())).isGreaterThan(1);
    table.forceMajorCompaction();
    assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
    assertThat(waves.differences(4)).as("seed " + SEED).isEmpty();
  }

  @Test
  void whoAsksForAMajorCompactionIsToldThatPartsWereStoppedWhileTheyWaited() {
    ColumnFamilyStore table = narrow("told");
    Waves waves = waves("told");
    CoppiceStrategy strategy =
        (CoppiceStrategy) table.getCompactionStrategyManager().getStrategies().get(1).get(0);
    var parts = List.copyOf(strategy.getMaximalTask(FBUtilities.nowInSeconds(), false));
    assertThat(parts).hasSizeGreaterThan(2);
    try (MergeGate gate = MergeGate.after(0, "told")) {
      FutureTask<Void> first =
          future(() -> parts.get(0).execute(CompactionManager.instance.active));
      gate.awaitHeld();
      for (CompactionInfo.Holder holder : CompactionManager.instance.active.getCompactions()) {
        CompactionInfo info = holder.getCompactionInfo();
        if (info.getTable().map("told"::equals).orElse(false) && !gate.holds(info)) {
          holder.stop();
        }
      }
      assertThat(operations(table)).as("the first goes on").hasSize(1);
      gate.open();
      assertThatThrownBy(first::get).hasCauseInstanceOf(CompactionInterruptedException.class);
    }
    assertThat(history("told")).as("the first is merged").isNotEmpty();
    assertThat(table.getTracker().getCompacting()).isEmpty();
    assertThat(operations(table)).isEmpty();
    assertThat(Node.depth(table.getLiveSSTables())).isGreaterThan(1);
    assertThat(waves.differences(4)).as("seed " + SEED).isEmpty();
  }

  @Test
  void whatAMajorCompactionComesToThatAnotherOneCarriesOutIsToldToWhoAskedForIt() {
    ColumnFamilyStore table = create("two");
    List<ByHand> halves = halves(table);
    MergeTask earlier = halves.get(0).part(Long.MAX_VALUE);
    try (MergeGate gate = MergeGate.after(0, "two")) {
      FutureTask<Void> first = future(() -> earlier.execute(CompactionManager.instance.active));
      gate.awaitHeld();
      assertThat(halves.get(0).isHeldBy(gate)).isTrue();
      MergeTask later = halves.get(1).part(1000);
      FutureTask<Void> second = future(() -> later.execute(CompactionManager.instance.active));
      Node.await("the second to wait", () -> operations(table).size() == 2);
      gate.open();
      run(first::get);
      assertThatThrownBy(second::get).hasStackTraceContaining("max_transient_space leaves");
    }
    assertThat(halves.get(0).merge.finished()).isTrue();
    assertThat(table.getTracker().getCompacting()).isEmpty();
  }

  @Test
  void aPartOfAMajorCompactionThatCannotBeginLetsGoAndTheOthersAreMerged() {
    ColumnFamilyStore table = create("refused");
    List<ByHand> halves = halves(table);
    halves.get(0).refuses = true;
    List<MergeTask> parts = halves.stream().map(half -> half.part(Long.MAX_VALUE)).toList();
    assertThatThrownBy(() -> parts.get(1).execute(CompactionManager.instance.active))
        .isInstanceOf(IllegalStateException.class);
    assertThat(table.getTracker().getCompacting()).isEmpty();
    assertThat(operations(table)).isEmpty();
    assertThat(halves.get(0).merge.steps()).isZero();
    assertThat(halves.get(1).merge.finished()).isTrue();
  }

  @Test
  void partsOfAMajorCompactionThatWaitWhenOptionsChangeMergeNothingByTheOldOnes() {
    ColumnFamilyStore table = narrow("waits");
    try (MergeGate gate = MergeGate.after(1, "waits")) {
      Thread major = background(table::forceMajorCompaction);
      gate.awaitHeld();
      assertThat(operations(table)).hasSizeGreaterThan(2);
      node.cql("ALTER TABLE ks.waits WITH compaction = " + OURS.replace("'1'", "'2'"));
      int steps = history("waits").size();
      gate.open();
      join(major);
      assertThat(history("waits").size()).isLessThanOrEqualTo(steps + 1);
    }
    assertThat(table.getTracker().getCompacting()).isEmpty();
    assertThat(operations(table)).isEmpty();
  }

  @Test
  void whoAsksForAMajorCompactionIsToldThatAChangeOfOptionsHasCutItShort() {
    ColumnFamilyStore table = mixed("changed");
    try (MergeGate gate = MergeGate.after(2, "changed")) {
      FutureTask<Void> major = future(table::forceMajorCompaction);
      gate.awaitHeld();
      node.cql("ALTER TABLE ks.changed WITH compaction = " + OURS.replace("'1'", "'2'"));
      gate.open();
      assertThatThrownBy(major::get).hasStackTraceContaining("CompactionInterruptedException");
    }
    assertThat(table.getTracker().getCompacting()).isEmpty();
    assertThat(Node.depth(table.getLiveSSTables())).isGreaterThan(1);
  }

  @Test
  void aMergeIsStoppedByItsTableAfterTheSchemaHasChanged() {
    ColumnFamilyStore table = mixed("altered");
    try (MergeGate gate = MergeGate.after(2, "altered")) {
      Thread major = background(table::forceMajorCompaction);
      gate.awaitHeld();
      node.cql("ALTER TABLE ks.altered ADD extra int");
      assertThat(table.runWithCompactionsDisabled(() -> true, OperationType.P0, true, true))
          .isTrue();
      join(major);
    }
    assertThat(Node.depth(table.getLiveSSTables()))
        .as("it has not ended by itself")
        .isGreaterThan(1);
  }

  @Test
  void partsOfAMajorCompactionThatBeginWithinAPauseLetGoAndGoOnAfterIt() {
    ColumnFamilyStore table = narrow("late");
    Waves waves = waves("late");
    CoppiceStrategy strategy =
        (CoppiceStrategy) table.getCompactionStrategyManager().getStrategies().get(1).get(0);
    var parts = strategy.getMaximalTask(FBUtilities.nowInSeconds(), false);
    assertThat(parts).hasSizeGreaterThan(1);
    List<Thread> threads = new ArrayList<>();
    try (MergeGate gate = MergeGate.after(0, "late")) {
      Boolean othersMayClaim =
          table.runWithCompactionsDisabled(
              () -> {
                for (var part : parts) {
                  threads.add(background(() -> part.execute(CompactionManager.instance.active)));
                }
                Node.await(
                    "all parts to let go", () -> table.getTracker().getCompacting().isEmpty());
                assertThat(operations(table)).isEmpty();
                LifecycleTransaction claim =
                    table.getTracker().tryModify(table.getLiveSSTables(), OperationType.COMPACTION);
                boolean claimed = claim != null;
                if (claimed) {
                  claim.close();
                }
                return claimed;
              },
              sstable -> false,
              OperationType.P0,
              false,
              false,
              false);
      assertThat(othersMayClaim).isTrue();
      gate.awaitHeld();
      assertThat(operations(table)).as("all can be stopped").hasSameSizeAs(parts);
      gate.open();
      threads.forEach(SteppedMergeNodeTest::join);
    }
    assertThat(Node.depth(table.getLiveSSTables())).isEqualTo(1);
    assertThat(waves.differences(4)).as("seed " + SEED).isEmpty();
  }

  @Test
  void aMergeThatAnOperatorNamesWithinAPauseDoesNotWaitForItsTurn() {
    ColumnFamilyStore table = create("named");
    ByHand half = halves(table).get(0);
    MergeQueue<QueuedMerge> queue = TableRegistry.known(table).space().queue();
    assertThat(queue.take(false, () -> true)).isTrue();
    table.runWithCompactionsDisabled(
        () -> {
          MergeTask named = half.task(MergeTask.Scope.END, 1 << 30);
          FutureTask<Void> waits = future(() -> named.execute(CompactionManager.instance.active));
          Node.await("it to let go", () -> table.getTracker().getCompacting().isEmpty());
          assertThatThrownBy(waits::get).hasCauseInstanceOf(CompactionInterruptedException.class);
          return true;
        },
        sstable -> false,
        OperationType.P0,
        false,
        false,
        false);
    assertThat(operations(table)).isEmpty();
    assertThat(queue.nextOrRelease()).isEmpty();
  }

  @Test
  void operationsAmidAMajorCompactionEndItAndLoseNothing() {
    ColumnFamilyStore table = create("amid");
    Waves waves = new Waves(node, "amid", SEED, PARTITIONS, 300, false);
    fill(table, false, waves);
    int wave = 4;
    List<Runnable> operations =
        List.of(
            () -> run(() -> table.forceCleanup(1)),
            () -> node.cql("ALTER TABLE ks.amid WITH compaction = " + OURS.replace("'1'", "'2'")),
            () -> run(() -> table.snapshot("amid")),
            () -> node.cql("ALTER TABLE ks.amid WITH compaction = " + OURS),
            () -> table.runWithCompactionsDisabled(() -> null, OperationType.P0, true, true));
    for (Runnable operation : operations) {
      try (MergeGate gate = MergeGate.after(1, "amid")) {
        Thread major = background(table::forceMajorCompaction);
        gate.awaitHeld();
        operation.run();
        gate.open();
        join(major);
      }
      assertThat(table.getTracker().getCompacting()).isEmpty();
      assertThat(waves.differences(wave)).as("seed " + SEED).isEmpty();
      waves.write(wave, wave % 2 == 0 ? 1 : 8);
      wave++;
    }
    try (MergeGate gate = MergeGate.after(1, "amid")) {
      Thread major = background(table::forceMajorCompaction);
      gate.awaitHeld();
      node.cql("TRUNCATE ks.amid");
      join(major);
    }
    LifecycleTransaction.waitForDeletions();
    assertThat(table.getLiveSSTables()).isEmpty();
    assertThat(node.run("SELECT * FROM ks.amid")).isEmpty();
    node.cql("DROP TABLE ks.amid");
  }

  @Test
  void aDropAmidAMajorCompactionEndsItAndLeavesNoFile() {
    ColumnFamilyStore table = mixed("dropped");
    Path directory = table.getDirectories().getCFDirectories().get(0).toPath();
    try (MergeGate gate = MergeGate.after(2, "dropped")) {
      Thread major = background(table::forceMajorCompaction);
      gate.awaitHeld();
      assertThat(operations(table)).isNotEmpty();
      node.cql("DROP TABLE ks.dropped");
      join(major);
    }
    assertThat(operations(table)).isEmpty();
    Node.await("all files to go", () -> files(directory).isEmpty());
    Node.await("the bean to go", () -> !node.hasBean("dropped"));
  }

  /** Lists regular files below a directory from which the node may be deleting files. */
  private static List<Path> files(Path directory) {
    List<Path> files = new ArrayList<>();
    File[] entries = directory.toFile().listFiles();
    for (File entry : entries == null ? new File[0] : entries) {
      files.addAll(entry.isDirectory() ? files(entry.toPath()) : List.of(entry.toPath()));
    }
    return files;
  }

  @Test
  void aMergeInTheBackgroundGoesStepByStepAndItsOutputsAreLeftAlone() {
    ColumnFamilyStore table = mixed("background");
    Waves waves = waves("background");
    CoppiceStrategy strategy =
        (CoppiceStrategy) table.getCompactionStrategyManager().getStrategies().get(1).get(0);
    int steps = 0;
    for (var task = next(strategy); task != null; task = next(strategy), steps++) {
      task.execute(CompactionManager.instance.active);
      assertThat(waves.differences(4)).as("seed " + SEED).isEmpty();
      assertThat(steps).isLessThan(100);
    }
    assertThat(steps).isGreaterThan(4);
    assertThat(strategy.getEstimatedRemainingTasks()).isZero();
    assertThat(node.bean("background", "RefusedPlans")).isEqualTo(0L);
    assertThat(history("background").size())
        .as("no output of a merge that had not ended was merged again")
        .isGreaterThanOrEqualTo(steps - 3);
  }

  @Test
  void aMergeThatHasLostAllItsInputsHoldsNothingThoughNobodyAsks() {
    ColumnFamilyStore table = mixed("gone");
    CoppiceStrategy strategy =
        (CoppiceStrategy) table.getCompactionStrategyManager().getStrategies().get(1).get(0);
    TransientSpaceLedger space = TableRegistry.known(table).space();
    while (space.deadBytes() == 0) {
      next(strategy).execute(CompactionManager.instance.active);
    }
    assertThat(strategy.summary().others()).isPositive();
    SteppedMerge merge =
        new SteppedMerge(new SteppedMerge.Spec(1, 1, 1, "a test asks it"), table.getLiveSSTables());
    List<SSTableReader> asked = new ArrayList<>();
    assertThat(merge.hasAny(asked::add)).isTrue();
    assertThat(asked).as("each SSTable that goes asks again").hasSize(1);
    node.cql("TRUNCATE ks.gone");
    assertThat(table.getLiveSSTables()).isEmpty();
    assertThat(space.deadBytes()).isZero();
    assertThat(strategy.summary().plans()).isZero();
  }

  private static org.apache.cassandra.db.compaction.AbstractCompactionTask next(
      CoppiceStrategy strategy) {
    return strategy.getNextBackgroundTask(FBUtilities.nowInSeconds());
  }

  // --- what the tests share ---

  private static Waves waves(String name) {
    return new Waves(node, name, SEED, PARTITIONS, 300, true);
  }

  /**
   * Four waves: mostly old wide SSTables below new narrow ones, wide ones below newer narrow ones.
   */
  private static void fill(ColumnFamilyStore table, boolean narrow, Waves waves) {
    for (int wave = 0; wave < 4; wave++) {
      waves.write(wave, narrow ? 12 : wave % 2 == 0 ? 1 : 8);
    }
    assertThat(table.getLiveSSTables()).hasSizeGreaterThan(12);
  }

  /** Two merges of one step each, of the SSTables of {@link #halved}. */
  private static List<ByHand> halves(ColumnFamilyStore table) {
    node.copy(halved, table);
    List<SSTableReader> live =
        table.getLiveSSTables().stream()
            .sorted(Comparator.comparing(SSTableReader::getFirst))
            .toList();
    int half = live.size() / 2;
    return Stream.of(live.subList(0, half), live.subList(half, live.size()))
        .map(inputs -> new ByHand(table, MergeGate.rule(table.name), inputs, Long.MAX_VALUE))
        .toList();
  }

  /** A table with the four waves of {@link #mixed}; its name is that of its {@link #waves}. */
  private static ColumnFamilyStore mixed(String name) {
    ColumnFamilyStore table = create(name);
    node.copy(mixed, table);
    return table;
  }

  /** A table with the four waves of {@link #narrow}, all of narrow SSTables. */
  private static ColumnFamilyStore narrow(String name) {
    ColumnFamilyStore table = create(name);
    node.copy(narrow, table);
    return table;
  }

  private static ColumnFamilyStore create(String name) {
    Waves.create(node, name, OURS);
    ColumnFamilyStore table = node.table("ks", name);
    table.disableAutoCompaction();
    return table;
  }

  private static Path data(SSTableReader sstable) {
    return sstable
        .descriptor
        .fileFor(org.apache.cassandra.io.sstable.format.SSTableFormat.Components.DATA)
        .toPath();
  }

  private static List<CompactionInfo> operations(ColumnFamilyStore table) {
    return CompactionManager.instance.active.getCompactions().stream()
        .map(CompactionInfo.Holder::getCompactionInfo)
        .filter(info -> info.getTable().map(table.name::equals).orElse(false))
        .toList();
  }

  /** What Cassandra tells others is still to be written; 0 in 5.0.0, which reckons otherwise. */
  private static long leftToWrite(CompactionInfo info) {
    try {
      Method left = CompactionInfo.class.getMethod("estimatedRemainingWriteToDiskBytes");
      return (long) left.invoke(info);
    } catch (NoSuchMethodException e) {
      return 0;
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("the rest of " + info + " cannot be asked", e);
    }
  }

  /** The rows that steps have left in Cassandra's history. */
  private static List<String> history(String name) {
    List<String> steps = new ArrayList<>();
    for (UntypedResultSet.Row row :
        node.run(
            "SELECT columnfamily_name, compaction_properties FROM system.compaction_history")) {
      if (row.getString("columnfamily_name").equals(name)) {
        steps.add(
            row.getMap(
                    "compaction_properties",
                    org.apache.cassandra.db.marshal.UTF8Type.instance,
                    org.apache.cassandra.db.marshal.UTF8Type.instance)
                .toString());
      }
    }
    return steps.stream().filter(step -> step.contains("coppice_step")).toList();
  }

  /** Runs it on a thread of its own; what it throws comes out of the future. */
  private static FutureTask<Void> future(Runnable work) {
    FutureTask<Void> future = new FutureTask<>(work, null);
    new Thread(future, "operator").start();
    return future;
  }

  private static Thread background(Runnable work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (RuntimeException e) {
                // A merge that is stopped ends with an exception.
                assertThat(e).hasStackTraceContaining("CompactionInterruptedException");
              }
            },
            "operator");
    thread.start();
    return thread;
  }

  private interface Work {
    void run() throws Exception;
  }

  private static void run(Work work) {
    try {
      work.run();
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private static void join(Thread thread) {
    run(thread::join);
  }

  private static long bytes(ColumnFamilyStore table) throws IOException {
    LifecycleTransaction.waitForDeletions();
    return DiskSampler.bytes(table);
  }
}
