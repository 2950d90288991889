// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.Budget;
import io.coppice.policy.Plan;
import io.coppice.policy.Shape;
import io.coppice.simulator.keys.ContentModel;
import io.coppice.simulator.keys.SortedKeySet;
import io.coppice.simulator.store.SimulatedStore;
import io.coppice.simulator.store.StoreContents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/**
 * Reads keep the saving of delays. The load is Zipf 0.99 with one lookup for each fourth write,
 * then three lookups of every key. The rows stand in {@code docs/policies/papers.md}.
 */
class ReadBudgetLawTest {

  private static final int KEYS = 300_000;
  private static final int MEMTABLE = 1024;
  private static final int TABLE = 512;
  private static final int PROBES = 50_000;

  private static final Path PAGE = Path.of("..", "..", "docs", "policies", "papers.md");

  /** Most tables per lookup beside writes, as a multiple of leveled's. */
  private static final double MOST_BESIDE_WRITES = 1.15;

  /** The same after lookups alone. */
  private static final double MOST_AFTER_READS = 1.05;

  /** Least part of the saving that lookups leave. */
  private static final double LEAST_KEPT = 0.4;

  /** One policy under the load, then under lookups alone. */
  private static final class Trial {
    final Simulation<SortedKeySet> simulation;
    private final KeyModel model;
    private final double merged;
    private double checked;
    private int rests;

    Trial(String policy) {
      Scenario scenario =
          Loads.updates(policy, "zipf:0.99", KEYS, KEYS / MEMTABLE, MEMTABLE, TABLE)
              .reading(0.25)
              .scenario();
      model = new KeyModel(scenario);
      // Draws its own lookups, so that the model's stay those of the load.
      KeyModel probes = new KeyModel(scenario);
      simulation =
          new Simulation<>(
              scenario,
              model,
              new Simulation.Observer() {
                @Override
                public void decided(Shape shape, Budget budget, Plan plan) {}

                @Override
                public void rested(ContentModel<?> same, SimulatedStore<?> store) {
                  if (2 * same.userEntries() >= scenario.operations()) {
                    rests++;
                    for (int i = 0; i < MEMTABLE / 4; i++) {
                      checked +=
                          StoreContents.checkedTables(store, probes.lookup()) / (MEMTABLE / 4.0);
                    }
                  }
                }
              },
              false);
      SimulationReport report = simulation.run(share -> {});
      merged = report.wa() * report.userBytes() - report.flushedBytes();
    }

    /** Returns the mean tables per lookup in the second half of the load. */
    double besideWrites() {
      return checked / rests;
    }

    /** Looks up every key three times, and returns the mean tables of the next lookups. */
    double afterReads() {
      for (int i = 0; i < 3 * KEYS; i++) {
        simulation.readAlone((int) (i * 7919L % KEYS));
        if (i % MEMTABLE == 0) {
          simulation.settle();
        }
      }
      simulation.settle();
      double sum = 0;
      for (int i = 0; i < PROBES; i++) {
        sum += StoreContents.checkedTables(simulation.store(), (int) (i * 104_729L % KEYS));
      }
      return sum / PROBES;
    }
  }

  /** The page states the measured frontier; each of its rows is simulated again. */
  @Test
  void readsLeaveMostOfTheSavingAndFewTablesPerLookup() throws IOException {
    Trial leveled = new Trial("leveled");
    Trial quiet = new Trial("delayed,vsmt=64");
    double saving = leveled.merged - quiet.merged;
    double leveledAfter = leveled.afterReads();
    List<String> rows = new ArrayList<>();
    rows.add(row("leveled", leveled, leveled, 1));
    rows.add(row("delayed, no request", quiet, leveled, quiet.afterReads() / leveledAfter));
    String all = "read_cost=1GiB,read_share=100";
    for (String terms : List.of(all, "read_share=0")) {
      Trial trial = new Trial("delayed," + terms);
      String name = terms.equals(all) ? "every request granted" : "`" + terms + "`";
      rows.add(row(name, trial, leveled, trial.afterReads() / leveledAfter));
    }
    Trial delayed = new Trial("delayed");
    double kept = (leveled.merged - delayed.merged) / saving;
    double besideWrites = delayed.besideWrites() / leveled.besideWrites();
    double afterReads = delayed.afterReads() / leveledAfter;
    rows.add(row("**default**, `read_share=0.08`", delayed, leveled, afterReads));
    assertThat(kept).as("part of the saving that is kept").isGreaterThan(LEAST_KEPT);
    assertThat(besideWrites)
        .as("tables per lookup beside writes, leveled is 1")
        .isLessThan(MOST_BESIDE_WRITES);
    assertThat(afterReads)
        .as("tables per lookup after lookups alone, leveled is 1")
        .isLessThan(MOST_AFTER_READS);
    String table = String.join("\n", rows);
    assertThat(Files.readString(PAGE).contains(table)).as("%s states%n%s", PAGE, table).isTrue();
  }

  private static String row(String name, Trial trial, Trial leveled, double afterReads) {
    return String.format(
        Locale.ROOT,
        "| %s | %.0f %% | %.2f | %.2f |",
        name,
        100 * (1 - trial.merged / leveled.merged),
        trial.besideWrites() / leveled.besideWrites(),
        afterReads);
  }
}
