// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.DiskFullException;
import io.coppice.base.WritePressure;
import io.coppice.compaction.context.CompactionContext;
import io.coppice.compaction.context.CompactionListener;
import io.coppice.compaction.context.FamilyCompactionContext;
import io.coppice.compaction.shape.EndedShares;
import io.coppice.entry.EntryHooks;
import io.coppice.io.MemDisk;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.SnapshotList;
import io.coppice.policy.Plan;
import io.coppice.policy.Reason;
import io.coppice.policy.Target;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.tuner.RewriteBudget;
import io.coppice.table.TableMeta;
import io.coppice.testing.Seeds;
import io.coppice.version.ReadCompactionRequests;
import io.coppice.version.Slice;
import io.coppice.version.VersionEdit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Between the check of a plan and its edit merges go on. */
class FamilyPlannerTest {

  private static final Reason REASON = Reason.of("by-hand", "by hand");

  private final RewriteBudget budget = new RewriteBudget(() -> 0);
  private Manifest manifest;
  private FamilyPlanner planner;

  @BeforeEach
  void makeTwoRuns() throws IOException {
    manifest = Manifest.open(new MemDisk());
    manifest.retireTo(table -> {});
    CompactionContext context =
        new CompactionContext(null, null, null, null, null, null, null, null, null, null, 1 << 20);
    FamilyCompactionContext family =
        new FamilyCompactionContext(
            manifest.family(),
            context,
            PolicySpec.parse("leveled"),
            new ReadCompactionRequests(),
            budget,
            null);
    planner =
        new FamilyPlanner(
            family, new DecisionJournal(10, 100), Long.MAX_VALUE, () -> Long.MAX_VALUE);
    VersionEdit.Builder edit =
        VersionEdit.builder().addRun(1, 20, Set.of()).addRun(0, 30, Set.of());
    edit.addTable(1, 20, 1, table(1, "a", "m")).addTable(0, 30, 2, table(2, "n", "z"));
    manifest.install(edit.nextNumber(100).build());
  }

  @AfterEach
  void close() throws IOException {
    manifest.close();
  }

  private static TableMeta table(long number, String low, String high) {
    byte[] first = low.getBytes(US_ASCII);
    byte[] last = high.getBytes(US_ASCII);
    return new TableMeta(number, 1000, 10, 0, 0, first, last, 1, 1, TableMeta.NO_FILTER);
  }

  private void mergeAwayTheTarget() throws IOException {
    manifest.install(VersionEdit.builder().removeSlice(1).build());
  }

