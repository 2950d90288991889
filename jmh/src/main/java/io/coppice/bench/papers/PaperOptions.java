// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.papers;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.Nearest;
import io.coppice.bench.peers.PeerOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Which experiments a run makes.
 *
 * @param paper as typed
 * @param only ids of experiments; all of the paper's if empty
 * @param resume whether what a broken run has found counts
 * @param progress bar, plain or auto
 */
public record PaperOptions(
    String paper, PaperScale scale, List<String> only, long seed, boolean resume, String progress) {

  private static final String ALL = "all";
  private static final List<String> NAMES =
      List.of("paper", "scale", "only", "seed", "resume", "progress");
  private static final long SEED = 42;

  /**
   * Reads options by name, without their dashes; what is missing has its default.
   *
   * @param unknown what was given besides, as typed
   * @throws InvalidOptionsException naming every fault
   */
  public static PaperOptions parse(String paper, Map<String, String> given, List<String> unknown) {
    List<String> faults = new ArrayList<>();
    List<String> other = new ArrayList<>(unknown);
    given.keySet().stream().filter(name -> !NAMES.contains(name)).forEach(other::add);
    for (String argument : other) {
      String bare = argument.replaceFirst("^--?", "").replaceFirst("=.*", "");
      faults.add("--" + bare + " is no option of --paper; nearest is --" + Nearest.to(bare, NAMES));
    }
    List<String> papers = new ArrayList<>(List.of(ALL));
    Arrays.stream(Experiment.Paper.values()).map(Experiment.Paper::label).forEach(papers::add);
    known("--paper", paper, papers, faults);
    String label = given.getOrDefault("scale", PaperScale.QUICK.label());
    known("--scale", label, PaperScale.labels(), faults);
    List<String> ids =
        Experiments.ALL.stream()
            .filter(each -> !papers.contains(paper) || isOf(each, paper))
            .map(Experiment::id)
            .toList();
    List<String> only =
        given.containsKey("only") ? List.of(given.get("only").split(",", -1)) : List.of();
    only.forEach(id -> known("--only", id, ids, faults));
    long seed = PeerOptions.number("seed", given, SEED, Long.MIN_VALUE, Long.MAX_VALUE, faults);
    String progress = given.getOrDefault("progress", "auto");
    if (!Set.of("auto", "bar", "plain").contains(progress)) {
      faults.add("--progress (" + progress + ") must be auto, bar or plain");
    }
    if (!faults.isEmpty()) {
      throw new InvalidOptionsException(faults);
    }
    return new PaperOptions(
        paper,
        PaperScale.find(label).orElseThrow(),
        only,
        seed,
        given.containsKey("resume"),
        progress);
  }

  private static void known(
      String option, String typed, List<String> allowed, List<String> faults) {
    if (!allowed.contains(typed)) {
      faults.add(
          option
              + " ("
              + typed
              + ") must be one of "
              + String.join(", ", allowed)
              + "; nearest is "
              + Nearest.to(typed, allowed));
    }
  }

  private static boolean isOf(Experiment experiment, String paper) {
    return paper.equals(ALL) || experiment.paper().label().equals(paper);
  }

  /** What a report's name says of what is left out; empty of a whole run. */
  String part() {
    return only.isEmpty() ? (paper.equals(ALL) ? "" : "-" + paper) : "-only";
  }

  /** What is to be made. */
  List<Experiment> experiments() {
    return Experiments.ALL.stream()
        .filter(each -> isOf(each, paper))
        .filter(each -> only.isEmpty() || only.contains(each.id()))
        .toList();
  }
}
