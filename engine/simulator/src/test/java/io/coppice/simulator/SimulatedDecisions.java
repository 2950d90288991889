// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.MergeRule;
import io.coppice.policy.Plan;
import io.coppice.policy.Shape;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.simulator.keys.WriteWorkload;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** What the simulator decides on a given load, with tables as large as the engine's own. */
public final class SimulatedDecisions {

  private SimulatedDecisions() {}

  /** Returns the key that a number of a flush writes or deletes. */
  public static int written(int number) {
    return number < 0 ? ~number : number;
  }

  /**
   * Runs the load: after each flush keys are looked up, then plans are carried out until the policy
   * wants none.
   *
   * @param keys the bytes of a key, in the order of the numbers
   * @param value the one value of all keys
   * @param flushes the keys of each flush in the order in which they are written; {@code ~key}
   *     deletes a key
   * @param lookups the keys looked up after each flush, as many as were written
   * @param decided told of each plan and the shape it was made from
   */
  public static void run(
      PolicySpec policy,
      Function<Integer, byte[]> keys,
      byte[] value,
      List<int[]> flushes,
      List<int[]> lookups,
      BiConsumer<Shape, Plan> decided) {
    long operations = flushes.stream().mapToLong(flush -> flush.length).sum();
    Scenario scenario =
        new Scenario(
            policy,
            MergeRule.ADJACENT,
            new WriteWorkload(WriteWorkload.Kind.UNIFORM_UPDATE, 0),
            Integer.MAX_VALUE,
            operations,
            1,
            1,
            0,
            1,
            Long.MAX_VALUE,
            0,
            Fidelity.EXACT);
    EngineTables model =
        new EngineTables(
            policy.tableBytes(), keys, Arrays.copyOf(value, value.length), flushes, lookups);
    new Simulation<>(scenario, model, (shape, budget, plan) -> decided.accept(shape, plan), true)
        .run(share -> {});
  }
}
