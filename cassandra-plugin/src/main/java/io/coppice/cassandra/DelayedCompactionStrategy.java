// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.cassandra.sstable.CqlOptions;
import java.util.Map;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.exceptions.ConfigurationException;

/**
 * A compaction strategy for delayed compaction: leveled compaction that defers small merges.
 *
 * <p>A merge of fewer than {@code vct} SSTables is delayed: its SSTables change level by metadata
 * alone, and a later merge takes several such steps at once. If reads keep checking {@code vsmt} or
 * more SSTables that overlap in a level, these are merged in place. Source: Pan, Yue, Xiong,
 * "dCompaction", JCST 2017.
 *
 * <pre>{@code
 * ALTER TABLE ks.t WITH compaction =
 *   {'class': 'io.coppice.cassandra.DelayedCompactionStrategy', 'vct': '12', 'vsmt': '5'}
 * }</pre>
 */
public final class DelayedCompactionStrategy extends CoppiceStrategy {

  private static final String POLICY = "delayed";

  /** Creates the strategy; called by Cassandra. */
  public DelayedCompactionStrategy(ColumnFamilyStore cfs, Map<String, String> options) {
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
