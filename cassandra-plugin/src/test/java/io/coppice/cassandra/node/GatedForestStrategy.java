// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import io.coppice.cassandra.CoppiceStrategy;
import io.coppice.cassandra.sstable.CqlOptions;
import io.coppice.policy.spec.PolicySpec;
import java.util.Map;
import org.apache.cassandra.db.ColumnFamilyStore;

/** The split forest, with the steps of its merges held at the {@link MergeGate} of the table. */
public final class GatedForestStrategy extends CoppiceStrategy {

  private static final String POLICY = "split-forest";

  /** Called by Cassandra. */
  public GatedForestStrategy(ColumnFamilyStore cfs, Map<String, String> options) {
    super(
        cfs,
        CqlOptions.spec(POLICY, options),
        PolicySpec::policy,
        MergeGate.rule(cfs.name),
        options);
  }

  /** Called by Cassandra. */
  public static Map<String, String> validateOptions(Map<String, String> options) {
    return CqlOptions.check(POLICY, options);
  }
}
