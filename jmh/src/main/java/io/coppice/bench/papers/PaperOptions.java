// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.suite.OptionReader;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * Options of a run of the papers' experiments.
 *
 * @param paper name of the paper whose experiments run, or {@code all}
 * @param only ids of experiments; empty for all of the paper's
 * @param resume whether saved results of an interrupted run count
 * @param progress {@code bar}, {@code plain} or {@code auto}
 */
public record PaperOptions(
    String paper, PaperScale scale, List<String> only, long seed, boolean resume, String progress) {

  private static final String ALL = "all";
  private static final List<String> NAMES =
      List.of("paper", "scale", "only", "seed", "resume", "progress");

  /**
   * Reads options by name, without their dashes; missing ones have their defaults.
   *
   * @param unknown arguments that are no option, as typed
   * @throws InvalidOptionsException naming every fault
   */
  public static PaperOptions parse(String paper, Map<String, String> given, List<String> unknown) {
    OptionReader reader = new OptionReader(given).only(NAMES, unknown, "--paper");
    List<String> papers = new ArrayList<>(List.of(ALL));
    Arrays.stream(Experiment.Paper.values()).map(Experiment.Paper::label).forEach(papers::add);
    boolean known = reader.isNamed("paper", paper, papers);
    PaperOptions options =
        new PaperOptions(
            paper,
            reader.named("scale", PaperScale.DEFAULT, PaperScale.ALL),
            reader.list("only", ""),
            reader.seed(),
            reader.flag("resume"),
            reader.progress());
    List<String> ids =
        Experiment.ALL.stream()
            .filter(each -> !known || options.covers(each))
            .map(Experiment::id)
            .toList();
    options.only.forEach(id -> reader.isNamed("only", id, ids));
    reader.check();
    return options;
  }

  private boolean covers(Experiment experiment) {
    return paper.equals(ALL) || experiment.paper().label().equals(paper);
  }

  /** Returns the last part of the report file's name. */
  String part() {
    return only.isEmpty() ? (paper.equals(ALL) ? "" : "-" + paper) : "-only";
  }

  List<Experiment> experiments() {
    return Experiment.ALL.stream()
        .filter(each -> covers(each) && (only.isEmpty() || only.contains(each.id())))
        .toList();
  }
}
