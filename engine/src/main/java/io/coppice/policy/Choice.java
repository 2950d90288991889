// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * The rung that a load asks for, if it is worth a switch: a pure function of the policy in force
 * and the load. The best rung is the one that costs least, where it keeps to the space allowed. The
 * choice is the nearest rung on the way there that saves enough, and at least half of what the best
 * would; so rungs that are dear for this load are passed over, and large changes go by steps.
 *
 * @param after the policy with that rung
 * @param reason why
 */
record Choice(PolicySpec after, Reason reason) {

  /** Less than this part of a core is not worth a switch. */
  private static final double LEAST_SAVING = 0.005;

  /** A switch towards fewer runs, which has to merge first, should pay within so many seconds. */
  private static final double SECONDS_TO_PAY = 600;

  private static final double MILLIONTHS = 1e6;

  /** The choice, or empty if all is well as it is. */
  static Optional<Choice> of(PolicySpec before, Load load) {
    int now = (int) before.value(PolicyCatalogue.RUNG);
    double[] cores = cores(before, load, now);
    int best = now;
    for (int rung = 0; rung < cores.length; rung++) {
      boolean nearer = Math.abs(rung - now) < Math.abs(best - now);
      if (cores[rung] < cores[best] || (cores[rung] == cores[best] && nearer)) {
        best = rung;
      }
    }
    double least = share(before, PolicyCatalogue.MIN_GAIN) * cores[now];
    double saving = cores[now] - cores[best];
    if (best == now || saving < least || saving < LEAST_SAVING) {
      return Optional.empty();
    }
    int step = best > now ? 1 : -1;
    int next = now + step;
    while (cores[now] - cores[next] < Math.max(least, saving / 2)) {
      next += step;
    }
    PolicySpec after = before.with(PolicyCatalogue.RUNG + "=" + next);
    return Optional.of(new Choice(after, reason(load, cores, now, next, best)));
  }

  private static double share(PolicySpec spec, String option) {
    return (double) spec.value(option) / PolicyOption.ONE;
  }

  /** What the load costs on each rung, with what a switch there must merge first. */
  private static double[] cores(PolicySpec before, Load load, int now) {
    double spent = spent(before, before, load.tableBytes()) * CostModel.MERGED_BYTE;
    double asRate = spent / SECONDS_TO_PAY;
    double[] cores = new double[Rung.LADDER.size()];
    for (int i = 0; i < cores.length; i++) {
      Rung rung = Rung.LADDER.get(i);
      double space = share(before, PolicyCatalogue.MAX_SPACE_RATIO);
      cores[i] = CostModel.cores(load, rung) + (i < now ? asRate : 0);
      if (rung.form().space() > space) {
        // Worse than any that keeps to it, yet in the same order.
        cores[i] = cores[i] * MILLIONTHS + MILLIONTHS;
      }
    }
    return cores;
  }

  /**
   * Bytes that merges may read for a switch: a share of those that are alive even if the form that
   * is left takes as much space as it ever does.
   */
  static long spent(PolicySpec before, PolicySpec after, long tableBytes) {
    Rung left = Rung.LADDER.get((int) before.value(PolicyCatalogue.RUNG));
    double alive = tableBytes / left.form().space();
    return (long) (share(after, PolicyCatalogue.MAX_SWITCH_RATIO) * alive);
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
    return Reason.of(Switch.CODE, text.toString(), numbers);
  }

  private static String text(int rung) {
    return Rung.LADDER.get(rung).text();
  }

  /** What kind of load it is, such as {@code write-heavy and skewed}. */
  private static String words(Load load) {
    String mix = load.mix().name().toLowerCase(Locale.ROOT).replace('_', '-');
    return mix + " and " + load.keys().name().toLowerCase(Locale.ROOT);
  }
}
