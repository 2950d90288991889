// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import io.coppice.cassandra.CoppiceStrategy;
import io.coppice.policy.Backlog;
import io.coppice.policy.Budget;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.Reason;
import io.coppice.policy.Shape;
import io.coppice.policy.Target;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.cassandra.db.ColumnFamilyStore;

/** A strategy whose policy always plans with an SSTable that is not there. */
public final class IllegalPlanStrategy extends CoppiceStrategy {

  private static final class IllegalPolicy implements Policy {

    @Override
    public Optional<Plan> next(Shape shape, Budget budget) {
      return Optional.of(
          new Plan.Merge(List.of(999L), Target.newest(1), 0, Reason.of("wrong", "it is wrong")));
    }

    @Override
    public Backlog backlog(Shape shape) {
      return new Backlog(1, 1, 0);
    }

    @Override
    public Optional<Plan> everything(Shape shape, Budget budget) {
      return next(shape, budget);
    }

    @Override
    public Optional<Plan> rewrite(Shape shape, Set<Long> slices, Budget budget) {
      return next(shape, budget);
    }
  }

  /** Called by Cassandra. */
  public IllegalPlanStrategy(ColumnFamilyStore cfs, Map<String, String> options) {
    super(
        cfs,
        CqlOptions.spec("split-forest", Map.of()),
        spec -> new IllegalPolicy(),
        PurgeRule.EXACT,
        options);
  }

  /** Called by Cassandra. */
  public static Map<String, String> validateOptions(Map<String, String> options) {
    return CqlOptions.check("split-forest", options);
  }
}
