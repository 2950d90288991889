// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import java.io.IOException;

/**
 * The Versions of one family, one after the other: what its readers lease and its merges edit. Safe
 * to share between threads; readers take no lock.
 *
 * <p>Families have leases of their own, so a long read in one does not keep the tables of another
 * on disk. After its family was dropped a lineage gives out no lease; those held stay usable.
 */
public final class Lineage {

  private final Manifest manifest;
  private final int number;
  private final String name;
  private final Leases leases;

  Lineage(Manifest manifest, int number, String name, Leases leases) {
    this.manifest = manifest;
    this.number = number;
    this.name = name;
    this.leases = leases;
  }

  /** The family's number. */
  public int number() {
    return number;
  }

  /** The family's name. */
  public String name() {
    return name;
  }

  /**
   * The current Version, without a lease: for planning, not for reading tables.
   *
   * @throws io.coppice.base.ClosedException if the family was dropped or the manifest is closed
   */
  public Version current() {
    return leases.current();
  }

  /**
   * A lease on the current Version; to be closed exactly once. Takes no lock.
   *
   * @throws io.coppice.base.ClosedException if the family was dropped or the manifest is closed
   */
  public Lease lease() {
    return leases.lease();
  }

  /** Bytes of tables that only leases keep: the current Version does not name them any more. */
  public long pinnedBytes() {
    return leases.waitingBytes();
  }

  /** As {@link Manifest#nextNumber}. */
  public long nextNumber() {
    return manifest.nextNumber();
  }

  /**
   * Makes an edit of this family durable, as {@link Manifest#install} does.
   *
   * @return the family's new Version
   */
  public Version install(VersionEdit edit) throws IOException {
    return manifest.install(edit.in(number)).version(number);
  }

  /** An empty run is gone from every Version to come, unless more may come into it. */
  public void fill(long run) {
    manifest.fill(run);
  }

  /** To be called once for each {@link #fill}, when the merge has ended. */
  public void filled(long run) {
    manifest.filled(run);
  }

  Leases leases() {
    return leases;
  }
}
