// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicySpec;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which requests of reads are granted, and at what rate. */
class ReadBudgetTest {

  private static final long BYTES = 1000;
  private static final long TABLE = 100;

  /** A lookup reads 100 bytes in each further table, and a tenth of them may be merged. */
  private static final ReadTerms TERMS = new ReadTerms(100, 100);

  private final ReadBudget budget = new ReadBudget();
  private long slices;

  /** Returns a segment of a group; its slices have 1,000 bytes together. */
  private SegmentFacts segment(long group, int tables, int low) {
    List<SliceFacts> parts = new ArrayList<>();
    for (int i = 0; i < tables; i++) {
      long id = ++slices;
      parts.add(SliceFacts.whole(id, low, low + 9, BYTES / tables, 10));
    }
    return new SegmentFacts(parts, group, tables);
  }

  private static Shape virtual(SegmentFacts... segments) {
    RunFacts run = new RunFacts(1, List.of(segments), Set.of());
    return new Shape(
        MergeRule.ADJACENT,
        List.of(new LevelFacts(List.of()), new LevelFacts(List.of(run))),
        List.of());
  }

  private ReadBudget.Answer answer(Shape shape, Map<Long, Long> lookups, long flushed) {
    return budget.answer(TERMS, shape, lookups, flushed, TABLE);
  }

  @Test
  void aMergeWaitsUntilLookupsHaveReadAsMuch() {
    Shape shape = virtual(segment(7, 5, 0), segment(8, 2, 10));
    answer(shape, Map.of(), 0);
    ReadBudget.Answer early = answer(shape, Map.of(7L, 2L, 8L, 9L), 1_000_000);
    // 1,000 bytes at 400 or 100 bytes for each lookup.
    assertThat(early.granted()).isEmpty();
    assertThat(early.nextLookups()).isEqualTo(Map.of(7L, 3L, 8L, 10L));
    assertThat(answer(shape, Map.of(7L, 3L, 8L, 10L), 1_000_000).granted())
        .containsExactlyInAnyOrder(7L, 8L);
  }

  @Test
  void flushesPayForMergesAndTheGroupWithTheMostTablesComesFirst() {
    Shape shape = virtual(segment(7, 2, 0), segment(8, 5, 10));
    Map<Long, Long> lookups = Map.of(7L, 1L, 8L, 1L);
    ReadTerms free = new ReadTerms(1 << 20, 0);
    assertThat(budget.answer(free, shape, lookups, 50, TABLE).granted()).isEmpty();
    assertThat(budget.answer(free, shape, lookups, 51, TABLE).granted()).containsExactly(8L);
    budget.charge(BYTES);
    assertThat(budget.answer(free, shape, lookups, 50 + BYTES, TABLE).granted()).isEmpty();
    assertThat(budget.answer(free, shape, lookups, 51 + BYTES, TABLE).granted())
        .containsExactly(8L);
    assertThat(budget.answer(free, shape, lookups, 52 + 2 * BYTES, TABLE).granted())
        .containsExactlyInAnyOrder(7L, 8L);
  }

  @Test
  void lookupsAlonePayForMergesToo() {
    Shape shape = virtual(segment(7, 5, 0));
    budget.charge(400);
    ReadBudget.Answer waits = answer(shape, Map.of(7L, 5L), 0);
    // Five lookups earn 40 bytes each.
    assertThat(waits.granted()).isEmpty();
    assertThat(waits.nextLookups()).isEqualTo(Map.of(7L, 11L));
    assertThat(answer(shape, Map.of(7L, 10L), 0).granted()).isEmpty();
    assertThat(answer(shape, Map.of(7L, 11L), 0).granted()).containsExactly(7L);
  }

  @Test
  void anUnusedBalanceIsKeptUpToSixteenTables() {
    Shape shape = virtual(segment(7, 5, 0));
    answer(shape, Map.of(), 0);
    for (int flush = 1; flush <= 100; flush++) {
      answer(shape, Map.of(), flush * TABLE);
    }
    budget.charge(17 * TABLE);
    assertThat(answer(shape, Map.of(7L, 100L), 100 * TABLE).granted()).containsExactly(7L);
    budget.charge(100 * 40 + TABLE);
    assertThat(answer(shape, Map.of(7L, 100L), 100 * TABLE).granted()).isEmpty();
  }

  @Test
  void aGroupThatARunningMergeUsesKeepsNoOtherWaiting() {
    SegmentFacts top = segment(7, 5, 0);
    List<SliceFacts> held = top.slices().stream().map(slice -> slice.claimed(true)).toList();
    Shape shape = virtual(new SegmentFacts(held, 7, 5), segment(8, 4, 10));
    answer(shape, Map.of(), 0);
    ReadBudget.Answer answer = answer(shape, Map.of(7L, 99L, 8L, 99L), 1);
    assertThat(answer.granted()).containsExactly(8L);
    assertThat(answer.nextLookups().get(7L)).isGreaterThan(1L << 60);
  }

