// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.thread.References;
import io.coppice.version.SliceIndex;
import io.coppice.version.Version;

/**
 * A share in a version: while a reader holds it, none of the version's tables becomes obsolete. All
 * shares of one version are one counted object, so taking one allocates nothing. Each {@link
 * FamilyVersions#lease()} needs exactly one {@link #close}. Safe to share between threads.
 */
public final class Lease implements AutoCloseable {

  private final Version version;
  private final Leases leases;

  /** Number of the version in order of installation; the present one has the largest. */
  private final long ordinal;

  /**
   * Event of the last release. It exists from the start, because that release must allocate
   * nothing.
   */
  private final Leases.Event release;

  /** Number of shares; the manifest itself holds one share of the current version. */
  private final References shares = new References();

  /** Index of the version's slices; null until some thread makes it. */
  private volatile SliceIndex index;

  Lease(Version version, long ordinal, Leases leases) {
    this.version = version;
    this.ordinal = ordinal;
    this.leases = leases;
    this.release = Leases.Event.release(ordinal);
  }

  /** Returns the leased version. */
  public Version version() {
    return version;
  }

  /** Returns the number of the version in order of installation, which identifies it. */
  public long ordinal() {
    return ordinal;
  }

  /** Returns the index of the version's slices, or null before one is made. */
  public SliceIndex index() {
    return index;
  }

  /**
   * Keeps an index of the version's slices for all readers.
   *
   * @param made the index; null for none
   */
  public void index(SliceIndex made) {
    index = made;
  }

  /** Takes a share for a reader. Returns false if the last one was released before. */
  boolean tryRetain() {
    return shares.tryRetain();
  }

  /**
   * Releases the reader's share. The last release makes tables obsolete that no other version
   * holds.
   */
  @Override
  public void close() {
    if (shares.release()) {
      leases.released(release);
    }
  }
}
