// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.DiskFullException;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/**
 * A disk that tells apart what can go on after a failure and what cannot.
 *
 * <ul>
 *   <li>After the first failed sync, of a file or of the directory, nothing is written, renamed or
 *       removed any more: a second sync may report success for bytes that are lost.
 *   <li>A full disk becomes a {@link DiskFullException}. What was being written may be there in
 *       part; whoever goes on cuts it off first. The manifest gets the {@link Reserve} then.
 *   <li>A lack of descriptors becomes an {@link OutOfFilesException}.
 * </ul>
 *
 * Safe to share between threads, as the disk below.
 */
public final class GuardedDisk implements Disk {

  /** What a new name may take: a block of most file systems. */
  private static final long NAME_BYTES = 4096;

  private final Disk disk;
  private final Reserve reserve;
  private volatile IOException stopped;
  private volatile Consumer<IOException> onStop = cause -> {};

  /** Guards a disk, which is closed with this one. */
  public GuardedDisk(Disk disk, Reserve reserve) {
    this.disk = disk;
    this.reserve = reserve;
  }

  /** Names who is told of the first failed sync, in the thread that met it. */
  public void onStop(Consumer<IOException> listener) {
    onStop = listener;
  }

  @Override
  public OutputFile create(String name) throws IOException {
    checkRunning();
    try {
      return new Output(name, disk.create(name));
    } catch (IOException e) {
      throw named(name, NAME_BYTES, e);
    }
  }

  @Override
  public InputFile open(String name) throws IOException {
    try {
      return disk.open(name);
    } catch (IOException e) {
      throw named(name, 0, e);
    }
  }

  @Override
  public InputFile map(String name) throws IOException {
    try {
      return disk.map(name);
    } catch (IOException e) {
      throw named(name, 0, e);
    }
  }

  @Override
  public SlotFile openSlots(String name) throws IOException {
    try {
      return new Slots(disk.openSlots(name));
    } catch (IOException e) {
      throw named(name, NAME_BYTES, e);
    }
  }

  @Override
  public void rename(String from, String to) throws IOException {
    checkRunning();
    disk.rename(from, to);
  }

  @Override
  public void delete(String name) throws IOException {
    checkRunning();
    disk.delete(name);
  }

  @Override
  public List<String> list() throws IOException {
    try {
      return disk.list();
    } catch (IOException e) {
      throw named(describe(), 0, e);
    }
  }

  @Override
  public void syncDirectory() throws IOException {
    checkRunning();
    try {
      disk.syncDirectory();
    } catch (IOException e) {
      throw stop("the directory", e);
    }
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

  private void checkRunning() throws IOException {
    IOException cause = stopped;
    if (cause != null) {
      throw new IOException("nothing is written after a failed sync: " + cause.getMessage(), cause);
    }
  }

  private IOException stop(String name, IOException cause) {
    IOException reason =
        new IOException(name + " could not be synced: " + cause.getMessage(), cause);
    boolean first;
    synchronized (this) {
      first = stopped == null;
      if (first) {
        stopped = reason;
      }
    }
    if (first) {
      onStop.accept(reason);
    }
    return reason;
  }

  /** The failure by its right name; a full disk is thrown at once. */
  private IOException named(String name, long neededBytes, IOException cause) {
    String text = String.valueOf(cause.getMessage());
    if (text.contains("Too many open files")) {
      return new OutOfFilesException(name, cause);
    }
    long free = freeBytesOrUnknown();
    if (text.contains("No space left on device")
        || text.contains("Disk quota exceeded")
        || text.contains("not enough space on the disk")
        || (free >= 0 && free < neededBytes)) {
      throw new DiskFullException(name, neededBytes, free, cause);
    }
    return cause;
  }

  private long freeBytesOrUnknown() {
    try {
      return disk.freeBytes();
    } catch (IOException e) {
      return -1;
    }
  }

  private final class Output implements OutputFile {
    private final String name;
    private final OutputFile file;
    private final boolean mayUseReserve;

    Output(String name, OutputFile file) {
      this.name = name;
      this.file = file;
      this.mayUseReserve =
          FileKind.MANIFEST.numberOf(name).isPresent() || name.startsWith("CURRENT");
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      checkRunning();
      long before = file.position();
      try {
        writeOnce(bytes, offset, length);
      } catch (DiskFullException e) {
        if (!mayUseReserve || !reserve.release()) {
          throw e;
        }
        file.truncate(before);
        writeOnce(bytes, offset, length);
      }
    }

    private void writeOnce(byte[] bytes, int offset, int length) throws IOException {
      try {
        file.write(bytes, offset, length);
      } catch (IOException e) {
        throw named(name, length, e);
      }
    }

    @Override
    public long position() {
      return file.position();
    }

    @Override
    public void truncate(long length) throws IOException {
      checkRunning();
      file.truncate(length);
    }

    @Override
    public void sync() throws IOException {
      checkRunning();
      try {
        file.sync();
      } catch (IOException e) {
        throw stop(name, e);
      }
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  private final class Slots implements SlotFile {
    private final SlotFile file;

    Slots(SlotFile file) {
      this.file = file;
    }

    @Override
    public String name() {
      return file.name();
    }

    @Override
    public long length() {
      return file.length();
    }

    @Override
    public void read(long position, byte[] target, int offset, int length) throws IOException {
      file.read(position, target, offset, length);
    }

    @Override
    public void write(long position, byte[] bytes, int offset, int length) throws IOException {
      checkRunning();
      try {
        file.write(position, bytes, offset, length);
      } catch (IOException e) {
        throw named(name(), length, e);
      }
    }

    @Override
    public void sync() throws IOException {
      checkRunning();
      try {
        file.sync();
      } catch (IOException e) {
        throw stop(name(), e);
      }
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