  @Test
  void aGroupThatFitsNoSpaceKeepsNoOtherWaiting() {
    PolicyLimits limits = new PolicyLimits(TABLE, 1, Long.MAX_VALUE >> 20, 8, false);
    Policy policy = PolicySpec.parse("delayed", limits).policy();
    ReadTerms flushesAlone = new ReadTerms(100, 0);
    // A merge without early cleaning needs space for all its inputs.
    Shape shape = virtual(segment(7, 5, 0), segment(7, 5, 10), segment(8, 2, 20));
    Map<Long, Set<Long>> grantedBySpace =
        Map.of(
            BYTES - 1,
            Set.of(),
            2 * BYTES - 1,
            Set.of(8L),
            2 * BYTES,
            Set.of(7L),
            Long.MAX_VALUE,
            Set.of(7L));
    grantedBySpace.forEach(
        (space, expected) -> {
          ReadBudget own = new ReadBudget();
          own.answer(flushesAlone, shape, Map.of(), 0, TABLE);
          Set<Long> granted =
              own.answer(
                      flushesAlone,
                      shape,
                      Map.of(7L, 99L, 8L, 99L),
                      1,
                      TABLE,
                      asked -> policy.requestsThatFit(asked, space))
                  .granted();
          assertThat(granted).as("space %d", space).isEqualTo(expected);
          Optional<Plan> plan = policy.next(shape.requesting(granted), new Budget(1, space));
          assertThat(
                  plan.map(wanted -> wanted.reason().code())
                      .equals(Optional.of(Reason.READ_REQUEST)))
              .as("a requested merge starts in space %d: %s", space, plan)
              .isEqualTo(!expected.isEmpty());
        });
  }

  @Test
  void tablesThatOverlapEachOtherAreOneMerge() {
    List<RunFacts> runs = new ArrayList<>();
    for (int i = 1; i <= 5; i++) {
      SegmentFacts table = SegmentFacts.of(SliceFacts.whole(i, 0, 9, BYTES, 10));
      SegmentFacts apart = SegmentFacts.of(SliceFacts.whole(10 + i, 20, 29, BYTES, 10));
      runs.add(new RunFacts(i, i < 5 ? List.of(table, apart) : List.of(table), Set.of()));
    }
    Shape shape =
        new Shape(
            MergeRule.FREE, List.of(new LevelFacts(List.of()), new LevelFacts(runs)), List.of());
    Map<Long, Long> lookups = new HashMap<>();
    for (long id : new long[] {1, 2, 3, 4, 5, 11}) {
      lookups.put(id, 1_000L);
    }
    ReadTerms flushesAlone = new ReadTerms(100, 0);
    budget.answer(flushesAlone, shape, Map.of(), 0, BYTES);
    // Five tables are one merge of 5,000 bytes; the balance covers the other group too.
    assertThat(budget.answer(flushesAlone, shape, lookups, 5_001, BYTES).granted())
        .containsExactlyInAnyOrder(1L, 2L, 3L, 4L, 5L, 11L);
  }

  @Test
  void partsOfATableShareWhatAFlushEarns() {
    Shape shape = virtual(segment(7, 5, 0));
    Map<Long, Long> lookups = Map.of(7L, 100L);
    ReadTerms flushesAlone = new ReadTerms(100, 0);
    ReadBudget.Balance balance = new ReadBudget.Balance();
    List<ReadBudget> parts = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      parts.add(new ReadBudget(balance));
      parts.get(i).answer(flushesAlone, shape, Map.of(), 0, TABLE);
    }
    int granted = 0;
    for (ReadBudget part : parts) {
      if (!part.answer(flushesAlone, shape, lookups, BYTES, TABLE).granted().isEmpty()) {
        part.charge(BYTES);
        granted++;
      }
    }
    assertThat(granted).as("merges of 1,000 bytes after 1,000 flushed bytes").isEqualTo(1);
  }

  @Test
  void narrowTablesBesideEachOtherSaveOneReadOfEachLookup() {
    SegmentFacts wide = SegmentFacts.of(SliceFacts.whole(1, 0, 99, BYTES, 10));
    List<SegmentFacts> narrow = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      narrow.add(SegmentFacts.of(SliceFacts.whole(2 + i, 10 * i, 10 * i + 9, BYTES, 10)));
    }
    LevelFacts level =
        new LevelFacts(
            List.of(new RunFacts(1, List.of(wide), Set.of()), new RunFacts(2, narrow, Set.of())));
    Shape shape = new Shape(MergeRule.FREE, List.of(new LevelFacts(List.of()), level), List.of());
    assertThat(ReadBudget.meanDepth(level, wide)).isEqualTo(2);
    answer(shape, Map.of(), 0);
    // 11,000 bytes at 100 bytes for each lookup.
    assertThat(answer(shape, Map.of(1L, 109L), 1_000_000).granted()).isEmpty();
    assertThat(answer(shape, Map.of(1L, 110L), 1_000_000).granted()).containsExactly(1L);
  }

  @Test
  void theSameQuestionHasTheSameAnswer() {
    Shape shape = virtual(segment(7, 5, 0), segment(8, 4, 10));
    answer(shape, Map.of(), 0);
    Map<Long, Long> lookups = Map.of(7L, 50L, 8L, 50L);
    ReadBudget.Answer first = answer(shape, lookups, 500);
    assertThat(answer(shape, lookups, 500)).isEqualTo(first);
    assertThat(answer(shape, lookups, 500)).isEqualTo(first);
  }

  @Test
  void wholeTablesAreRequestedWithThoseThatOverlapThem() {
    List<RunFacts> runs = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      SegmentFacts table = SegmentFacts.of(SliceFacts.whole(i, 0, 9, BYTES, 10));
      SegmentFacts apart = SegmentFacts.of(SliceFacts.whole(10 + i, 10 * i, 10 * i + 9, BYTES, 10));
      runs.add(new RunFacts(i, List.of(table, apart), Set.of()));
    }
    Shape shape =
        new Shape(
            MergeRule.FREE, List.of(new LevelFacts(List.of()), new LevelFacts(runs)), List.of());
    answer(shape, Map.of(), 0);
    // 3,000 bytes at 200 bytes for each lookup; a table without others over it saves nothing.
    assertThat(answer(shape, Map.of(1L, 14L, 11L, 1000L), 1_000_000).granted()).isEmpty();
    assertThat(answer(shape, Map.of(1L, 15L, 11L, 1000L), 1_000_000).granted()).containsExactly(1L);
  }
}
