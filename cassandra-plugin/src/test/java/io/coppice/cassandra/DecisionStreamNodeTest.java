// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.cassandra.merge.MergeTask;
import io.coppice.cassandra.merge.MoveTask;
import io.coppice.cassandra.node.Node;
import io.coppice.cassandra.node.SharedNode;
import io.coppice.cassandra.node.SimulatedTables;
import io.coppice.cassandra.node.TableModel;
import io.coppice.cassandra.sstable.CqlOptions;
import io.coppice.policy.Budget;
import io.coppice.policy.Plan;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.SliceFacts;
import io.coppice.policy.observe.Decision;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.step.PlanSearch;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.compaction.AbstractCompactionTask;
import org.apache.cassandra.db.compaction.ActiveCompactionsTracker;
import org.apache.cassandra.db.marshal.Int32Type;
import org.apache.cassandra.db.rows.Row;
import org.apache.cassandra.db.rows.UnfilteredRowIterator;
import org.apache.cassandra.io.sstable.ISSTableScanner;
import org.apache.cassandra.io.sstable.SSTableId;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.FBUtilities;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One load, planned by a node and by the simulator. The test flushes, then asks the strategy for
 * one task after another and carries out each before it asks again. Whenever the strategy asks its
 * policy, the simulator is given the same tables and asks too. These are equal in both hosts:
 *
 * <ul>
 *   <li>the answer: no plan, or its kind, its inputs in their order, its target level, and its
 *       reason with all numbers and the forecast,
 *   <li>the budget of the question,
 *   <li>the shape: its levels, their runs in their order, and the SSTables of each run,
 *   <li>the age of each SSTable, the order of its ends among those of the others, its bytes,
 *       entries and deletions, and the older entries that these hide.
 * </ul>
 *
 * <p>The simulator copies none of this from the plugin. The levels in the simulator follow from the
 * plans before, entries and deletions are counted in the rows of the SSTable, and its length and
 * number are Cassandra's.
 *
 * <p>Four things are the node's own, so the simulator takes them over:
 *
 * <ul>
 *   <li>the SSTables that a merge writes, because estimates decide where they end, and timestamps
 *       which deletions they keep,
 *   <li>the tasks that no policy plans: a node drops SSTables without live data, and takes flushes
 *       that overlap no other out of level 0,
 *   <li>the SSTables that look like outputs of an interrupted merge, which a merge takes with it,
 *   <li>the answers between two steps of a merge, because the simulator runs all steps at once.
 * </ul>
 *
 * <p>The load deletes single rows. Deletions of partitions and of ranges are left out, because a
 * node estimates what they hide. Reads are left out too, so none of them requests a merge.
 */
@SharedNode
final class DecisionStreamNodeTest {

  private static final long SEED = Long.getLong("seed", 1);
  private static final int FLUSHES = 100;
  private static final int PARTITIONS = 2000;
  private static final int ALL_ROWS = PARTITIONS * TableModel.ROWS;
  private static final int MAX_ROWS_PER_FLUSH = 60;
  private static final int DELETED_FLUSHES = 24;
  private static final int MAX_TASKS_PER_FLUSH = 1000;

  /** Half the length of a value. Its second half equals the first, and compression removes it. */
  private static final int HALF_VALUE_LENGTH = 4000;

  private static Node node;

  @BeforeAll
  static void startNode() {
    node = Node.shared();
  }

  @AfterAll
  static void nodeComplainedOfNothing() {
    assertThat(node.complaints()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "leveled,base_size=1MiB,cleaning_threshold=0,fanout=3,l0_trigger=3",
        "delayed,base_size=1MiB,cleaning_threshold=0,fanout=3,l0_trigger=2,vct=6",
        "lazy-binomial,cleaning_threshold=0,k=3",
        "split-forest,cleaning_threshold=1,fanout=2",
        "tiered,cleaning_threshold=0,trigger=6",
        "grouped,cleaning_threshold=0,groups=3"
      })
  void nodeAndSimulatorMakeTheSamePlans(String policy) {
    Stream stream = new Stream(policy + ",table_size=1MiB");
    Load load = new Load();
    for (int flush = 0; flush < FLUSHES; flush++) {
      stream.flush(load.next());
      stream.settle();
    }
    List<String> plans = stream.plans;
    assertThat(plans).filteredOn(plan -> plan.startsWith("Merge")).hasSizeGreaterThan(10);
    assertThat(plans).filteredOn(plan -> plan.endsWith("deletions")).isNotEmpty();
    if (policy.startsWith("delayed")) {
      assertThat(plans).filteredOn(plan -> plan.startsWith("Delay")).hasSizeGreaterThan(20);
    }
    // These two rarely move an SSTable, because their runs mostly overlap.
    if (!policy.startsWith("grouped") && !policy.startsWith("tiered")) {
      assertThat(plans).filteredOn(plan -> plan.startsWith("Move")).isNotEmpty();
    }
    if (!policy.contains("cleaning_threshold=0")) {
      assertThat(stream.betweenSteps).isPositive();
    }
    assertThat(stream.unplanned).isLessThan(plans.size() / 4);
    assertThat(stream.unnamed).as("SSTables that no plan names").isLessThan(plans.size() / 20);
    stream.model.verify("-Dseed=" + SEED, PARTITIONS);
  }

