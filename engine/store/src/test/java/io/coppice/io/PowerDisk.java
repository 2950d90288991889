// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.bytes.Checksum;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A disk that can be switched off before any operation that changes something, and that tells of
 * each of them. From then on nothing reaches the disk below, and every operation fails; only
 * closing works. Safe to share between threads.
 */
public final class PowerDisk extends PassingDisk {

  /** Null if the disk below is another one. */
  private final MemDisk memory;

  private final Consumer<String> trace;
  private long operations;
  private long cutBefore = Long.MAX_VALUE;

  /** Wraps a disk. */
  public PowerDisk(MemDisk disk) {
    this(disk, null);
  }

  /**
   * Wraps a disk.
   *
   * @param trace told of each operation that changes something, before it happens, as one line;
   *     null for nobody
   */
  public PowerDisk(MemDisk disk, Consumer<String> trace) {
    this(disk, disk, trace);
  }

  private PowerDisk(Disk disk, MemDisk memory, Consumer<String> trace) {
    super(disk);
    this.memory = memory;
    this.trace = trace;
  }

  /**
   * Wraps a disk of the file system: what was written before it is switched off is there
   * afterwards, synced or not, as when a process is killed.
   */
  public static PowerDisk ofProcess(Disk disk) {
    return new PowerDisk(disk, null, null);
  }

  /** The disk below. */
  public MemDisk below() {
    return memory;
  }

  /** Operations so far that changed something. */
  public synchronized long operations() {
    return operations;
  }

  /** Switches off before the n-th operation from now on, n from 1; 0 means now. */
  public synchronized void cutBefore(long n) {
    cutBefore = n == 0 ? operations : operations + n;
  }

  /** True once it is switched off. */
  public synchronized boolean off() {
    return operations >= cutBefore;
  }

  private synchronized void change(Supplier<String> what) throws IOException {
    checkOn();
    operations++;
    checkOn();
    if (trace != null) {
      trace.accept(what.get());
    }
  }

  private void checkOn() throws IOException {
    if (off()) {
      throw new IOException("the power is off");
    }
  }

  @Override
  public OutputFile create(String name) throws IOException {
    change(() -> "create " + name);
    return new Output(name, disk.create(name));
  }

  @Override
  public InputFile open(String name) throws IOException {
    checkOn();
    return disk.open(name);
  }

  @Override
  public InputFile map(String name) throws IOException {
    checkOn();
    return disk.map(name);
  }

  @Override
  public SlotFile openSlots(String name) throws IOException {
    change(() -> "slots " + name);
    return new Slots(name, disk.openSlots(name));
  }

  @Override
  public void rename(String from, String to) throws IOException {
    change(() -> "rename " + from + " " + to);
    disk.rename(from, to);
  }

  @Override
  public void delete(String name) throws IOException {
    change(() -> "delete " + name);
    disk.delete(name);
  }

  @Override
  public List<String> list() throws IOException {
    checkOn();
    return disk.list();
  }

  @Override
  public void syncDirectory() throws IOException {
    change(() -> "sync directory");
    disk.syncDirectory();
  }

  @Override
  public BlockReader blockReader(BlockReaderOptions options) {
    return disk.blockReader(options);
  }

  @Override
  public void close() {
    try {
      disk.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String digest(byte[] bytes, int offset, int length) {
    return length + " bytes " + Integer.toHexString(Checksum.of(0, 0, bytes, offset, length));
  }

  private final class Output extends PassingOutput {
    private final String name;

    Output(String name, OutputFile file) {
      super(file);
      this.name = name;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      change(() -> "write " + name + " " + digest(bytes, offset, length));
      file.write(bytes, offset, length);
    }

    @Override
    public void truncate(long length) throws IOException {
      change(() -> "truncate " + name + " " + length);
      file.truncate(length);
    }

    /** Changes nothing on a disk in memory, so it is not counted there. */
    @Override
    public void cutAhead() throws IOException {
      if (memory == null) {
        checkOn();
        file.cutAhead();
      }
    }

    @Override
    public void sync() throws IOException {
      change(() -> "sync " + name);
      file.sync();
    }
  }

  private final class Slots extends PassingSlots {
    private final String name;

    Slots(String name, SlotFile file) {
      super(file);
      this.name = name;
    }

    @Override
    public void read(long position, byte[] target, int offset, int length) throws IOException {
      checkOn();
      file.read(position, target, offset, length);
    }

    @Override
    public void write(long position, byte[] bytes, int offset, int length) throws IOException {
      change(() -> "write " + name + " at " + position + " " + digest(bytes, offset, length));
      slots.write(position, bytes, offset, length);
    }

    @Override
    public void truncate(long length) throws IOException {
      change(() -> "truncate " + name + " " + length);
      slots.truncate(length);
    }

    @Override
    public void sync() throws IOException {
      change(() -> "sync " + name);
      slots.sync();
    }
  }
}
