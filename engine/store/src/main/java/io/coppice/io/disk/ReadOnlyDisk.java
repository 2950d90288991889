// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.disk;

import io.coppice.io.BlockReader;
import io.coppice.io.BlockReaderOptions;
import io.coppice.io.Disk;
import java.io.IOException;

/**
 * Disk that rejects all changes before they reach the disk below. Safe to share between threads,
 * like that disk.
 */
public final class ReadOnlyDisk extends ForwardingDisk {

  /** Creates a read-only view of a disk. Closing the view closes the disk. */
  public ReadOnlyDisk(Disk disk) {
    super(disk);
  }

  @Override
  public OutputFile create(String name) throws IOException {
    throw refused("create", name);
  }

  @Override
  public SlotFile openSlots(String name) throws IOException {
    throw refused("overwrite", name);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    throw refused("rename", from);
  }

  @Override
  public void delete(String name) throws IOException {
    throw refused("remove", name);
  }

  @Override
  public void syncDirectory() throws IOException {
    throw refused("sync", disk.describe());
  }

  @Override
  public boolean link(String name, Disk target) throws IOException {
    return disk.link(name, target);
  }

  @Override
  public Stamp stamp(String name) throws IOException {
    return disk.stamp(name);
  }

  @Override
  public BlockReader blockReader(BlockReaderOptions options) {
    return disk.blockReader(options);
  }

  private static IOException refused(String what, String name) {
    return new IOException("no right to " + what + " " + name + ": the disk is open for reading");
  }
}
