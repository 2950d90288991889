// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import io.coppice.bench.suite.Spread;
import io.coppice.bench.suite.SuiteRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** Makes rows of what was measured: the policy that follows the load beside each other. */
final class AdaptiveRows {

  private AdaptiveRows() {}

  /**
   * Rows of every phase and of the whole, none with a goal.
   *
   * @param adaptive of each round
   * @param fixed by name, of the same rounds
   */
  static List<SuiteRow> of(List<Outcome> adaptive, Map<String, List<Outcome>> fixed) {
    List<SuiteRow> rows = new ArrayList<>();
    for (Phase phase : Phase.values()) {
      rows.addAll(rates(phase.label(), adaptive, fixed, outcome -> outcome.rates().get(phase)));
    }
    rows.addAll(rates("whole", adaptive, fixed, Outcome::wholeRate));
    rows.addAll(costs("processor", "s", adaptive, fixed, Outcome::processorSeconds));
    rows.addAll(costs("wa", "", adaptive, fixed, Outcome::writeAmplification));
    return rows;
  }

  /** Of the whole, beside each. */
  private static List<SuiteRow> costs(
      String what,
      String unit,
      List<Outcome> adaptive,
      Map<String, List<Outcome>> fixed,
      ToDoubleFunction<Outcome> cost) {
    List<SuiteRow> rows = new ArrayList<>();
    fixed.forEach(
        (name, outcomes) ->
            rows.add(
                SuiteRow.lessIsBetter(
                    "whole_" + what + "_" + word(name),
                    unit,
                    figures(adaptive, cost),
                    figures(outcomes, cost),
                    SuiteRow.NO_GOAL,
                    "")));
    return rows;
  }

  /** Beside each, and beside the one that was fastest. */
  private static List<SuiteRow> rates(
      String what,
      List<Outcome> adaptive,
      Map<String, List<Outcome>> fixed,
      ToDoubleFunction<Outcome> rate) {
    List<SuiteRow> rows = new ArrayList<>();
    double[] ours = figures(adaptive, rate);
    String best = null;
    double most = 0;
    for (Map.Entry<String, List<Outcome>> other : fixed.entrySet()) {
      double[] theirs = figures(other.getValue(), rate);
      rows.add(row(what + "_" + word(other.getKey()), ours, theirs, ""));
      double median = Spread.of(theirs).median();
      if (best == null || median > most) {
        best = other.getKey();
        most = median;
      }
    }
    if (best != null) {
      String note = best + " is the fastest; rungs " + rungs(adaptive);
      rows.add(row(what + "_best", ours, figures(fixed.get(best), rate), note));
    }
    return rows;
  }

  private static SuiteRow row(String id, double[] ours, double[] theirs, String note) {
    return SuiteRow.moreIsBetter(id, "op/s", ours, theirs, SuiteRow.NO_GOAL, note);
  }

  private static double[] figures(List<Outcome> outcomes, ToDoubleFunction<Outcome> figure) {
    return outcomes.stream().mapToDouble(figure).toArray();
  }

  private static String word(String policy) {
    return policy.replace('-', '_').toLowerCase(Locale.ROOT);
  }

  /** Those of the first round, in their order. */
  private static String rungs(List<Outcome> adaptive) {
    return adaptive.get(0).rungs().stream().map(String::valueOf).collect(Collectors.joining(">"));
  }
}
