// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.observe;

import javax.management.openmbean.CompositeData;
import javax.management.openmbean.CompositeDataView;
import javax.management.openmbean.CompositeType;

/**
 * JMX form of a {@link StrategySnapshot}. A client receives open data with all components of the
 * snapshot, in the form of {@link OpenRecords}; a client with this class on its class path receives
 * the snapshot. Immutable.
 */
public final class JmxStrategySnapshot implements CompositeDataView {

  private final StrategySnapshot snapshot;

  /** Wraps a snapshot for JMX. */
  public JmxStrategySnapshot(StrategySnapshot snapshot) {
    this.snapshot = snapshot;
  }

  /**
   * Returns the wrapper that open data represents. JMX proxies call this method.
   *
   * @throws IllegalArgumentException if the data was made from another type, or from other
   *     components of it
   */
  public static JmxStrategySnapshot from(CompositeData data) {
    return new JmxStrategySnapshot(OpenRecords.read(data, StrategySnapshot.class));
  }

  /**
   * Returns the name of the table in Cassandra's sense, or of store and family. An MXBean type must
   * have at least one getter.
   */
  public String getName() {
    return snapshot.name();
  }

  /** Returns the wrapped snapshot. */
  public StrategySnapshot snapshot() {
    return snapshot;
  }

  @Override
  public CompositeData toCompositeData(CompositeType expected) {
    return OpenRecords.open(snapshot);
  }
}
