// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.disk;

import io.coppice.base.DiskFullException;
import io.coppice.base.LockedException;
import io.coppice.io.BlockReader;
import io.coppice.io.BlockReaderOptions;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.TooManyOpenFilesException;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;

/**
 * Disk that stops writing after failures that make its content uncertain, and reports the others by
 * type.
 *
 * <ul>
 *   <li>After the first failed sync, of a file or of the directory, it rejects every write, rename
 *       and removal: a second sync may report success for lost bytes.
 *   <li>A full disk becomes a {@link DiskFullException}. A part of the write may be in the file,
 *       and a caller that continues cuts it off first. A write to the manifest or {@code CURRENT}
 *       then gets the {@link DiskSpaceReserve}.
 *   <li>A lack of descriptors becomes an {@link TooManyOpenFilesException}.
 *   <li>If another store has taken the directory, for whatever reason, the disk stops too: see
 *       {@link OwnershipCheck}. It checks this before a name is created, changed or removed, before
 *       bytes go to the manifest or to slots, and after each sync except that of slots. Durable
 *       bytes therefore still belong to this store.
 * </ul>
 *
 * <p>Safe to share between threads, like the disk below.
 */
public final class FailStopDisk extends ForwardingDisk {

  /** Bytes that the creation of a name may need: a block of most file systems. */
  private static final long NAME_BYTES = 4096;

  private final DiskSpaceReserve reserve;
  private final OwnershipCheck ownership;
  private volatile IOException stopped;
  private volatile Consumer<IOException> onStop = cause -> {};

  /** Creates a view of a disk. Closing the view closes the disk. */
  public FailStopDisk(Disk disk, DiskSpaceReserve reserve) {
    super(disk);
    this.reserve = reserve;
    this.ownership = new OwnershipCheck(disk);
  }

  /**
   * Sets the listener that is called once, with the reason, in the thread that stops the disk. It
   * replaces another one, and misses a stop before.
   */
  public void onStop(Consumer<IOException> listener) {
    onStop = listener;
  }

  @Override
  public OutputFile create(String name) throws IOException {
    checkOwned();
    return naming(name, NAME_BYTES, () -> new Output(name, disk.create(name)));
  }

  @Override
  public InputFile open(String name) throws IOException {
    return naming(
        name,
        0,
        () -> {
          ownership.reads(name);
          return disk.open(name);
        });
  }

  @Override
  public InputFile map(String name) throws IOException {
    return naming(name, 0, () -> disk.map(name));
  }

  @Override
  public SlotFile openSlots(String name) throws IOException {
    return naming(name, NAME_BYTES, () -> new Slots(disk.openSlots(name)));
  }

  @Override
  public void rename(String from, String to) throws IOException {
    checkOwned();
    try {
      ownership.rename(from, to);
    } catch (IOException e) {
      // The error decides, whatever the free bytes are: other errors leave the outcome unknown.
      throw named(to, 0, e);
    }
  }

  @Override
  public void delete(String name) throws IOException {
    checkOwned();
    disk.delete(name);
  }

  @Override
  public List<String> list() throws IOException {
    return naming(describe(), 0, disk::list);
  }

  @Override
  public void syncDirectory() throws IOException {
    checkRunning();
    try {
      disk.syncDirectory();
    } catch (IOException e) {
      throw unsynced("the directory", e);
    }
    checkOwned();
  }

  @Override
  public boolean link(String name, Disk target) throws IOException {
    return disk.link(name, target instanceof FailStopDisk guarded ? guarded.disk : target);
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
  public BlockReader blockReader(BlockReaderOptions options) {
    return disk.blockReader(options);
  }

  private interface Call<T> {
    T run() throws IOException;
  }

  private <T> T naming(String name, long neededBytes, Call<T> call) throws IOException {
    try {
      return call.run();
    } catch (IOException e) {
      throw named(name, neededBytes, e);
    }
  }

  private void checkRunning() throws IOException {
    IOException cause = stopped;
    if (cause != null) {
      throw new IOException(
          "writes are disabled after an earlier failure: " + cause.getMessage(), cause);
    }
  }

  private void checkOwned() throws IOException {
    checkRunning();
    try {
      ownership.check();
    } catch (LockedException e) {
      throw stop(new IOException(e.getMessage(), e));
    }
  }

  private IOException unsynced(String name, IOException cause) {
    return stop(new IOException(name + " could not be synced: " + cause.getMessage(), cause));
  }

  private IOException stop(IOException reason) {
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

  /** Returns whether a failure means that the disk, or the user's quota on it, is full. */
  static boolean reportsFullDisk(IOException failure) {
    String text = String.valueOf(failure.getMessage());
    return text.contains("No space left on device")
        || text.contains("Disk quota exceeded")
        || text.contains("not enough space on the disk");
  }

  /**
   * Returns a failure as its specific exception, for example for a lack of descriptors. Throws at
   * once if the disk is full.
   *
   * @param neededBytes bytes that the failed operation needed; with less free space, the disk
   *     counts as full
   */
  private IOException named(String name, long neededBytes, IOException cause) {
    String text = String.valueOf(cause.getMessage());
    if (text.contains("Too many open files")) {
      return new TooManyOpenFilesException(name, cause);
    }
    long free = freeBytesOrUnknown();
    if (reportsFullDisk(cause) || (free >= 0 && free < neededBytes)) {
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
    private final boolean manifest;
    private final boolean mayUseReserve;

    Output(String name, OutputFile file) {
      this.name = name;
      this.file = file;
      this.manifest = FileKind.MANIFEST.numberOf(name).isPresent();
      this.mayUseReserve = manifest || name.startsWith("CURRENT");
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (manifest) {
        checkOwned();
      } else {
        checkRunning();
      }
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
    public void cutAhead() throws IOException {
      checkRunning();
      file.cutAhead();
    }

    @Override
    public void sync() throws IOException {
      checkRunning();
      try {
        file.sync();
      } catch (IOException e) {
        throw unsynced(name, e);
      }
      checkOwned();
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
    public boolean likelyInMemory(long position, int length) {
      return file.likelyInMemory(position, length);
    }

    @Override
    public void read(long position, byte[] target, int offset, int length) throws IOException {
      file.read(position, target, offset, length);
    }

    @Override
    public void write(long position, byte[] bytes, int offset, int length) throws IOException {
      checkOwned();
      try {
        file.write(position, bytes, offset, length);
      } catch (IOException e) {
        throw named(name(), length, e);
      }
    }

    @Override
    public void truncate(long length) throws IOException {
      checkOwned();
      file.truncate(length);
    }

    @Override
    public void sync() throws IOException {
      checkRunning();
      try {
        file.sync();
      } catch (IOException e) {
        throw unsynced(name(), e);
      }
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }
}
