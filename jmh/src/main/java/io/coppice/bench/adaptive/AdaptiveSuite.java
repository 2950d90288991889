// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import io.coppice.bench.report.Machine;
import io.coppice.bench.report.SuiteReport;
import io.coppice.bench.report.Texts;
import io.coppice.bench.store.ResourceCheck;
import io.coppice.bench.suite.ChildJava;
import io.coppice.bench.suite.Directories;
import io.coppice.bench.suite.RunFailedException;
import io.coppice.bench.suite.SavedResult;
import io.coppice.bench.suite.SavedResults;
import io.coppice.bench.suite.Suite;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One run of the suite {@code adaptive}: measures each policy in turn, as often as there are
 * rounds. Used once.
 */
public final class AdaptiveSuite extends Suite {

  /** The suite's name, and that of its file. */
  public static final String NAME = "adaptive";

  private static final List<String> FLAGS =
      List.of("-Xms512m", "-Xmx512m", "-XX:+UseG1GC", "-XX:MaxDirectMemorySize=16g");

  /** Largest memory of memtables and cache in bytes, in addition to the heap of the process. */
  private static final long MAX_MEMORY = 1L << 30;

  private final AdaptiveOptions options;
  private final Path kept;
  private final Map<String, List<Outcome>> measured = new LinkedHashMap<>();

  public AdaptiveSuite(AdaptiveOptions options, Console console) {
    super(console, NAME + "-data", true);
    this.options = options;
    this.kept = target.resolve(NAME + "-passages");
  }

  @Override
  protected void measure(String command, Machine machine)
      throws IOException, InterruptedException, RunFailedException {
    long bytes = ResourceCheck.peakBytes(options.scale().liveBytes());
    RunFailedException.require(ResourceCheck.lacking(bytes, MAX_MEMORY, target));
    if (!options.resume()) {
      Directories.delete(kept);
    }
    List<AdaptiveContender> contenders = options.contenders();
    progress(contenders.size() * options.rounds(), contenders.size());
    contenders.forEach(one -> measured.put(one.name(), new ArrayList<>()));
    for (int round = 1; round <= options.rounds(); round++) {
      List<AdaptiveContender> order = new ArrayList<>(contenders);
      if (round % 2 == 0) {
        Collections.reverse(order);
      }
      for (AdaptiveContender contender : order) {
        measured.get(contender.name()).add(measure(contender, round, machine));
      }
    }
    progress().erase();
    List<String> facts = new ArrayList<>(Texts.facts(AdaptiveSuite.class, options));
    facts.add("each policy and round in a JVM of its own, " + String.join(" ", FLAGS));
    new SuiteReport(NAME, command, machine, facts, options.rounds(), AdaptiveRows.of(measured))
        .print(out, target);
  }

  private Outcome measure(AdaptiveContender contender, int round, Machine machine)
      throws IOException, InterruptedException, RunFailedException {
    String name = contender.name();
    return results(machine)
        .get(
            passage(contender, round, machine),
            1,
            Outcome.class,
            () -> {
              progress().begin(name + " round " + round);
              Directories.delete(data);
              Path directory = Files.createDirectories(data).resolve(name);
              PhasesProcess.Task task =
                  new PhasesProcess.Task(
                      directory, options.scale(), contender, options.seed(), round);
              return new ChildJava(data, FLAGS, task).result(Outcome.class, name, progress());
            });
  }

  /**
   * Returns the file that keeps a contender's result of one round. The result is reused only for
   * the same code, machine and load.
   */
  SavedResult passage(AdaptiveContender contender, int round, Machine machine) {
    return results(machine)
        .file(
            contender.name() + "-" + round,
            "%s, scale %s, seed %d, round %d"
                .formatted(contender.policy(), options.scale().label(), options.seed(), round));
  }

  private SavedResults results(Machine machine) {
    return new SavedResults(kept, options.resume(), machine.mark(), progress());
  }
}
