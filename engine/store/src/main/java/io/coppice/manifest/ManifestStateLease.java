// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.version.ManifestState;
import java.util.List;

/**
 * A manifest state of all families at one instant, with leases that keep their tables.
 *
 * @param state the leased state
 * @param leases one for each family, closed with this object, which owns the list
 */
public record ManifestStateLease(ManifestState state, List<Lease> leases) implements AutoCloseable {

  /** Releases the leases of all families. Call it exactly once. */
  @Override
  public void close() {
    for (Lease lease : leases) {
      lease.close();
    }
  }
}
