// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.Map;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.exceptions.ConfigurationException;

/**
 * Grouped levels as a strategy: once a level has gathered {@code groups} SSTables over one key,
 * what overlaps them becomes one new group of the next level, where nothing else is touched.
 * Source: Zhang et al., ICPADS 2016 (stepped merge).
 *
 * <pre>{@code
 * ALTER TABLE ks.t WITH compaction =
 *   {'class': 'io.coppice.cassandra.GroupedCompactionStrategy', 'groups': '4'}
 * }</pre>
 */
public final class GroupedCompactionStrategy extends CoppiceStrategy {

  private static final String POLICY = "grouped";

  /** Called by Cassandra. */
  public GroupedCompactionStrategy(ColumnFamilyStore cfs, Map<String, String> options) {
    super(cfs, POLICY, options);
  }

  /**
   * Called by Cassandra before a statement takes effect, possibly several times.
   *
   * @return options that are not understood
   * @throws ConfigurationException naming every option that is wrong, its value and its range
   */
  public static Map<String, String> validateOptions(Map<String, String> options)
      throws ConfigurationException {
    return CqlOptions.check(POLICY, options);
  }
}
