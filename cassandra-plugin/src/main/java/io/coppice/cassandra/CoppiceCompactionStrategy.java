// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.Map;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.exceptions.ConfigurationException;

/**
 * Any policy as a compaction strategy, by its name: going from one policy to another is an ALTER of
 * one word. Every arrangement of SSTables that one policy leaves is a legal start for any other, so
 * nothing is rewritten for the change itself.
 *
 * <pre>{@code
 * ALTER TABLE ks.t WITH compaction =
 *   {'class': 'io.coppice.cassandra.CoppiceCompactionStrategy', 'policy': 'lazy-binomial'}
 * }</pre>
 */
public final class CoppiceCompactionStrategy extends CoppiceStrategy {

  /** Called by Cassandra. */
  public CoppiceCompactionStrategy(ColumnFamilyStore cfs, Map<String, String> options) {
    super(cfs, CqlOptions.policy(options), CqlOptions.withoutPolicy(options));
  }

  /**
   * Called by Cassandra before a statement takes effect, possibly several times.
   *
   * @return options that are not understood
   * @throws ConfigurationException naming every option that is wrong, its value and its range
   */
  public static Map<String, String> validateOptions(Map<String, String> options)
      throws ConfigurationException {
    return CqlOptions.check(CqlOptions.policy(options), CqlOptions.withoutPolicy(options));
  }
}
