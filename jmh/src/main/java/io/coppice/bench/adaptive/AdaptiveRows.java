// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import static io.coppice.bench.report.Texts.text;

import io.coppice.bench.report.RepeatSpread;
import io.coppice.bench.report.SuiteRow;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * Builder of the report's rows. Coppice's side of a row is the adaptive policy, except in rows of
 * {@code random}. A ratio above 1 always favors that side. <em>Best</em> is the static policy with
 * the highest rate in the phase.
 */
final class AdaptiveRows {

  private static final double BEST = 0.9;
  private static final double WHOLE = 1;
  private static final double MAX_SWITCH_BYTES = 0.5;
  private static final double MAX_WAIT_MILLIS = 100;
  private static final String RATE_UNIT = "op/s";

  private final Map<String, List<Outcome>> fixed = new LinkedHashMap<>();
  private final Map<String, List<Outcome>> others = new LinkedHashMap<>();
  private final List<Outcome> ours;
  private final List<SuiteRow> rows = new ArrayList<>();

  private AdaptiveRows(Map<String, List<Outcome>> measured) {
    measured.forEach(
        (name, outcomes) -> {
          boolean turns =
              name.equals(AdaptiveContender.ORACLE) || name.equals(AdaptiveContender.RANDOM);
          (turns ? others : fixed).put(name, outcomes);
        });
    ours = fixed.remove(AdaptiveContender.ADAPTIVE);
  }

  /**
   * Returns the rows of every phase, of the whole load and of the rung switches, in this order.
   *
   * @param measured by name the outcome of each round, {@link AdaptiveContender#ADAPTIVE} among
   *     them
   */
  static List<SuiteRow> of(Map<String, List<Outcome>> measured) {
    return new AdaptiveRows(measured).all();
  }

  private List<SuiteRow> all() {
    List.of(Phase.values()).forEach(this::phase);
    whole();
    costs("processor", "s", Outcome::processorSeconds);
    costs("wa", "", Outcome::writeAmplification);
    switches();
    return List.copyOf(rows);
  }

  private void phase(Phase phase) {
    String id = "phase_" + phase.label() + "_";
    ToDoubleFunction<Outcome> rate = outcome -> outcome.phases().get(phase).rate();
    ToDoubleFunction<Outcome> p99 = outcome -> outcome.phases().get(phase).p99Micros();
    ToDoubleFunction<Outcome> wait = outcome -> outcome.phases().get(phase).longestWriteMillis();
    fixed.forEach((name, outcomes) -> rate(id + over(name), ours, outcomes, rate, ""));
    if (!fixed.isEmpty()) {
      String best = best(rate);
      List<Outcome> theirs = fixed.get(best);
      String note = "best is " + best + settling(phase, theirs);
      rows.add(more(id + "over_best", ours, theirs, rate, BEST, note + rungs(phase, ours)));
      rows.add(less(id + "p99_over_best", "us", theirs, p99, BEST, note));
      rows.add(less(id + "longest_write_over_best", "ms", theirs, wait, SuiteRow.NO_GOAL, note));
      List<Outcome> random = others.get(AdaptiveContender.RANDOM);
      if (random != null) {
        String bar = "ours is random, to be below " + BEST + "; best is " + best;
        rate(id + "random_over_best", random, theirs, rate, bar + rungs(phase, random));
      }
    }
    others.forEach(
        (name, outcomes) ->
            rate(id + over(name), ours, outcomes, rate, rungs(phase, outcomes).substring(2)));
  }

  private void whole() {
    ToDoubleFunction<Outcome> rate = Outcome::wholeRate;
    fixed.forEach(
        (name, outcomes) ->
            rows.add(more("whole_" + over(name), ours, outcomes, rate, WHOLE, "geometric mean")));
    others.forEach((name, outcomes) -> rate("whole_" + over(name), ours, outcomes, rate, ""));
    if (fixed.isEmpty()) {
      return;
    }
    String best = best(rate);
    List<Outcome> random = others.get(AdaptiveContender.RANDOM);
    if (random != null) {
      String note = "ours is random, to be below 1; best is " + best;
      rate("whole_random_over_best", random, fixed.get(best), rate, note);
    }
  }

  private void costs(String what, String unit, ToDoubleFunction<Outcome> cost) {
    String id = "whole_" + what + "_";
    fixed.forEach(
        (name, theirs) ->
            rows.add(less(id + over(name), unit, theirs, cost, SuiteRow.NO_GOAL, "")));
  }

  private void switches() {
    List<Outcome.Switches> switches = ours.stream().map(Outcome::switches).toList();
    String counts =
        switches.stream().map(each -> "" + each.count()).collect(Collectors.joining(", "));
    double[] bytes = switches.stream().mapToDouble(Outcome.Switches::maxBytesOverLive).toArray();
    double[] waits = switches.stream().mapToDouble(Outcome.Switches::longestWaitMillis).toArray();
    String note = "switches of each round: " + counts;
    String around = "any operation within 2 s of a switch";
    rows.add(SuiteRow.bound("switch_bytes_over_live", "of live", bytes, MAX_SWITCH_BYTES, note));
    rows.add(SuiteRow.bound("switch_longest_wait_ms", "ms", waits, MAX_WAIT_MILLIS, around));
  }

  /** Returns the name of the static policy with the highest median rate. */
  private String best(ToDoubleFunction<Outcome> rate) {
    return Collections.max(
        fixed.keySet(),
        Comparator.comparingDouble(
            name -> RepeatSpread.of(figures(fixed.get(name), rate)).median()));
  }

  private void rate(
      String id,
      List<Outcome> some,
      List<Outcome> theirs,
      ToDoubleFunction<Outcome> rate,
      String note) {
    rows.add(more(id, some, theirs, rate, SuiteRow.NO_GOAL, note));
  }

  private static SuiteRow more(
      String id,
      List<Outcome> some,
      List<Outcome> theirs,
      ToDoubleFunction<Outcome> rate,
      double goal,
      String note) {
    return SuiteRow.moreIsBetter(
        id, RATE_UNIT, figures(some, rate), figures(theirs, rate), goal, note);
  }

  private SuiteRow less(
      String id,
      String unit,
      List<Outcome> theirs,
      ToDoubleFunction<Outcome> cost,
      double goal,
      String note) {
    return SuiteRow.lessIsBetter(id, unit, figures(ours, cost), figures(theirs, cost), goal, note);
  }

  private static double[] figures(List<Outcome> outcomes, ToDoubleFunction<Outcome> figure) {
    return outcomes.stream().mapToDouble(figure).toArray();
  }

  private static String over(String policy) {
    return "over_" + policy.replace('-', '_').toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the median times until all merges were done after the phase, in seconds, the adaptive
   * policy's first.
   */
  private String settling(Phase phase, List<Outcome> theirs) {
    ToDoubleFunction<Outcome> seconds = outcome -> outcome.phases().get(phase).settleSeconds();
    return text(
        "; %.1f and %.1f s to settle",
        RepeatSpread.of(figures(ours, seconds)).median(),
        RepeatSpread.of(figures(theirs, seconds)).median());
  }

  /** Returns the rungs in force at the end of a phase. */
  private static String rungs(Phase phase, List<Outcome> outcomes) {
    TreeSet<Integer> rungs =
        outcomes.stream()
            .map(outcome -> outcome.phases().get(phase).rung())
            .collect(Collectors.toCollection(TreeSet::new));
    return "; ends on rung "
        + rungs.stream().map(String::valueOf).collect(Collectors.joining(" or "));
  }
}
