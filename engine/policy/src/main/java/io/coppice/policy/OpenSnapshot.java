// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import javax.management.openmbean.CompositeData;
import javax.management.openmbean.CompositeDataView;
import javax.management.openmbean.CompositeType;

/**
 * A {@link StrategySnapshot} on its way through JMX: a client gets open data with all components of
 * the snapshot, in the form of {@link OpenRecords}, and a client that has this class gets the
 * snapshot back. Immutable.
 */
public final class OpenSnapshot implements CompositeDataView {

  private final StrategySnapshot snapshot;

  /** Takes what is to be carried. */
  public OpenSnapshot(StrategySnapshot snapshot) {
    this.snapshot = snapshot;
  }

  /**
   * What open data were made of; JMX's proxies call this.
   *
   * @throws IllegalArgumentException if they were made of something else
   */
  public static OpenSnapshot from(CompositeData data) {
    return new OpenSnapshot(OpenRecords.read(data, StrategySnapshot.class));
  }

  /** The table; JMX needs one attribute that it knows. */
  public String getName() {
    return snapshot.name();
  }

  /** What is carried. */
  public StrategySnapshot snapshot() {
    return snapshot;
  }

  @Override
  public CompositeData toCompositeData(CompositeType expected) {
    return OpenRecords.open(snapshot);
  }
}
