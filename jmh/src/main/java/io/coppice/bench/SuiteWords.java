// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench;

import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Option;

/** Options of the suites beside peers and of the papers; picocli fills it in. */
public final class SuiteWords {

  @Option(
      names = "--paper",
      paramLabel = "NAME",
      description = {
        "Instead of --suite, the experiments of a paper: dcompaction, grouped, leveled-tiered,",
        "sifrdb, or all. Takes --scale (quick, standard, paper), --only, --seed, --resume and",
        "--progress."
      })
  private String paper;

  @Option(
      names = "--only",
      paramLabel = "ID,...",
      description =
          "Of --paper: experiments such as D-1,S-3. Of quick, standard and full: loads such as"
              + " main,delays or ycsb, and a wrong name lists them; rows of others say that they"
              + " were left out. Of --suite=adaptive: policies beside it, such as leveled,oracle;"
              + " rung-0 to rung-6 are each rung for itself.")
  private String only;

  @Option(
      names = "--resume",
      description =
          "Of a suite or --paper: takes up a run that was broken off, where commit, edits, processor"
              + " and JDK are the same.")
  private boolean resume;

  @Option(
      names = "--cgroup",
      paramLabel = "DIRECTORY",
      description = "Of a suite: an empty control group of yours, for the row of memory.")
  private String cgroup;

  @Option(
      names = "--without-ycsb",
      description =
          "Of quick, standard and full: leaves out YCSB, whose rows then say so; --suite=ycsb"
              + " measures it alone.")
  private boolean withoutYcsb;

  /** The paper that was named; null if none. */
  String paper() {
    return paper;
  }

  /** What was typed, by name without dashes. */
  Map<String, String> given() {
    Map<String, String> given = new TreeMap<>();
    if (only != null) {
      given.put("only", only);
    }
    if (resume) {
      given.put("resume", "true");
    }
    if (withoutYcsb) {
      given.put("without-ycsb", "true");
    }
    if (cgroup != null) {
      given.put("cgroup", cgroup);
    }
    return given;
  }
}