  /**
   * Rows of flushes that overlap everything, of some that overlap a little, and of a series. A row
   * is the rank of its partition times {@link TableModel#ROWS}, plus its clustering key.
   */
  private static final class Load {

    private final Random random = new Random(SEED);
    private final List<SortedSet<Integer>> written = new ArrayList<>();
    private int end;

    /**
     * Returns the rows of the next flush; {@code ~row} deletes a row. From the middle of the load
     * on, a flush deletes an eighth of its rows, or all rows of some earlier flushes.
     */
    List<Integer> next() {
      boolean deletes = 2 * written.size() >= FLUSHES;
      if (deletes && random.nextInt(4) == 0) {
        int from = random.nextInt(written.size() - DELETED_FLUSHES);
        Set<Integer> rows = new TreeSet<>();
        written.subList(from, from + DELETED_FLUSHES).forEach(rows::addAll);
        written.add(new TreeSet<>());
        return rows.stream().map(row -> ~row).toList();
      }
      SortedSet<Integer> rows = rows();
      written.add(rows);
      return rows.stream().map(row -> deletes && random.nextInt(8) == 0 ? ~row : row).toList();
    }

    private SortedSet<Integer> rows() {
      int count = 1 + random.nextInt(MAX_ROWS_PER_FLUSH);
      SortedSet<Integer> rows = new TreeSet<>();
      int kind = random.nextInt(4);
      if (kind < 2) {
        random.ints(count, 0, ALL_ROWS).forEach(rows::add);
      } else if (kind == 2) {
        int from = random.nextInt(ALL_ROWS - 10 * count);
        random.ints(count, from, from + 10 * count).forEach(rows::add);
      } else {
        for (int i = 0; i < count; i++) {
          rows.add(end++ % ALL_ROWS);
        }
      }
      return rows;
    }
  }

  /** A table on the node, and the questions of its strategy. */
  private static final class Stream {

    private final PolicySpec policy;
    private final ColumnFamilyStore table;
    private final CoppiceStrategy strategy;
    private final TableModel model;

    /** Keys of all partitions in the order of the ring; the index is the rank. */
    private final List<DecoratedKey> ring;

    /** Levels that the SSTables have according to the plans. */
    private final Map<SSTableId, Integer> levels = new HashMap<>();

    /** Levels of the outputs of merges, by their inputs. */
    private final Map<SSTableId, Integer> targets = new HashMap<>();

    /** Contents of SSTables, with level 0 in place of their level. */
    private final Map<SSTableId, SimulatedTables.Table> contents = new HashMap<>();

    /** Kind and reason of each plan that both hosts made. */
    private final List<String> plans = new ArrayList<>();

    /** Number of questions between two steps of a merge. */
    private int betweenSteps;

    /** Number of tasks that no policy planned. */
    private int unplanned;

    /** Number of SSTables that merges took although no plan names them. */
    private int unnamed;

    /** Creates a table whose compactions run only when they are asked for. */
    Stream(String text) {
      policy = PolicySpec.parse(text, CqlOptions.LIMITS);
      String name = text.substring(0, text.indexOf(',')).replace("-", "");
      String options = "'policy': '" + text.replace("=", "': '").replace(",", "', '") + "'";
      node.cql(
          "CREATE TABLE ks."
              + name
              + " (pk int, ck int, v text, PRIMARY KEY (pk, ck)) WITH"
              + " gc_grace_seconds = 0 AND compression = {'class': 'LZ4Compressor'} AND compaction"
              + " = {'class': 'io.coppice.cassandra.CoppiceCompactionStrategy', "
              + options
              + "}");
      table = node.table("ks", name);
      table.disableAutoCompaction();
      strategy =
          (CoppiceStrategy) table.getCompactionStrategyManager().getStrategies().get(1).get(0);
      model = new TableModel(node, name, SEED);
      ring =
          IntStream.range(0, PARTITIONS)
              .mapToObj(pk -> table.getPartitioner().decorateKey(Int32Type.instance.decompose(pk)))
              .sorted()
              .toList();
    }

