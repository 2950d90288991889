// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.IOException;
import java.util.List;

/** A disk that calls a tap before every operation that changes something. */
public final class TapDisk implements Disk {

  private final Disk disk;
  private final Runnable tap;

  /** Wraps a disk. */
  public TapDisk(Disk disk, Runnable tap) {
    this.disk = disk;
    this.tap = tap;
  }

  @Override
  public OutputFile create(String name) throws IOException {
    tap.run();
    return new TappedOutput(disk.create(name));
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
    tap.run();
    disk.rename(from, to);
  }

  @Override
  public void delete(String name) throws IOException {
    tap.run();
    disk.delete(name);
  }

  @Override
  public List<String> list() throws IOException {
    return disk.list();
  }

  @Override
  public void syncDirectory() throws IOException {
    tap.run();
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
  public boolean link(String name, Disk target) throws IOException {
    return disk.link(name, target instanceof TapDisk tapped ? tapped.tappedDisk() : target);
  }

  private Disk tappedDisk() {
    tap.run();
    return disk;
  }

  @Override
  public void keepAside(String name) throws IOException {
    tap.run();
    disk.keepAside(name);
  }

  @Override
  public Stamp stamp(String name) throws IOException {
    return disk.stamp(name);
  }

  @Override
  public long owner() {
    return disk.owner();
  }

  @Override
  public void close() throws IOException {
    disk.close();
  }

  private final class TappedOutput implements OutputFile {
    private final OutputFile file;

    private TappedOutput(OutputFile file) {
      this.file = file;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      tap.run();
      file.write(bytes, offset, length);
    }

    @Override
    public long position() {
      return file.position();
    }

    @Override
    public void truncate(long length) throws IOException {
      tap.run();
      file.truncate(length);
    }

    @Override
    public void sync() throws IOException {
      tap.run();
      file.sync();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
