// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.References;

/**
 * A share in a Version: while it is held, no table that the Version names is retired. All shares of
 * one Version are one counted object, so taking one allocates nothing; each {@link Lineage#lease()}
 * is matched by exactly one {@link #close}. Safe to share between threads.
 */
public final class Lease implements AutoCloseable {

  private final Version version;
  private final Leases leases;

  /** Counted in versions installed; the present one has the largest. */
  private final long ordinal;

  /** Made here, because the last share is given back without heap. */
  private final Leases.Event release;

  /** One share is the manifest's own while the Version is the current one. */
  private final References shares = new References();

  /** Null until somebody makes it, whoever that is. */
  private volatile SliceIndex index;

  Lease(Version version, long ordinal, Leases leases) {
    this.version = version;
    this.ordinal = ordinal;
    this.leases = leases;
    this.release = Leases.Event.release(ordinal);
  }

  /** The Version. */
  public Version version() {
    return version;
  }

  /** Counted in versions installed; tells one Version from another. */
  public long ordinal() {
    return ordinal;
  }

  /** The index of its slices, or null if nobody has made it yet. */
  public SliceIndex index() {
    return index;
  }

  /** Keeps the index for all who read the Version. */
  public void index(SliceIndex made) {
    index = made;
  }

  /** Takes a share unless the last one is gone. */
  boolean tryRetain() {
    return shares.tryRetain();
  }

  /** Gives the share back. With the last one, tables that nobody names any more are retired. */
  @Override
  public void close() {
    if (shares.release()) {
      leases.released(release);
    }
  }
}