    /** Writes rows and flushes them. */
    void flush(List<Integer> rows) {
      for (int written : rows) {
        int row = written < 0 ? ~written : written;
        int pk = Int32Type.instance.compose(ring.get(row / TableModel.ROWS).getKey());
        int ck = row % TableModel.ROWS;
        if (written < 0) {
          model.delete(pk, ck);
        } else {
          model.put(pk, ck, model.value(HALF_VALUE_LENGTH).repeat(2));
        }
      }
      node.flush(table);
      tables().forEach(sstable -> levels.putIfAbsent(sstable.descriptor.id, 0));
    }

    /** Carries out tasks until the strategy has none. */
    void settle() {
      boolean more = true;
      for (int tasks = 0; more; tasks++) {
        assertThat(tasks)
            .as("tasks after one flush of %s, -Dseed=%s", policy, SEED)
            .isLessThan(MAX_TASKS_PER_FLUSH);
        List<SSTableReader> tables = tables();
        long asked = last().map(Decision::sequence).orElse(0L);
        AbstractCompactionTask task = strategy.getNextBackgroundTask(purgeBefore());
        assertThat(strategy.decisions().stream().filter(one -> one.sequence() > asked).count())
            .as("questions for one task, -Dseed=%s", SEED)
            .isLessThanOrEqualTo(1);
        Optional<Decision> question = last().filter(one -> one.sequence() > asked);
        question.ifPresent(decision -> compare(decision, tables));
        more = task != null;
        if (more) {
          carryOut(task, question.flatMap(Decision::plan), tables);
        }
      }
    }

    /** Returns a time after all deletions, in seconds, so that merges may purge them. */
    private static long purgeBefore() {
      return FBUtilities.nowInSeconds() + 1;
    }

    /** Returns the last question that the strategy asked. */
    private Optional<Decision> last() {
      List<Decision> decisions = strategy.decisions();
      return decisions.stream().skip(Math.max(0, decisions.size() - 1)).findFirst();
    }

    /** Returns the SSTables by age, oldest first. */
    private List<SSTableReader> tables() {
      return table.getLiveSSTables().stream().sorted(SSTableReader.idComparator).toList();
    }

    private static Set<SSTableId> ids(List<SSTableReader> tables) {
      return tables.stream()
          .map(sstable -> sstable.descriptor.id)
          .collect(Collectors.toCollection(HashSet::new));
    }

    private void compare(Decision decision, List<SSTableReader> tables) {
      SimulatedTables simulated =
          new SimulatedTables(policy, PARTITIONS, tables.stream().map(this::given).toList());
      String when = "question " + decision.sequence() + " of " + policy + ", -Dseed=" + SEED;
      assertThat(text(decision.shape())).as(when).isEqualTo(text(simulated.shape()));
      if (!decision.shape().runningPlans().isEmpty()) {
        betweenSteps++;
        return;
      }
      PlanSearch.Found found = simulated.next();
      assertThat(text(decision.budget(), decision.plan()))
          .as("%s:%s", when, text(decision.shape()))
          .isEqualTo(text(found.budget(), found.plan()));
      decision.plan().map(plan -> kind(plan) + " " + plan.reason().code()).ifPresent(plans::add);
    }

