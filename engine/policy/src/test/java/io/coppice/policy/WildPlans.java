// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Plans that no policy makes: some slices near each other, to anywhere. Most are illegal. */
public final class WildPlans {

  private static final Reason REASON = Reason.of("random", "random");
  private static final int KEYS = 80;

  private WildPlans() {}

  /** Any plan for a Shape that is not empty. */
  public static Plan any(Shape shape, Random random, int maxLevel) {
    int kind = random.nextInt(8);
    boolean torn = random.nextInt(4) == 0;
    List<SliceFacts> near = near(shape, random, torn);
    List<Long> slices = new ArrayList<>();
    if (kind == 0) {
      near.removeIf(slice -> slice.tombstones() < slice.entries() && random.nextInt(8) > 0);
    }
    if (kind == 0 && near.size() > 1 && random.nextBoolean()) {
      near = near.subList(near.size() - 1, near.size());
    }
    near.forEach(slice -> slices.add(slice.slice()));
    if (slices.isEmpty()) {
      slices.add(1L);
    }
    Target target = target(shape, random, maxLevel);
    return switch (kind) {
      case 0 -> new Plan.Drop(slices, REASON);
      case 1, 2 -> new Plan.Delay(slices, target, 1 + random.nextInt(4), REASON);
      case 3, 4 ->
          new Plan.Move(List.of(slices.get(random.nextInt(slices.size()))), target, REASON);
      default -> new Plan.Merge(slices, target, 0, REASON);
    };
  }

  /**
   * Slices of some levels around some ranks, and a few from elsewhere.
   *
   * @param torn true if segments need not be whole
   */
  private static List<SliceFacts> near(Shape shape, Random random, boolean torn) {
    List<SliceFacts> slices = new ArrayList<>();
    int low = random.nextInt(KEYS);
    int high = low + random.nextInt(30);
    int from = random.nextInt(shape.levels().size());
    int to = Math.min(shape.levels().size() - 1, from + random.nextInt(2));
    for (int level = 0; level < shape.levels().size(); level++) {
      for (RunFacts run : shape.levels().get(level).runs()) {
        for (SegmentFacts segment : run.segments()) {
          boolean near = segment.low() <= high && low <= segment.high();
          boolean chosen = level >= from && level <= to && near && random.nextInt(8) > 0;
          if (chosen || random.nextInt(200) == 0) {
            slices.addAll(segment.slices());
          }
        }
      }
    }
    if (torn) {
      slices.removeIf(slice -> random.nextBoolean());
    }
    return slices;
  }

  private static Target target(Shape shape, Random random, int maxLevel) {
    int level = random.nextInt(Math.min(maxLevel, shape.levels().size()) + 1);
    List<RunFacts> there =
        level < shape.levels().size() ? shape.levels().get(level).runs() : List.of();
    if (!there.isEmpty() && random.nextBoolean()) {
      return Target.join(level, there.get(random.nextInt(there.size())).id());
    }
    Set<Long> sources = new HashSet<>();
    if (random.nextInt(4) == 0) {
      List<RunFacts> runs = new ArrayList<>();
      shape.levels().forEach(facts -> runs.addAll(facts.runs()));
      runs.subList(0, random.nextInt(runs.size() + 1)).forEach(run -> sources.add(run.id()));
    }
    return Target.newest(level, sources);
  }
}
