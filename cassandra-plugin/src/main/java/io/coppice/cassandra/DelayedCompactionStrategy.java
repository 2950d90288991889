// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.Map;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.exceptions.ConfigurationException;

/**
 * Delayed compaction as a strategy: leveled, but a merge of fewer than {@code vct} SSTables is put
 * off, and its SSTables change level by metadata alone; a later merge takes several such steps at
 * once. Where reads keep meeting {@code vsmt} SSTables or more that lie over each other in a level,
 * these are merged in place. Source: Pan, Yue, Xiong, "dCompaction", JCST 2017.
 *
 * <pre>{@code
 * ALTER TABLE ks.t WITH compaction =
 *   {'class': 'io.coppice.cassandra.DelayedCompactionStrategy', 'vct': '12', 'vsmt': '5'}
 * }</pre>
 */
public final class DelayedCompactionStrategy extends CoppiceStrategy {

  private static final String POLICY = "delayed";

  /** Called by Cassandra. */
  public DelayedCompactionStrategy(ColumnFamilyStore cfs, Map<String, String> options) {
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
