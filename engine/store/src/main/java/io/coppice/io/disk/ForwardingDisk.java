// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.disk;

import io.coppice.io.Disk;
import java.io.IOException;
import java.util.List;

/**
 * Disk that passes calls on to another disk, for disks that change some of them. Calls with a
 * default, such as links and stamps, keep it. Safe to share between threads, like the other disk.
 */
public abstract class ForwardingDisk implements Disk {

  /** Disk that receives the calls. */
  protected final Disk disk;

  /** Creates a view of a disk. Closing the view closes the disk. */
  protected ForwardingDisk(Disk disk) {
    this.disk = disk;
  }

  @Override
  public OutputFile create(String name) throws IOException {
    return disk.create(name);
  }

  @Override
  public InputFile open(String name) throws IOException {
    return disk.open(name);
  }

  @Override
  public InputFile map(String name) throws IOException {
    return disk.map(name);
  }

  @Override
  public SlotFile openSlots(String name) throws IOException {
    return disk.openSlots(name);
  }

  @Override
  public void rename(String from, String to) throws IOException {
    disk.rename(from, to);
  }

  @Override
  public void delete(String name) throws IOException {
    disk.delete(name);
  }

  @Override
  public List<String> list() throws IOException {
    return disk.list();
  }

  @Override
  public void syncDirectory() throws IOException {
    disk.syncDirectory();
  }

  @Override
  public long freeBytes() throws IOException {
    return disk.freeBytes();
  }

  @Override
  public String describe() {
    return disk.describe();
  }

  @Override
  public void close() throws IOException {
    disk.close();
  }
}
