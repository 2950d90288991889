// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.cassandra.node.Counts;
import io.coppice.cassandra.node.Node;
import io.coppice.cassandra.node.NodeFiles;
import io.coppice.cassandra.node.OwnNode;
import io.coppice.cassandra.node.RandomOperator;
import io.coppice.cassandra.node.RandomTable;
import io.coppice.cassandra.node.SettableClock;
import io.coppice.cassandra.node.Strategies;
import io.coppice.cassandra.node.TableReads;
import io.coppice.cassandra.node.Variety;
import io.coppice.testing.LongRun;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.cassandra.config.DatabaseDescriptor;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * Random CQL against a model, while strategies change and an operator does random things to the
 * node: whatever is read, at any time and by any door, is what was written.
 *
 * <p>{@code -Dseed=} replays, {@code -Dminutes=} goes on for so long, {@code -Dcoppice.node=}
 * chooses a {@link Variety} other than all of it.
 */
@OwnNode
final class RandomCqlNodeTest {

  private static final long SEED = Long.getLong("seed", 20261121L);
  private static final int MINUTES = Integer.getInteger("minutes", 0);
  private static final int ROUNDS = 40;
  private static final int ROUNDS_TO_PURGE = 20;
  private static final int DELETIONS = 150;
  private static final int FILLED = 2000;
  private static final int SLOW_MIB = 16;

  private static Node node;

  private final Random random = new Random(SEED);

  @BeforeAll
  static void startNode() {
    SettableClock.install();
    node = Node.startForThisJvmOnly(NodeFiles.fresh("random", 1, Variety.chosenOr(Variety.FULL)));
    node.createKeyspace();
  }

  @AfterAll
  static void nodeComplainedOfNothing() {
    assertThat(node.complaints()).isEmpty();
  }

  @Test
  void whateverIsReadIsWhatWasWritten() {
    LongRun run = new LongRun(RandomCqlNodeTest.class, SEED);
    List<RandomTable> tables =
        List.of(
            new RandomTable(node, "purged", false, SEED, Strategies.any(random)),
            new RandomTable(node, "late", true, SEED + 1, Strategies.any(random)));
    List<TableReads> reads = tables.stream().map(TableReads::new).toList();
    tables.forEach(table -> table.fill(FILLED));
    RandomOperator operator = new RandomOperator(node, SEED + 2);
    int round = 0;
    // So slow that much is read between two steps of a merge.
    DatabaseDescriptor.setCompactionThroughputMebibytesPerSec(SLOW_MIB);
    try (operator) {
      long end = System.nanoTime() + Duration.ofMinutes(MINUTES).toNanos();
      while (MINUTES == 0 ? round < ROUNDS : System.nanoTime() < end) {
        round(tables, reads, operator, round);
        if (round++ % ROUNDS_TO_PURGE == 3) {
          purge(tables.get(0), reads.get(0), operator);
        }
      }
      DatabaseDescriptor.setCompactionThroughputMebibytesPerSec(0);
      operator.finish();
      for (RandomTable table : tables) {
        // Space without bound, so that nothing is put off for ever.
        table.alter(Strategies.OURS.get(random.nextInt(Strategies.OURS.size())));
        table.store().enableAutoCompaction();
        node.settle(table.store());
      }
      reads.forEach(TableReads::all);
      SettableClock.forward(2);
      tables.forEach(table -> table.store().forceMajorCompaction());
      reads.forEach(TableReads::all);
    } catch (RuntimeException | AssertionError e) {
      throw new AssertionError("seed " + SEED + ", round " + round + ", " + operator.done(), e);
    } finally {
      DatabaseDescriptor.setCompactionThroughputMebibytesPerSec(0);
    }
    long writes = tables.stream().mapToLong(RandomTable::writes).sum();
    long rows = reads.stream().mapToLong(TableReads::rows).sum();
    long operations = operator.done().values().stream().mapToLong(Integer::longValue).sum();
    System.out.println(
        node.files().variety()
            + ", seed "
            + SEED
            + ": "
            + round
            + " rounds, "
            + writes
            + " writes, "
            + rows
            + " rows read, "
            + operator.done());
    run.passed(
        "random " + node.files().variety(),
        Map.of(
            "rounds", (long) round,
            "writes", writes,
            "rows_read", rows,
            "operations", operations,
            "wrong", 0L));
  }

