// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.cassandra.sstable.CqlOptions;
import java.util.Map;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.exceptions.ConfigurationException;

/**
 * A compaction strategy for grouped levels: {@code groups} SSTables of a level that overlap at one
 * key are merged, with the SSTables that overlap them, into one new group of the next level. Data
 * of the next level stays as it is. Source: Zhang et al., ICPADS 2016 (stepped merge).
 *
 * <pre>{@code
 * ALTER TABLE ks.t WITH compaction =
 *   {'class': 'io.coppice.cassandra.GroupedCompactionStrategy', 'groups': '4'}
 * }</pre>
 */
public final class GroupedCompactionStrategy extends CoppiceStrategy {

  private static final String POLICY = "grouped";

  /** Creates the strategy; called by Cassandra. */
  public GroupedCompactionStrategy(ColumnFamilyStore cfs, Map<String, String> options) {
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
