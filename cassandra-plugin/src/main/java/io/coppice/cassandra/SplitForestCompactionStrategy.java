// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.cassandra.sstable.CqlOptions;
import java.util.Map;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.exceptions.ConfigurationException;

/**
 * A compaction strategy for the split forest: each level holds several runs of SSTables of limited
 * size, and {@code fanout} runs become one run of the next level. Only SSTables that overlap are
 * rewritten; the others change level by metadata alone. Source: Lu et al., "A Novel Multi-Stage
 * Forest-Based Key-Value Store" (SifrDB), IEEE TPDS 2020.
 *
 * <pre>{@code
 * ALTER TABLE ks.t WITH compaction =
 *   {'class': 'io.coppice.cassandra.SplitForestCompactionStrategy', 'fanout': '4'}
 * }</pre>
 */
public final class SplitForestCompactionStrategy extends CoppiceStrategy {

  private static final String POLICY = "split-forest";

  /** Creates the strategy; called by Cassandra. */
  public SplitForestCompactionStrategy(ColumnFamilyStore cfs, Map<String, String> options) {
    super(cfs, POLICY, options);
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
    return CqlOptions.check(POLICY, options);
  }
}
