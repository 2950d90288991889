// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import javax.management.openmbean.CompositeData;
import javax.management.openmbean.CompositeDataView;
import javax.management.openmbean.CompositeType;

/**
 * A {@link TableMap} on its way through JMX, as {@link OpenSnapshot} is for snapshots. Immutable.
 */
public final class OpenTableMap implements CompositeDataView {

  private final TableMap map;

  /** Takes what is to be carried. */
  public OpenTableMap(TableMap map) {
    this.map = map;
  }

  /**
   * What open data were made of; JMX's proxies call this.
   *
   * @throws IllegalArgumentException if they were made of something else
   */
  public static OpenTableMap from(CompositeData data) {
    return new OpenTableMap(OpenRecords.read(data, TableMap.class));
  }

  /** The table; JMX needs one attribute that it knows. */
  public String getName() {
    return map.name();
  }

  /** What is carried. */
  public TableMap map() {
    return map;
  }

  @Override
  public CompositeData toCompositeData(CompositeType expected) {
    return OpenRecords.open(map);
  }
}
