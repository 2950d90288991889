// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.observe;

import javax.management.openmbean.CompositeData;
import javax.management.openmbean.CompositeDataView;
import javax.management.openmbean.CompositeType;

/** JMX form of a {@link TableMap}; compare {@link JmxStrategySnapshot}. Immutable. */
public final class JmxTableMap implements CompositeDataView {

  private final TableMap map;

  /** Wraps a table map for JMX. */
  public JmxTableMap(TableMap map) {
    this.map = map;
  }

  /**
   * Returns the wrapper that open data represents. JMX proxies call this method.
   *
   * @throws IllegalArgumentException if the data was made from another type, or from other
   *     components of it
   */
  public static JmxTableMap from(CompositeData data) {
    return new JmxTableMap(OpenRecords.read(data, TableMap.class));
  }

  /**
   * Returns the name of the table in Cassandra's sense, or of store and family. An MXBean type must
   * have at least one getter.
   */
  public String getName() {
    return map.name();
  }

  /** Returns the wrapped table map. */
  public TableMap map() {
    return map;
  }

  @Override
  public CompositeData toCompositeData(CompositeType expected) {
    return OpenRecords.open(map);
  }
}
