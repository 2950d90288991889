// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.IOException;

/** A disk that calls a tap before every operation that changes something. */
public final class TapDisk extends PassingDisk {

  private final Runnable tap;

  /** Wraps a disk. */
  public TapDisk(Disk disk, Runnable tap) {
    super(disk);
    this.tap = tap;
  }

  @Override
  public OutputFile create(String name) throws IOException {
    tap.run();
    return new Output(disk.create(name));
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
  public void syncDirectory() throws IOException {
    tap.run();
    disk.syncDirectory();
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

  private final class Output extends PassingOutput {
    private Output(OutputFile file) {
      super(file);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      tap.run();
      file.write(bytes, offset, length);
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
  }
}
