// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.cassandra.sstable.CqlOptions;
import java.util.Map;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.exceptions.ConfigurationException;

/**
 * A compaction strategy for lazy-binomial trees: at most {@code k} upper trees over one base run.
 * The trees are merged with the base only once they have more than {@code x} times its bytes. The
 * policy is Coppice's own.
 *
 * <pre>{@code
 * ALTER TABLE ks.t WITH compaction =
 *   {'class': 'io.coppice.cassandra.LazyBinomialCompactionStrategy', 'k': '8', 'x': '0.5'}
 * }</pre>
 */
public final class LazyBinomialCompactionStrategy extends CoppiceStrategy {

  private static final String POLICY = "lazy-binomial";

  /** Creates the strategy; called by Cassandra. */
  public LazyBinomialCompactionStrategy(ColumnFamilyStore cfs, Map<String, String> options) {
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
