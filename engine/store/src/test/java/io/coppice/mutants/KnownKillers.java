// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.mutants;

import io.coppice.mutants.MutantScenario.Effort;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/**
 * The scenario that caught each {@link GeneratedMutants generated mutant} last. A mutant meets its
 * known killer first, so most cost one short trial. A killer that no longer catches its mutant is
 * replaced by a search through all scenarios.
 */
final class KnownKillers {

  /** The committed ones. */
  static final Path COMMITTED = Path.of("src/test/resources/io/coppice/killers.txt");

  /** Those of the last build, to be committed if they differ. */
  static final Path FOUND = Path.of("target", "killers.txt");

  /**
   * What caught a mutant.
   *
   * @param scenario the name of a {@link MutantScenario}
   */
  record Killer(String scenario, Effort effort) {}

  private final Map<String, Killer> killers = new TreeMap<>();

  /** Reads the committed ones, if there are any. */
  static KnownKillers committed() throws IOException {
    KnownKillers known = new KnownKillers();
    if (Files.exists(COMMITTED)) {
      for (String line : Files.readAllLines(COMMITTED)) {
        String[] fields = line.split("\t");
        known.put(fields[0], new Killer(fields[1], Effort.valueOf(fields[2])));
      }
    }
    return known;
  }

  /** Returns the killer of a mutant, or null. */
  Killer of(String mutant) {
    return killers.get(mutant);
  }

  void put(String mutant, Killer killer) {
    killers.put(mutant, killer);
  }

  void write() throws IOException {
    StringBuilder text = new StringBuilder();
    killers.forEach(
        (mutant, killer) ->
            text.append(mutant)
                .append('\t')
                .append(killer.scenario)
                .append('\t')
                .append(killer.effort)
                .append('\n'));
    Files.createDirectories(FOUND.getParent());
    Files.writeString(FOUND, text);
  }
}
