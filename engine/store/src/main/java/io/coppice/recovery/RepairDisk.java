// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.CorruptionException;
import io.coppice.io.Disk;
import io.coppice.io.disk.ForwardingDisk;
import java.io.EOFException;
import java.io.IOException;

/**
 * Disk that treats an unreadable part of a file as damage. If a read fails twice while the disk
 * still works otherwise, the read throws {@link CorruptionException}. All other calls go to the
 * disk below.
 */
final class RepairDisk extends ForwardingDisk {

  /** Creates a view of a disk. Closing the view closes the disk. */
  RepairDisk(Disk disk) {
    super(disk);
  }

  private record Input(Disk disk, InputFile file) implements InputFile {
    @Override
    public String name() {
      return file.name();
    }

    @Override
    public long length() {
      return file.length();
    }

    @Override
    public boolean likelyInMemory(long position, int length) {
      return file.likelyInMemory(position, length);
    }

    @Override
    public boolean mapped() {
      return file.mapped();
    }

    @Override
    public void read(long position, byte[] target, int offset, int length) throws IOException {
      try {
        file.read(position, target, offset, length);
      } catch (EOFException e) {
        throw e;
      } catch (IOException e) {
        again(position, target, offset, length);
      }
    }

    private void again(long position, byte[] target, int offset, int length) throws IOException {
      try {
        file.read(position, target, offset, length);
      } catch (EOFException e) {
        throw e;
      } catch (IOException e) {
        throw disk.unread(file.name(), position, e);
      }
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  @Override
  public InputFile open(String name) throws IOException {
    return new Input(disk, disk.open(name));
  }

  @Override
  public InputFile map(String name) throws IOException {
    return new Input(disk, disk.map(name));
  }

  /**
   * Throws the failure of a read. Reads on this disk report unreadable parts as damage themselves,
   * so this failure is of another kind.
   */
  @Override
  public CorruptionException unread(String name, long offset, IOException cause)
      throws IOException {
    throw cause;
  }

  @Override
  public void keepAside(String name) throws IOException {
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
}
