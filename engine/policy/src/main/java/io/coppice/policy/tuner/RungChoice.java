// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.tuner;

import io.coppice.policy.Reason;
import io.coppice.policy.Thousandths;
import io.coppice.policy.spec.AdaptiveRung;
import io.coppice.policy.spec.PolicyOption;
import io.coppice.policy.spec.PolicyRegistry;
import io.coppice.policy.spec.PolicySpec;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Choice of the rung that a load asks for, if the switch is worthwhile. A pure function of the
 * policy in force and the load. The best rung has the lowest cost among those within the space
 * bound. The choice is the nearest rung on the way to it that saves at least the minimum gain and
 * half of the best rung's saving. Rungs that are expensive for this load are therefore skipped, and
 * large changes go in steps.
 *
 * @param after the policy with the chosen rung
 * @param reason explanation with the costs of all rungs
 */
record RungChoice(PolicySpec after, Reason reason) {

  /** Least saving of a switch, in cores. */
  private static final double MIN_SAVING = 0.005;

  /**
   * Seconds over which the cost of the merges that a switch towards fewer runs needs first is
   * spread.
   */
  private static final double SECONDS_TO_PAY = 600;

  private static final double MILLIONTHS = 1e6;

  /** Value in place of a shard index if all shards switch together. */
  private static final int ALL = -1;

  /** Returns the choice of one rung for all keys, or empty if the present rung should stay. */
  static Optional<RungChoice> of(PolicySpec before, Load load) {
    return of(before, load, List.of());
  }

  /**
   * Returns the choice, or empty if the present rungs should stay. The result follows one of three
   * rules:
   *
   * <ul>
   *   <li>If shard loads are known and separate rungs save at least the minimum gain against one
   *       rung for all, the shard that saves most takes a step.
   *   <li>Otherwise, if all shards are on one rung, all take the step together.
   *   <li>Otherwise the shard that saves most changes to the rung that is best for all.
   * </ul>
   *
   * @param shards loads of the shards, the lowest keys first, see {@link Load#parts}; empty if
   *     unknown
   */
  static Optional<RungChoice> of(PolicySpec before, Load load, List<Load> shards) {
    int[] rungs = AdaptiveRung.ofShards(before);
    boolean counted = shards.size() == rungs.length && rungs.length > 1;
    if (!counted && AdaptiveRung.ranges(rungs) > 1) {
      return Optional.empty();
    }
    List<Load> loads = counted ? shards : List.of(load);
    double[][] cores = new double[loads.size()][];
    double[] together = new double[AdaptiveRung.LADDER.size()];
    double apart = 0;
    double gain = share(before, PolicyRegistry.MIN_GAIN);
    int costliest = 0;
    double most = 0;
    for (int i = 0; i < cores.length; i++) {
      cores[i] = cores(before, loads.get(i), rungs[i]);
      for (int rung = 0; rung < together.length; rung++) {
        together[rung] += cores[i][rung];
      }
      apart += cores[i][best(cores[i], rungs[i])];
      double saved = cores[i][rungs[i]] - cores[i][best(cores[i], rungs[i])];
      if (saved > most && step(cores[i], rungs[i], gain) != rungs[i]) {
        costliest = i;
        most = saved;
      }
    }
    int best = best(together, rungs[0]);
    int[] next = rungs.clone();
    if (counted && together[best] - apart >= gain * together[best]) {
      next[costliest] = step(cores[costliest], rungs[costliest], gain);
    } else if (AdaptiveRung.ranges(rungs) == 1) {
      Arrays.fill(next, step(together, rungs[0], gain));
      costliest = ALL;
    } else {
      double now = 0;
      most = 0;
      for (int i = 0; i < cores.length; i++) {
        now += cores[i][rungs[i]];
        double excess = cores[i][rungs[i]] - cores[i][best];
        costliest = excess > most ? i : costliest;
        most = Math.max(most, excess);
      }
      double least = Math.max(gain * now, MIN_SAVING);
      next[costliest] = now - together[best] < least ? rungs[costliest] : best;
    }
    if (Arrays.equals(next, rungs)) {
      return Optional.empty();
    }
    Reason reason;
    if (costliest == ALL) {
      reason = reason(load, together, rungs[0], next[0], best);
    } else {
      double[] own = cores[costliest];
      int now = rungs[costliest];
      reason =
          reason(loads.get(costliest), own, now, next[costliest], best(own, now))
              .and(
                  "it is shard {shard} of {shards}", "shard", costliest + 1, "shards", next.length);
    }
    return Optional.of(new RungChoice(before.with(text(before, next)), reason));
  }

  private static String text(PolicySpec before, int[] rungs) {
    if (before.value(PolicyRegistry.SHARDS) == PolicyOption.NO_RUNGS) {
      return PolicyRegistry.RUNG + "=" + rungs[0];
    }
    StringBuilder text = new StringBuilder(PolicyRegistry.SHARDS).append('=');
    for (int rung : rungs) {
      text.append(rung);
    }
    return text.toString();
  }

