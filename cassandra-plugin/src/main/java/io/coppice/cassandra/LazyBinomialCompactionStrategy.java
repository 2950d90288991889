// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.Map;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.exceptions.ConfigurationException;

/**
 * Lazy-binomial trees as a strategy: at most {@code k} upper trees over one base run, which is
 * merged only once what stands over it outweighs {@code x} times its bytes. Ours.
 *
 * <pre>{@code
 * ALTER TABLE ks.t WITH compaction =
 *   {'class': 'io.coppice.cassandra.LazyBinomialCompactionStrategy', 'k': '8', 'x': '0.5'}
 * }</pre>
 */
public final class LazyBinomialCompactionStrategy extends CoppiceStrategy {

  private static final String POLICY = "lazy-binomial";

  /** Called by Cassandra. */
  public LazyBinomialCompactionStrategy(ColumnFamilyStore cfs, Map<String, String> options) {
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
