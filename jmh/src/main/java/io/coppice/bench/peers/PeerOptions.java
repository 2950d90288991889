// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.engine.Child;
import io.coppice.bench.engine.Trial;
import io.coppice.bench.suite.OptionReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Options of a suite that compares Coppice with other stores.
 *
 * @param name name of the suite
 * @param ycsbAlone whether to run YCSB and nothing else
 * @param withoutYcsb whether to leave out YCSB
 * @param only names of loads; empty for all of the suite's
 * @param rounds number of rounds of the main stores
 * @param resume whether saved results of an interrupted run count
 * @param cgroup directory of a control group for the row about memory; empty if there is none
 * @param progress {@code bar}, {@code plain} or {@code auto}
 */
public record PeerOptions(
    String name,
    PeerScale scale,
    boolean ycsbAlone,
    boolean withoutYcsb,
    List<String> only,
    int rounds,
    long seed,
    boolean resume,
    String cgroup,
    String progress) {

  /** Name of the suite that runs only YCSB. */
  public static final String YCSB = "ycsb";

  private static final List<String> NAMES =
      List.of("suite", "rounds", "seed", "resume", "cgroup", "without-ycsb", "only", "progress");

  private static final int MAX_ROUNDS = 99;

  /**
   * Reads options by name, without their dashes; missing ones have their defaults.
   *
   * @param suite name of the suite as typed
   * @param given option values by name
   * @param unknown arguments that are no option, as typed
   * @throws InvalidOptionsException naming every fault
   */
  public static PeerOptions parse(String suite, Map<String, String> given, List<String> unknown) {
    boolean ycsb = suite.equals(YCSB);
    List<String> suites = new ArrayList<>(ycsb ? List.of() : List.of("read", "adaptive", YCSB));
    suites.addAll(PeerScale.ALL.keySet());
    List<String> names = new ArrayList<>(NAMES);
    if (ycsb) {
      names.add("scale");
    }
    OptionReader reader = new OptionReader(given);
    String wanted = ycsb ? reader.text("scale", PeerScale.STANDARD) : suite;
    reader.isNamed(ycsb ? "scale" : "suite", wanted, suites);
    reader.check();
    reader.only(names, unknown, "this suite");
    PeerScale scale = PeerScale.ALL.get(wanted);
    boolean without = reader.flag("without-ycsb");
    if (ycsb && without) {
      reader.fault("--without-ycsb leaves nothing of --suite=ycsb; give one of the two");
    }
    List<String> only = ycsb ? List.of() : reader.list("only", "");
    if (ycsb && reader.has("only")) {
      reader.fault("--only names loads of quick, standard and full; leave it away with ycsb");
    }
    if (!only.isEmpty() && without) {
      reader.fault("--only and --without-ycsb both say what is left out; give one of the two");
    }
    PeerOptions options =
        new PeerOptions(
            suite,
            scale,
            ycsb,
            without || !only.isEmpty() && !only.contains(YCSB),
            only.stream().distinct().toList(),
            (int) reader.number("rounds", scale.rounds(), 1, MAX_ROUNDS),
            reader.seed(),
            reader.flag("resume"),
            reader.text("cgroup", ""),
            reader.progress());
    options.checkOnly(reader);
    reader.check();
    return options;
  }

  private void checkOnly(OptionReader reader) {
    List<String> known = new ArrayList<>(all().stream().map(Trial::id).toList());
    known.add(YCSB);
    for (String id : only) {
      String before = PeerTrials.before(id).orElse(id);
      if (reader.isNamed("only", id, known) && !only.contains(before)) {
        reader.fault("--only (%s) goes by the rate of %s; name both", id, before);
      }
    }
  }

  /** Returns the name of the report. */
  String reportName() {
    return only.isEmpty() ? name : name + "-only";
  }

  private List<Trial> all() {
    return PeerTrials.of(scale, rounds, seed);
  }

  /** Returns the names of the loads that are not measured. */
  Set<String> leftOut() {
    Set<String> left = all().stream().map(Trial::id).collect(Collectors.toSet());
    trials().forEach(trial -> left.remove(trial.id()));
    return left;
  }

  List<Trial> trials() {
    return all().stream().filter(trial -> only.isEmpty() || only.contains(trial.id())).toList();
  }

  int pairs() {
    return entries(PeerTrials.PAIRS);
  }

  int ordered() {
    return entries(PeerTrials.ORDERED);
  }

  int inserts() {
    return entries(PeerTrials.INSERTS);
  }

  String flags() {
    return Child.flags();
  }

  private int entries(String load) {
    return all().stream()
        .filter(trial -> trial.id().equals(load))
        .mapToInt(trial -> trial.room().entries())
        .sum();
  }
}