  private void round(
      List<RandomTable> tables, List<TableReads> reads, RandomOperator operator, int round) {
    int chosen = random.nextInt(tables.size());
    RandomTable table = tables.get(chosen);
    if (random.nextInt(4) > 0) {
      // What was deleted before may be purged.
      SettableClock.forward(2);
      operator.next(table);
    }
    for (int change = 50 + random.nextInt(300); change > 0; change--) {
      table.change();
      if (random.nextInt(8) == 0) {
        reads.get(chosen).any();
      }
    }
    if (random.nextInt(3) > 0) {
      node.flush(table.store());
    }
    if (random.nextInt(4) == 0) {
      SettableClock.forward(1 + random.nextInt(60));
    }
    if (round % 6 == 5) {
      reads.forEach(TableReads::all);
      tables.forEach(RandomTable::forget);
    }
    if (random.nextInt(100) == 0) {
      operator.finish();
      table.truncate();
      table.fill(FILLED);
    }
  }

  /**
   * One SSTable over all keys holds what newer, narrow ones delete, and a merge consumes some of
   * those while the wide one stays: what they hid must stay hidden. Without this random rounds
   * rarely come to it, as flushes and outputs end at common bounds.
   */
  private void purge(RandomTable table, TableReads reads, RandomOperator operator) {
    operator.finish();
    ColumnFamilyStore store = table.store();
    table.alter(Strategies.STOCK.get(0));
    node.flush(store);
    store.forceMajorCompaction();
    String ours = Strategies.OURS.get(random.nextInt(Strategies.OURS.size()));
    table.alter(Strategies.and(ours, "'cleaning_threshold': '1'"));
    table.delete(DELETIONS);
    node.flush(store);
    SettableClock.forward(2);
    operator.partOfMajor(table);
    do {
      reads.partitions();
    } while (operator.busy());
    reads.partitions();
  }

  @Test
  void everyStrategyTakesOverFromEveryStockOneAndHandsBack() {
    LongRun run = new LongRun(RandomCqlNodeTest.class, SEED);
    RandomTable table = new RandomTable(node, "matrix", false, SEED, Strategies.STOCK.get(0));
    TableReads reads = new TableReads(table);
    Counts counts = new Counts(node, "counts", SEED, 40);
    counts.create(Strategies.STOCK.get(0));
    ColumnFamilyStore counters = node.table("ks", "counts");
    int wave = 0;
    for (String stock : Strategies.STOCK) {
      alter(table, stock);
      change(table);
      counts.write(wave++);
      for (String ours : Strategies.OURS) {
        String between = "from " + stock + " to " + ours + ", seed " + SEED;
        alter(table, ours);
        assertThat(node.hasBean("matrix")).isTrue();
        change(table);
        counts.write(wave++);
        node.settle(table.store());
        node.settle(counters);
        same(between, reads, counts, wave);
        assertThat(node.bean("matrix", "RefusedPlans")).as(between).isEqualTo(0L);
        assertThat(node.bean("counts", "RefusedPlans")).as(between).isEqualTo(0L);
        alter(table, stock);
        change(table);
        counts.write(wave++);
        node.settle(table.store());
        node.settle(counters);
        same("back " + between, reads, counts, wave);
      }
    }
    for (String ours : Strategies.OURS) {
      alter(table, ours);
      change(table);
      table.store().forceMajorCompaction();
      counters.forceMajorCompaction();
      assertThat(Node.depth(table.store().getLiveSSTables())).as(ours).isEqualTo(1);
      assertThat(Node.depth(counters.getLiveSSTables())).as(ours).isEqualTo(1);
    }
    same("after major compactions", reads, counts, wave);
    alter(table, Strategies.STOCK.get(2));
    node.settle(table.store());
    same("back for good", reads, counts, wave);
    Node.await("the beans to go", () -> !node.hasBean("matrix") && !node.hasBean("counts"));
    run.passed(
        "matrix " + node.files().variety(),
        Map.of(
            "there_and_back",
            (long) Strategies.STOCK.size() * Strategies.OURS.size(),
            "writes",
            table.writes(),
            "rows_read",
            reads.rows(),
            "wrong",
            0L));
  }

  private static void alter(RandomTable table, String compaction) {
    table.alter(compaction);
    node.cql("ALTER TABLE ks.counts WITH compaction = " + compaction);
  }

  /** Also lets some of what was written expire. */
  private static void change(RandomTable table) {
    for (int flush = 0; flush < 2; flush++) {
      for (int i = 0; i < 120; i++) {
        table.change();
      }
      node.flush(table.store());
      SettableClock.forward(15);
    }
  }

  private static void same(String when, TableReads reads, Counts counts, int waves) {
    try {
      reads.all();
    } catch (AssertionError e) {
      throw new AssertionError(when + ", seed " + SEED, e);
    }
    assertThat(counts.differences(waves)).as(when).isEmpty();
  }
}
