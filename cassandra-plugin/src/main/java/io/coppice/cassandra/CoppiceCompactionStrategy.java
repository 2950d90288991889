// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.cassandra.sstable.CqlOptions;
import java.util.Map;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.exceptions.ConfigurationException;

/**
 * Compaction strategy that runs any policy, chosen by name. An ALTER of one word switches from one
 * policy to another. Every arrangement of SSTables that one policy leaves is a legal start for any
 * other, so the switch itself rewrites nothing.
 *
 * <pre>{@code
 * ALTER TABLE ks.t WITH compaction =
 *   {'class': 'io.coppice.cassandra.CoppiceCompactionStrategy', 'policy': 'lazy-binomial'}
 * }</pre>
 */
public final class CoppiceCompactionStrategy extends CoppiceStrategy {

  /** Creates the strategy; called by Cassandra. */
  public CoppiceCompactionStrategy(ColumnFamilyStore cfs, Map<String, String> options) {
    super(cfs, CqlOptions.policy(options), CqlOptions.withoutPolicy(options));
  }

  /**
   * Checks the options; called by Cassandra before a statement takes effect, possibly several
   * times.
   *
   * @return the options that the strategy does not know; Cassandra refuses a statement with any
   * @throws ConfigurationException naming every invalid option with its value and range
   */
  public static Map<String, String> validateOptions(Map<String, String> options)
      throws ConfigurationException {
    return CqlOptions.check(CqlOptions.policy(options), CqlOptions.withoutPolicy(options));
  }
}