  @Test
  void aPlanWaitsForSpaceUntilWritersAreHeldBack() {
    long heldBack = (long) Math.ceil(WritePressure.FREE * WritePressure.STOP_RUNS);
    assertThat(FamilyPlanner.boundBytes(10, 100, heldBack - 1)).isEqualTo(100);
    assertThat(FamilyPlanner.boundBytes(10, 100, heldBack)).isEqualTo(10);
    assertThat(FamilyPlanner.boundBytes(Long.MAX_VALUE, 100, -4)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aMoveIntoARunThatHasLeftIsStale() throws IOException {
    Plan plan = new Plan.Move(List.of(2L), Target.join(1, 20), REASON);
    planner.check(plan);
    mergeAwayTheTarget();

    assertThatThrownBy(() -> planner.installMetadataPlan(plan))
        .isInstanceOf(StalePlanException.class)
        .hasMessageContaining("there is no run 20 in level 1");
  }

  @Test
  void aMoveFedByARunThatHasLeftIsStale() throws IOException {
    Plan plan = new Plan.Move(List.of(2L), Target.newest(2, Set.of(20L, 30L)), REASON);
    planner.check(plan);
    mergeAwayTheTarget();

    assertThatThrownBy(() -> planner.installMetadataPlan(plan))
        .isInstanceOf(StalePlanException.class)
        .hasMessageContaining("run 20 cannot feed another");
  }

  @Test
  void aMergeFedByARunThatHasLeftIsStale() throws IOException {
    Plan plan = new Plan.Merge(List.of(2L), Target.newest(2, Set.of(20L, 30L)), 0, REASON);
    planner.check(plan);
    mergeAwayTheTarget();

    assertThatThrownBy(() -> planner.claim((Plan.Merge) plan, 1))
        .isInstanceOf(StalePlanException.class);
    assertThat(planner.idle()).isTrue();
  }

  @Test
  void aMergeIntoARunThatHasLeftIsStale() throws IOException {
    Plan.Merge plan = new Plan.Merge(List.of(2L), Target.join(1, 20), 0, REASON);
    planner.check(plan);
    mergeAwayTheTarget();

    assertThatThrownBy(() -> planner.claim(plan, 1))
        .isInstanceOf(StalePlanException.class)
        .hasMessageContaining("there is no run 20");
    assertThat(planner.idle()).isTrue();
  }

  @Test
  void aMergeIsChargedOnceItHasBegun() throws IOException {
    Plan.Merge plan = new Plan.Merge(List.of(2L), Target.join(1, 20), 0, REASON);
    FairPlanScheduler planners =
        new FairPlanScheduler(new DecisionJournal(10, 100), Long.MAX_VALUE);
    planner.claim(plan, 1).forEach(planner::release);
    assertThat(budget.begunBytes()).as("claimed and given back").isZero();
    assertThat(planner.time()).isZero();

    List<Subcompaction> merge = planner.claim(plan, 1);
    planners.charge(planner, plan, merge.get(0).inputBytes());
    assertThat(budget.begunBytes()).isEqualTo(1000);
    assertThat(planner.time()).isEqualTo(1000);
    merge.forEach(planner::release);
  }

  @Test
  void aRunStaysUntilTheMergesThatFillItHaveEnded() throws IOException {
    List<Subcompaction> merge =
        planner.claim(new Plan.Merge(List.of(2L), Target.join(1, 20), 0, REASON), 1);
    mergeAwayTheTarget();
    assertThat(manifest.family().current().run(20)).isNotNull();
    merge.forEach(planner::release);
    assertThat(manifest.family().current().run(20)).isNull();
  }

  @Test
  void writersWaitForWhatComesBeforeFlushesToo() throws IOException {
    Plan deeper = new Plan.Merge(List.of(1L), Target.newest(2), 0, REASON);
    Plan flushes = new Plan.Merge(List.of(2L), Target.join(1, 20), 0, REASON);
    assertThat(planner.relievesWriters(flushes)).isTrue();
    assertThat(planner.relievesWriters(deeper)).isFalse();
    VersionEdit.Builder edit = VersionEdit.builder();
    for (long run = 40; run < 80; run++) {
      edit.addRun(0, run, Set.of()).addTable(0, run, run, table(run, "n", "z"));
    }
    manifest.install(edit.build());
    assertThat(planner.relievesWriters(deeper)).isTrue();
  }

  @Test
  void anEditThatWasNeverLegalIsAFailure() throws IOException {
    Plan plan = new Plan.Move(List.of(2L), Target.join(1, 77), REASON);
    planner.check(new Plan.Move(List.of(2L), Target.join(1, 20), REASON));

    assertThatThrownBy(() -> planner.installMetadataPlan(plan))
        .isInstanceOf(IllegalArgumentException.class)
        .isNotInstanceOf(StalePlanException.class);
  }

  /** Notes what the planner tells of a family that is stuck. */
  private static final class Stuck implements CompactionListener {
    private final List<String> reported = new ArrayList<>();

    @Override
    public void stuck(String why) {
      reported.add(why);
    }

    @Override
    public void rearranged(Plan plan, long bytes) {}

    @Override
    public void merged(Plan.Merge plan, long bytesRead, long bytesWritten, long nanos) {}

    @Override
    public void failed(String what, Throwable cause) {}
  }

  /** No value of any table ends. */
  private static final class Endless implements EndedShares.Source {
    @Override
    public long firstEndMillis(long table) {
      return Long.MAX_VALUE;
    }

    @Override
    public long[] ends(long table) {
      return new long[0];
    }
  }

  /**
   * A plan that waits for space that merges of another family hold ends no change of policy, and is
   * not reported as stuck. With all space free, what does not fit is reported once writers wait.
   */
  @Test
  void aPlanThatWaitsForSpaceIsNeitherSettledNorStuck() throws IOException {
    Map<String, Integer> seen = new HashMap<>();
    long seed = Seeds.first();
    for (int round = 0; round < 300; round++) {
      Random random = Seeds.random(seed, round);
      String seeded = "round " + round + ", " + Seeds.replay(getClass(), seed);
      Stuck stuck = new Stuck();
      long max = 1L << (8 + random.nextInt(12));
      AtomicLong left = new AtomicLong(max);
      try (Manifest tables = Manifest.open(new MemDisk())) {
        FamilyPlanner one = overlapping(tables, random, stuck, max, left);
        PolicySpec tiered = PolicySpec.parse("tiered,trigger=3");
        one.policy(tiered, one.context(), "as tested", 1);
        left.set(random.nextBoolean() ? max : random.nextInt((int) max));
        boolean wants = one.wantsMore();
        boolean plans = one.next().isPresent();
        if (!plans) {
          one.plannedNothing(2);
        }
        String is = plans ? "plans" : wants ? "waits" : left.get() < max ? "rests" : "blocked";
        seen.merge(is + (stuck.reported.isEmpty() ? "" : ", told"), 1, Integer::sum);
        assertThat(one.isSwitching()).as(seeded).isEqualTo(wants || plans);
        if (plans || left.get() < max) {
          assertThat(stuck.reported).as(seeded).isEmpty();
        } else {
          boolean stops = runs(tables) - tiered.toleratedRuns() >= WritePressure.STOP_RUNS;
          assertThat(stuck.reported.size()).as(seeded).isEqualTo(stops ? 1 : 0);
        }
      }
    }
    assertThat(seen).containsKeys("plans", "waits", "rests", "blocked, told");
  }

  /**
   * A full disk refuses every merge: each candidate is tried once, after a short pause, before the
   * family rests for longer and begins with the first candidate again.
   */
  @Test
  void aRefusedMergeHoldsBackNoOther() throws IOException {
    try (Manifest tables = Manifest.open(new MemDisk())) {
      FamilyPlanner one =
          overlapping(
              tables, new Random(0), new Stuck(), Long.MAX_VALUE, new AtomicLong(Long.MAX_VALUE));
      one.policy(PolicySpec.parse("leveled"), one.context(), "as tested", 0);
      fillTwoLevels(tables);
      FairPlanScheduler planners =
          new FairPlanScheduler(new DecisionJournal(10, 100), Long.MAX_VALUE);
      planners.add(0, one);
      long now = 0;
      Plan first = planners.next(now).orElseThrow().plan();
      long rest = 0;
      for (int round = 0; round < 12; round++) {
        Set<Long> tried = new HashSet<>();
        int refusals = 0;
        Plan plan = planners.next(now).map(FairPlanScheduler.Proposal::plan).orElse(null);
        assertThat(plan).as("round %d", round).isEqualTo(first);
        while (plan != null) {
          assertThat(tried).as("round %d", round).doesNotContainAnyElementsOf(plan.slices());
          tried.addAll(plan.slices());
          refusals++;
          one.retry()
              .refused(
                  new DiskFullException("a merge", 1, 0, null), Set.copyOf(plan.slices()), now);
          assertThat(planners.next(now)).as("it pauses").isEmpty();
          assertThat(one.retry().leftNanos(now)).isBetween(1L, TimeUnit.SECONDS.toNanos(1));
          now += one.retry().leftNanos(now);
          plan = planners.next(now).map(FairPlanScheduler.Proposal::plan).orElse(null);
        }
        assertThat(refusals).as("candidates in round %d", round).isGreaterThan(5);
        assertThat(one.retry().failure()).isInstanceOf(DiskFullException.class);
        assertThat(one.retry().leftNanos(now))
            .isGreaterThanOrEqualTo(rest)
            .isLessThanOrEqualTo(TimeUnit.MINUTES.toNanos(1));
        rest = one.retry().leftNanos(now);
        now += rest;
      }
      assertThat(rest).isEqualTo(TimeUnit.MINUTES.toNanos(1));
      one.retry()
          .refused(new DiskFullException("a merge", 1, 0, null), Set.copyOf(first.slices()), now);
      one.retry().recovered();
      assertThat(planners.next(now).orElseThrow().plan()).isEqualTo(first);
    }
  }

  /** Adds an overfull level 1 and a level 2, each of 26 tables with one letter each. */
  private static void fillTwoLevels(Manifest tables) throws IOException {
    VersionEdit.Builder edit =
        VersionEdit.builder().addRun(1, 2001, Set.of()).addRun(2, 2002, Set.of());
    for (Slice slice : tables.family().current().slices()) {
      edit.removeSlice(slice.id());
    }
    for (int i = 0; i < 26; i++) {
      for (int level = 1; level <= 2; level++) {
        long number = 3000 + 100 * level + i;
        byte[] low = {(byte) ('a' + i)};
        byte[] high = {(byte) ('a' + i), 'z'};
        TableMeta table =
            new TableMeta(number, 1L << 30, 10, 0, 0, low, high, 1, 1, TableMeta.NO_FILTER);
        edit.addTable(level, 2000 + level, number, table);
      }
    }
    tables.install(edit.nextNumber(5000).build());
  }

  private static int runs(Manifest tables) {
    return tables.family().current().levels().get(0).runs().size();
  }

  private static FamilyPlanner overlapping(
      Manifest tables, Random random, CompactionListener listener, long max, AtomicLong left)
      throws IOException {
    CompactionContext context =
        new CompactionContext(
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            new SnapshotList(),
            EntryHooks.none(),
            null,
            1 << 20);
    FamilyCompactionContext family =
        new FamilyCompactionContext(
            tables.family(),
            context,
            PolicySpec.parse("leveled"),
            new ReadCompactionRequests(),
            new RewriteBudget(() -> 0),
            listener);
    tables.retireTo(table -> {});
    VersionEdit.Builder edit = VersionEdit.builder();
    int count = random.nextInt(70);
    for (long run = 1; run <= count; run++) {
      edit.addRun(0, run, Set.of()).addTable(0, run, run, table(100 + run, "a", "z"));
    }
    tables.install(edit.nextNumber(1000).build());
    return new FamilyPlanner(family, new Endless(), new DecisionJournal(10, 100), max, left::get);
  }
}