    /** Carries out a task and records the levels that follow from the plan, if there is one. */
    private void carryOut(
        AbstractCompactionTask task, Optional<Plan> plan, List<SSTableReader> tables) {
      List<SSTableId> inputs = new ArrayList<>();
      for (long slice : plan.map(Plan::slices).orElse(List.of())) {
        inputs.add(tables.get(Math.toIntExact(slice) - 1).descriptor.id);
      }
      Optional<Integer> level = plan.map(one -> ((Plan.Placing) one).target().level());
      if (plan.filter(Plan.Merge.class::isInstance).isPresent()) {
        inputs.forEach(input -> targets.put(input, level.orElseThrow()));
      }
      task.execute(ActiveCompactionsTracker.NOOP);
      Set<SSTableId> gone = ids(tables);
      gone.removeAll(ids(tables()));
      Set<SSTableId> written = ids(tables());
      written.removeAll(ids(tables));
      if (task instanceof MergeTask && gone.stream().anyMatch(targets::containsKey)) {
        Set<Integer> target = new HashSet<>();
        for (SSTableId input : gone) {
          if (targets.containsKey(input)) {
            target.add(targets.get(input));
          } else {
            unnamed++;
          }
        }
        assertThat(target).as("levels of the outputs of one merge").hasSize(1);
        written.forEach(output -> levels.put(output, target.iterator().next()));
      } else if (task instanceof MoveTask && plan.isPresent()) {
        inputs.forEach(input -> levels.put(input, level.orElseThrow()));
      } else {
        unplanned++;
        assertThat(written).isEmpty();
        Map<SSTableId, Integer> before = Map.copyOf(levels);
        tables().forEach(sstable -> levels.put(sstable.descriptor.id, sstable.getSSTableLevel()));
        boolean changed = !gone.isEmpty() || !levels.equals(before);
        assertThat(changed).as("a task changes something, -Dseed=%s", SEED).isTrue();
      }
    }

    /** Returns an SSTable as the simulator is given it. */
    private SimulatedTables.Table given(SSTableReader sstable) {
      return contents
          .computeIfAbsent(sstable.descriptor.id, id -> read(sstable))
          .at(levels.get(sstable.descriptor.id));
    }

    private SimulatedTables.Table read(SSTableReader sstable) {
      SortedSet<Integer> partitions = new TreeSet<>();
      int entries = 0;
      int deletions = 0;
      try (ISSTableScanner scanner = sstable.getScanner()) {
        while (scanner.hasNext()) {
          try (UnfilteredRowIterator rows = scanner.next()) {
            partitions.add(Collections.binarySearch(ring, rows.partitionKey()));
            while (rows.hasNext()) {
              entries++;
              deletions += ((Row) rows.next()).hasLiveData(0, false) ? 0 : 1;
            }
          }
        }
      }
      return new SimulatedTables.Table(
          0, partitions.first(), partitions.last(), sstable.onDiskLength(), entries, deletions);
    }
  }

  private static String kind(Plan plan) {
    return plan.getClass().getSimpleName();
  }

  private static String text(Budget budget, Optional<Plan> answer) {
    if (answer.isEmpty()) {
      return "no plan within " + budget;
    }
    Plan plan = answer.get();
    String text = kind(plan) + plan.slices();
    if (plan instanceof Plan.Placing placing) {
      text += " -> L" + placing.target().level();
    }
    if (plan instanceof Plan.Merge merge) {
      text += " cleaning=" + merge.cleaningThreshold();
    }
    return text + " because " + plan.reason() + " within " + budget;
  }

  /** Returns a shape in words. In both hosts an id is the place of its SSTable by age. */
  private static String text(Shape shape) {
    SortedSet<Integer> ends = new TreeSet<>();
    for (SliceFacts slice : slices(shape)) {
      ends.add(slice.low());
      ends.add(slice.high());
    }
    StringBuilder text = new StringBuilder();
    for (int level = 0; level < shape.levels().size(); level++) {
      for (RunFacts run : shape.levels().get(level).runs()) {
        text.append("\nL").append(level);
        for (SegmentFacts segment : run.segments()) {
          segment.slices().forEach(slice -> text.append(text(slice, ends)));
        }
      }
    }
    return text.append("\nrequests: ").append(shape.requests()).toString();
  }

  private static String text(SliceFacts slice, SortedSet<Integer> ends) {
    return String.format(
        "%n  t%s[%s..%s] %s of %s bytes, %s entries, %s deletions hiding %s",
        slice.slice(),
        ends.headSet(slice.low()).size(),
        ends.headSet(slice.high()).size(),
        slice.bytes(),
        slice.tableBytes(),
        slice.entries(),
        slice.tombstones(),
        slice.hidden());
  }

  private static List<SliceFacts> slices(Shape shape) {
    return shape.levels().stream()
        .flatMap(level -> level.runs().stream())
        .flatMap(run -> run.segments().stream())
        .flatMap(segment -> segment.slices().stream())
        .toList();
  }
}
