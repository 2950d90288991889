// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.LevelFacts;
import io.coppice.policy.MergeRule;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.SliceFacts;
import io.coppice.testing.Seeds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class ShapeBuilderTest {

  private static final long SEED = Seeds.first();

  @Test
  void nothingIsAnEmptyLevelZero() {
    Shape shape = ShapeBuilder.draw(List.<SSTableOutline<String>>of(), List.of());
    assertThat(shape.levels()).hasSize(1);
    assertThat(shape.levels().get(0).runs()).isEmpty();
    assertThat(shape.rule()).isEqualTo(MergeRule.FREE);
  }

  @Test
  void sstablesThatLieApartAreOneRunAndThoseThatOverlapAreNot() {
    Shape shape =
        ShapeBuilder.draw(
            List.of(
                outline(1, "a", "f", 1),
                outline(2, "g", "k", 1),
                outline(3, "c", "h", 1),
                outline(4, "l", "z", 1)),
            List.of());
    assertThat(shape.levels()).hasSize(2);
    assertThat(shape.levels().get(0).runs()).isEmpty();
    assertThat(ids(shape.levels().get(1))).containsExactly(List.of(1L, 2L, 4L), List.of(3L));
  }

  @Test
  void aSharedKeyIsAnOverlap() {
    Shape shape =
        ShapeBuilder.draw(List.of(outline(1, "a", "f", 0), outline(2, "f", "k", 0)), List.of());
    assertThat(ids(shape.levels().get(0))).containsExactly(List.of(1L), List.of(2L));
  }

  @Test
  void ranksKeepTheOrderOfKeys() {
    Shape shape =
        ShapeBuilder.draw(List.of(outline(1, "b", "d", 0), outline(2, "a", "c", 0)), List.of());
    SliceFacts second = shape.levels().get(0).runs().get(0).segments().get(0).slices().get(0);
    SliceFacts first = shape.levels().get(0).runs().get(1).segments().get(0).slices().get(0);
    assertThat(List.of(second.low(), second.high())).containsExactly(0, 2);
    assertThat(List.of(first.low(), first.high())).containsExactly(1, 3);
  }

  @Test
  void aPlanUnderWayCoversTheRanksOfItsInputs() {
    Shape shape =
        ShapeBuilder.draw(
            List.of(outline(1, "a", "c", 0), outline(2, "b", "d", 0), outline(3, "e", "f", 1)),
            List.of(new ShapeBuilder.Job(1, Set.of(1L, 2L)), new ShapeBuilder.Job(2, Set.of(9L))));
    assertThat(shape.runningPlans()).containsExactly(new Shape.RunningPlan(1, -1, 0, 3));
  }

  @Test
  void anyArrangementIsDrawnWithAsFewRunsAsItIsDeep() {
    Random random = new Random(SEED);
    for (int round = 0; round < 500; round++) {
      List<SSTableOutline<Integer>> outlines = new ArrayList<>();
      int tables = random.nextInt(40);
      int keys = 1 + random.nextInt(100);
      for (int id = 0; id < tables; id++) {
        int first = random.nextInt(keys);
        int last = first + random.nextInt(1 + random.nextInt(1 + keys - first));
        outlines.add(new SSTableOutline<>(id, first, last, random.nextInt(9), 1, 1, 0, false, 0));
      }
      Shape shape = ShapeBuilder.draw(outlines, List.of());
      String seeded = "seed " + SEED + ", round " + round;
      for (int level = 0; level < shape.levels().size(); level++) {
        assertThat(shape.levels().get(level).runs().size())
            .as(seeded)
            .isEqualTo(depth(outlines, level, 2 * keys));
      }
      Collections.shuffle(outlines, random);
      assertThat(ShapeBuilder.draw(outlines, List.of())).as(seeded).isEqualTo(shape);
      assertThat(
              shape.levels().stream()
                  .mapToInt(level -> ids(level).stream().mapToInt(List::size).sum())
                  .sum())
          .as(seeded)
          .isEqualTo(tables);
    }
  }

  @Test
  void eachJoinsTheFirstRunThatEndsBeforeIt() {
    Random random = new Random(SEED);
    for (int round = 0; round < 500; round++) {
      List<SSTableOutline<Integer>> outlines = new ArrayList<>();
      int keys = 1 + random.nextInt(100);
      for (int id = random.nextInt(60); id > 0; id--) {
        int first = random.nextInt(keys);
        outlines.add(
            new SSTableOutline<>(id, first, first + random.nextInt(keys), 0, 1, 1, 0, false, 0));
      }
      assertThat(ShapeBuilder.colour(outlines))
          .as("seed " + SEED + ", round " + round)
          .isEqualTo(colouredOneByOne(outlines));
      outlines.sort(Comparator.comparing(SSTableOutline::first));
      assertThat(ShapeBuilder.depth(outlines))
          .as("seed " + SEED + ", round " + round)
          .isEqualTo(ShapeBuilder.colour(outlines).size());
    }
  }

  private static List<List<SSTableOutline<Integer>>> colouredOneByOne(
      List<SSTableOutline<Integer>> outlines) {
    List<SSTableOutline<Integer>> sorted = new ArrayList<>(outlines);
    sorted.sort(
        Comparator.comparing((SSTableOutline<Integer> outline) -> outline.first())
            .thenComparingLong(SSTableOutline::id));
    List<List<SSTableOutline<Integer>>> runs = new ArrayList<>();
    for (SSTableOutline<Integer> outline : sorted) {
      runs.stream()
          .filter(run -> run.get(run.size() - 1).last() < outline.first())
          .findFirst()
          .orElseGet(
              () -> {
                runs.add(new ArrayList<>());
                return runs.get(runs.size() - 1);
              })
          .add(outline);
    }
    return runs;
  }

  private static int depth(List<SSTableOutline<Integer>> outlines, int level, int keys) {
    int depth = 0;
    for (int key = 0; key < keys; key++) {
      int over = 0;
      for (SSTableOutline<Integer> outline : outlines) {
        boolean covers = outline.first() <= key && key <= outline.last();
        over += outline.level() == level && covers ? 1 : 0;
      }
      depth = Math.max(depth, over);
    }
    return depth;
  }

  private static List<List<Long>> ids(LevelFacts level) {
    List<List<Long>> runs = new ArrayList<>();
    for (RunFacts run : level.runs()) {
      List<Long> ids = new ArrayList<>();
      for (SegmentFacts segment : run.segments()) {
        ids.add(segment.slices().get(0).slice());
      }
      runs.add(ids);
    }
    return runs;
  }

  private static SSTableOutline<String> outline(long id, String first, String last, int level) {
    return new SSTableOutline<>(id, first, last, level, 8 << 20, 1, 0, false, 0);
  }
}