  /**
   * Returns the index of the rung with the lowest cost; of equal ones the nearest to the present
   * one.
   *
   * @param cores cost of each rung
   * @param now index of the present rung
   */
  private static int best(double[] cores, int now) {
    int best = now;
    for (int rung = 0; rung < cores.length; rung++) {
      boolean nearer = Math.abs(rung - now) < Math.abs(best - now);
      if (cores[rung] < cores[best] || (cores[rung] == cores[best] && nearer)) {
        best = rung;
      }
    }
    return best;
  }

  /**
   * Returns the index of the next rung on the way to the best one, or of the present rung if a
   * change is not worthwhile.
   *
   * @param cores cost of each rung
   * @param now index of the present rung
   * @param gain least saving, as a fraction of the present cost
   */
  private static int step(double[] cores, int now, double gain) {
    int best = best(cores, now);
    double least = gain * cores[now];
    double saving = cores[now] - cores[best];
    if (best == now || saving < least || saving < MIN_SAVING) {
      return now;
    }
    int step = best > now ? 1 : -1;
    int next = now + step;
    while (cores[now] - cores[next] < Math.max(least, saving / 2)) {
      next += step;
    }
    return next;
  }

  private static double share(PolicySpec spec, String option) {
    return (double) spec.value(option) / Thousandths.ONE;
  }

  /**
   * Returns the cost of the load on each rung, in cores and in the order of the ladder, including
   * the merges that a switch to it needs first. A rung above the space bound costs more than every
   * other one.
   */
  private static double[] cores(PolicySpec before, Load load, int now) {
    double spent = spent(before, now, load.tableBytes()) * CostModel.MERGED_BYTE;
    double asRate = spent / SECONDS_TO_PAY;
    double[] cores = new double[AdaptiveRung.LADDER.size()];
    for (int i = 0; i < cores.length; i++) {
      AdaptiveRung rung = AdaptiveRung.LADDER.get(i);
      double space = share(before, PolicyRegistry.MAX_SPACE_RATIO);
      cores[i] = CostModel.cores(load, rung) + (i < now ? asRate : 0);
      if (rung.model().space() > space) {
        // Rungs above the space bound cost more than all others but keep their order among
        // themselves.
        cores[i] = cores[i] * MILLIONTHS + MILLIONTHS;
      }
    }
    return cores;
  }

  /**
   * Returns the bytes that merges may read for a switch. They are the configured share of the live
   * bytes, estimated from the highest space amplification of the rung before the switch.
   */
  static long spent(PolicySpec before, PolicySpec after, Load load, List<Load> shards) {
    int[] left = AdaptiveRung.ofShards(before);
    int[] next = AdaptiveRung.ofShards(after);
    long spent = 0;
    if (left.length == next.length && left.length == shards.size()) {
      for (int i = 0; i < left.length; i++) {
        spent += left[i] == next[i] ? 0 : spent(after, left[i], shards.get(i).tableBytes());
      }
    }
    return spent == 0 ? spent(after, left[0], load.tableBytes()) : spent;
  }

  private static long spent(PolicySpec after, int left, long tableBytes) {
    double alive = tableBytes / AdaptiveRung.LADDER.get(left).model().space();
    return (long) (share(after, PolicyRegistry.MAX_SWITCH_RATIO) * alive);
  }

  private static Reason reason(Load load, double[] cores, int now, int next, int best) {
    StringBuilder text = new StringBuilder("{writes} bytes written, {lookups} lookups and {scans}");
    text.append(" scans a second are ").append(words(load));
    text.append("; rungs cost, in millionths of a core:");
    Object[] numbers = new Object[6 + 2 * cores.length + 6];
    int n = 0;
    numbers[n++] = "writes";
    numbers[n++] = Math.round(load.writtenBytes());
    numbers[n++] = "lookups";
    numbers[n++] = Math.round(load.lookups());
    numbers[n++] = "scans";
    numbers[n++] = Math.round(load.scans());
    for (int i = 0; i < cores.length; i++) {
      String name = "rung" + i;
      text.append(i == 0 ? " {" : ", {").append(name).append("} ").append(text(i));
      numbers[n++] = name;
      numbers[n++] = Math.round(cores[i] * MILLIONTHS);
    }
    text.append("; from rung {from} to {to}, the best is {best}");
    List<Object> ends = List.of("from", now, "to", next, "best", best);
    for (Object end : ends) {
      numbers[n++] = end;
    }
    return Reason.of(RungSwitch.CODE, text.toString(), numbers);
  }

  private static String text(int rung) {
    return AdaptiveRung.LADDER.get(rung).text();
  }

  /** Returns the kind of load in words, such as {@code write-heavy and skewed}. */
  private static String words(Load load) {
    String mix = load.mix().name().toLowerCase(Locale.ROOT).replace('_', '-');
    return mix + " and " + load.keys().name().toLowerCase(Locale.ROOT);
  }
}
