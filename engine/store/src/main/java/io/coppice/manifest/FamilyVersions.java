// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.thread.StackRoom;
import io.coppice.table.TableMeta;
import io.coppice.version.Version;
import io.coppice.version.VersionEdit;
import java.io.IOException;

/**
 * Versions of one family, in order: readers lease them and merges edit them. Safe to share between
 * threads; readers take no lock.
 *
 * <p>Each family has its own leases, so a long read in one keeps no tables of another on disk. Once
 * the family is dropped, new leases are refused; held ones stay usable.
 */
public final class FamilyVersions {

  private final Manifest manifest;
  private final int number;
  private final String name;
  private final Leases leases;

  FamilyVersions(Manifest manifest, int number, String name, Leases leases) {
    this.manifest = manifest;
    this.number = number;
    this.name = name;
    this.leases = leases;
  }

  /** Returns the family's number, 0 for the default family; never reused in its store. */
  public int number() {
    return number;
  }

  /** Returns the family's name. */
  public String name() {
    return name;
  }

  /**
   * Returns the current version without a lease, for planning only; reading tables needs a lease.
   *
   * @throws io.coppice.base.ClosedException if the family was dropped or the manifest is closed
   */
  public Version current() {
    return leases.current();
  }

  /**
   * Returns a lease on the current version, which the caller closes exactly once. It takes no lock.
   *
   * @throws io.coppice.base.ClosedException if the family was dropped or the manifest is closed
   * @throws StackOverflowError if the thread has too little stack to release the lease
   */
  public Lease lease() {
    StackRoom.requireLittle();
    return leases.lease();
  }

  /** Returns a lease as {@link #lease} does, for a caller that has checked the stack. */
  public Lease leaseWithoutStackCheck() {
    return leases.lease();
  }

  /** Returns the bytes of tables that only leases keep, because the current version lacks them. */
  public long pinnedBytes() {
    return leases.waitingBytes();
  }

  /** Returns a new number, as {@link Manifest#nextNumber}. */
  public long nextNumber() {
    return manifest.nextNumber();
  }

  /**
   * Makes an edit of this family durable, as {@link Manifest#install} does.
   *
   * @param edit names no family
   * @return the family's new version
   * @throws IllegalArgumentException if the edit is illegal; nothing has happened then
   * @throws IOException if the edit could not be made durable; later edits are refused
   */
  public Version install(VersionEdit edit) throws IOException {
    return manifest.install(edit.in(number)).version(number);
  }

  /** Returns whether a version names the table or may name it, see {@link Manifest#mayName}. */
  public boolean mayName(TableMeta table) {
    return manifest.mayName(table);
  }

  /**
   * Keeps a run in later versions even while it is empty, because a merge will fill it. The caller
   * ends this by {@link #endOutput}.
   */
  public void beginOutput(long run) {
    manifest.beginOutput(run);
  }

  /** Reverts one {@link #beginOutput} when its merge has ended. Called exactly once for each. */
  public void endOutput(long run) {
    manifest.endOutput(run);
  }

  Leases leases() {
    return leases;
  }
}
