// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import java.util.List;

/**
 * A catalogue whose tables stay, of all families as they were at one instant.
 *
 * @param leases one for each family, closed with this
 */
public record CatalogueLease(Catalogue catalogue, List<Lease> leases) implements AutoCloseable {

  /** Copies the list. */
  public CatalogueLease {
    leases = List.copyOf(leases);
  }

  /** Gives the leases back. To be called once. */
  @Override
  public void close() {
    for (Lease lease : leases) {
      lease.close();
    }
  }
}
