// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.micro;

import io.coppice.policy.Backlog;
import io.coppice.policy.Budget;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.check.PlanCheck;
import io.coppice.policy.spec.PolicySpec;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** Cost of one request to a policy for a plan of a shape with ten thousand tables. */
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(
    value = 1,
    jvmArgs = {"-Xms2g", "-Xmx2g", "-XX:+UseSerialGC"})
public class PlanningBenchmark extends Microbenchmark {

  /** Name of the policy, each with its default options. */
  @Param({"leveled", "tiered", "delayed", "grouped", "split-forest", "lazy-binomial", "adaptive"})
  public String policy;

  private PolicySpec spec;
  private Policy asked;
  private LoadedShapes shapes;
  private Plan plan;

  /** Simulates the load that makes the shapes. */
  @Setup
  public void load() {
    spec = PolicySpec.parse(policy);
    asked = spec.policy();
    shapes = LoadedShapes.of(spec);
    plan = asked.next(shapes.wanted(), Budget.unlimited()).orElseThrow();
  }

  /** Asks for the next plan of a shape that needs one. */
  @Benchmark
  public Optional<Plan> nextWanted() {
    return asked.next(shapes.wanted(), Budget.unlimited());
  }

  /**
   * Asks for the next plan of a shape that needs none, so that the policy examines every candidate.
   */
  @Benchmark
  public Optional<Plan> nextAtRest() {
    return asked.next(shapes.atRest(), Budget.unlimited());
  }

  /** Checks a plan that the policy wants. */
  @Benchmark
  public Optional<String> check() {
    return PlanCheck.fault(shapes.wanted(), plan, Budget.unlimited(), spec.limits().maxLevel());
  }

  /** Computes the backlog of a shape that needs a plan. */
  @Benchmark
  public Backlog backlog() {
    return asked.backlog(shapes.wanted());
  }
}
