// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.WriteDebt;
import io.coppice.io.MemDisk;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.ReadRequests;
import io.coppice.manifest.VersionEdit;
import io.coppice.policy.DecisionJournal;
import io.coppice.policy.Plan;
import io.coppice.policy.PolicySpec;
import io.coppice.policy.Reason;
import io.coppice.policy.Rewrites;
import io.coppice.policy.Target;
import io.coppice.table.TableMeta;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Between the check of a plan and its edit merges go on. */
class PlannerTest {

  private static final Reason REASON = Reason.of("by-hand", "by hand");

  private final Rewrites rewrites = new Rewrites(() -> 0);
  private Manifest manifest;
  private Planner planner;

  @BeforeEach
  void makeTwoRuns() throws IOException {
    manifest = Manifest.open(new MemDisk());
    manifest.retireTo(table -> {});
    MergeContext context =
        new MergeContext(null, null, null, null, null, null, null, null, null, 1 << 20);
    CompactedFamily family =
        new CompactedFamily(
            manifest.family(),
            context,
            PolicySpec.parse("leveled"),
            new ReadRequests(),
            rewrites,
            null);
    planner =
        new Planner(family, new DecisionJournal(10, 100), Long.MAX_VALUE, () -> Long.MAX_VALUE);
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
    return new TableMeta(number, 1000, 10, 0, first, last, 1, 1, TableMeta.NO_FILTER);
  }

  private void mergeAwayTheTarget() throws IOException {
    manifest.install(VersionEdit.builder().removeSlice(1).build());
  }

  @Test
  void aPlanWaitsForSpaceUntilWritersAreHeldBack() {
    long heldBack = (long) Math.ceil(WriteDebt.FREE * WriteDebt.STOP_RUNS);
    assertThat(Planner.boundBytes(10, 100, heldBack - 1)).isEqualTo(100);
    assertThat(Planner.boundBytes(10, 100, heldBack)).isEqualTo(10);
    assertThat(Planner.boundBytes(Long.MAX_VALUE, 100, -4)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aMoveIntoARunThatHasLeftIsStale() throws IOException {
    Plan plan = new Plan.Move(List.of(2L), Target.join(1, 20), REASON);
    planner.check(plan);
    mergeAwayTheTarget();

    assertThatThrownBy(() -> planner.rearrange(plan))
        .isInstanceOf(StalePlanException.class)
        .hasMessageContaining("there is no run 20 in level 1");
  }

  @Test
  void aMoveFedByARunThatHasLeftIsStale() throws IOException {
    Plan plan = new Plan.Move(List.of(2L), Target.newest(2, Set.of(20L, 30L)), REASON);
    planner.check(plan);
    mergeAwayTheTarget();

    assertThatThrownBy(() -> planner.rearrange(plan))
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
    Planners planners = new Planners(new DecisionJournal(10, 100), Long.MAX_VALUE);
    planner.claim(plan, 1).forEach(planner::release);
    assertThat(rewrites.begunBytes()).as("claimed and given back").isZero();
    assertThat(planner.time()).isZero();

    List<Job> merge = planner.claim(plan, 1);
    planners.charge(planner, merge.get(0).inputBytes());
    assertThat(rewrites.begunBytes()).isEqualTo(1000);
    assertThat(planner.time()).isEqualTo(1000);
    merge.forEach(planner::release);
  }

  @Test
  void aRunStaysUntilTheMergesThatFillItHaveEnded() throws IOException {
    List<Job> merge = planner.claim(new Plan.Merge(List.of(2L), Target.join(1, 20), 0, REASON), 1);
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

    assertThatThrownBy(() -> planner.rearrange(plan))
        .isInstanceOf(IllegalArgumentException.class)
        .isNotInstanceOf(StalePlanException.class);
  }
}
