// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.spec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Percentage.withPercentage;

import io.coppice.policy.MergeRule;
import io.coppice.simulator.Fidelity;
import io.coppice.simulator.Scenario;
import io.coppice.simulator.SimulationReport;
import io.coppice.simulator.Simulator;
import org.junit.jupiter.api.Test;

/** The closed forms of the ladder, held to the simulator. */
class AmplificationModelTest {

  private static final double[] FLUSHES = {2, 3, 8, 32, 100, 1000, 30_000, 1e6, 1e9};

  @Test
  void theLadderGoesFromFewRunsToFewRewritesInALargeStore() {
    for (double flushes : new double[] {300, 1000, 10_000}) {
      AmplificationModel before = null;
      for (AdaptiveRung rung : AdaptiveRung.LADDER) {
        // The two that put merges off or make them piece by piece have loads of their own.
        if (!rung.policy().equals("delayed") && !rung.policy().equals("leveled")) {
          AmplificationModel model = rung.model();
          if (before != null) {
            assertThat(model.merges(flushes)).isLessThan(before.merges(flushes));
            assertThat(model.runs(flushes)).isGreaterThan(before.runs(flushes));
          }
          before = model;
        }
      }
    }
  }

  @Test
  void costsGrowWithTheStoreAndAreFinite() {
    for (AdaptiveRung rung : AdaptiveRung.LADDER) {
      double merges = 0;
      double runs = 0;
      for (double flushes : FLUSHES) {
        assertThat(rung.model().merges(flushes)).isFinite().isGreaterThanOrEqualTo(merges);
        assertThat(rung.model().runs(flushes)).isFinite().isGreaterThanOrEqualTo(Math.max(1, runs));
        merges = rung.model().merges(flushes);
        runs = rung.model().runs(flushes);
      }
    }
  }

  @Test
  void everyRungIsAPolicyOfTheCatalogue() {
    for (AdaptiveRung rung : AdaptiveRung.LADDER) {
      assertThat(PolicySpec.parse(rung.text()).policyName()).isEqualTo(rung.policy());
      PolicySpec adaptive = PolicySpec.parse("adaptive,rung=" + AdaptiveRung.LADDER.indexOf(rung));
      PolicySpec itself = PolicySpec.parse(rung.text());
      // On none of them writers are slowed earlier than on the most patient one.
      assertThat(adaptive.toleratedRuns())
          .isEqualTo(8)
          .isGreaterThanOrEqualTo(itself.toleratedRuns());
      assertThat(adaptive.policy().mergeOnRead()).isEqualTo(itself.policy().mergeOnRead());
    }
  }

  @Test
  void theFormulasAreWhatIsSimulated() {
    int flushes = 32;
    int memtable = 64;
    PolicyLimits limits = new PolicyLimits(memtable / 8, 1, 1L << 40, 30, true);
    for (AdaptiveRung rung : AdaptiveRung.LADDER) {
      Scenario scenario =
          new Scenario(
              PolicySpec.parse(rung.text(), limits),
              MergeRule.ADJACENT,
              io.coppice.simulator.keys.WriteWorkload.parse("uniform-update"),
              (long) flushes * memtable,
              8L * flushes * memtable,
              memtable,
              1,
              10,
              0,
              Long.MAX_VALUE,
              1,
              Fidelity.EXACT);
      SimulationReport report = Simulator.run(scenario, share -> {});
      AmplificationModel model = rung.model();
      assertThat(1 + model.merges(flushes))
          .as(rung.text())
          .isCloseTo(report.wa(), withPercentage(25));
      assertThat(model.runs(flushes))
          .as(rung.text())
          .isCloseTo(report.raMean(), withPercentage(40));
      assertThat(model.space()).as(rung.text()).isCloseTo(report.saPeak(), withPercentage(20));
    }
  }
}
