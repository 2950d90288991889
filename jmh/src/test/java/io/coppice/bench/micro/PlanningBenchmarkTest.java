// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.micro;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.Budget;
import io.coppice.policy.spec.PolicySpec;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Param;

class PlanningBenchmarkTest {

  @Test
  void asksEveryPolicyOfTheCatalogue() throws NoSuchFieldException {
    Param policies = PlanningBenchmark.class.getField("policy").getAnnotation(Param.class);
    assertThat(policies.value()).containsExactlyInAnyOrderElementsOf(PolicySpec.policyNames());
  }

  @Test
  void shapesAreInTheStateTheyAreNamedFor() {
    PolicySpec spec = PolicySpec.parse("split-forest");
    LoadedShapes shapes = LoadedShapes.of(spec);
    assertThat(LoadedShapes.slices(shapes.wanted())).isGreaterThan(9_000);
    assertThat(LoadedShapes.slices(shapes.atRest())).isGreaterThan(9_000);
    assertThat(spec.policy().next(shapes.wanted(), Budget.unlimited())).isPresent();
    assertThat(spec.policy().next(shapes.atRest(), Budget.unlimited())).isEmpty();
  }
}
