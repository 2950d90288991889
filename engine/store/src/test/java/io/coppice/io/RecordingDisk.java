// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.io.DiskOp.Kind;
import io.coppice.io.disk.CallSite;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * A disk that writes down every operation that changes it, once it has succeeded. The order is that
 * in which the disk below did them. Safe to share between threads.
 */
public final class RecordingDisk extends PassingDisk {

  private static final byte[] NONE = {};

  private final LongSupplier least;
  private final LongSupplier most;
  private final Map<String, Integer> files = new HashMap<>();
  private final List<DiskOp> ops = new ArrayList<>();
  private int fileCount;
  private boolean recording = true;

  /**
   * Records what is done to a disk.
   *
   * @param least how many writes are acknowledged as durable now
   * @param most how many writes have begun
   */
  public RecordingDisk(Disk disk, LongSupplier least, LongSupplier most) throws IOException {
    super(disk);
    this.least = least;
    this.most = most;
    for (String name : DiskImage.ordered(disk.list())) {
      files.put(name, fileCount++);
    }
  }

  /** What was recorded so far; a copy. */
  public synchronized List<DiskOp> ops() {
    return List.copyOf(ops);
  }

  /** How many operations were recorded so far. */
  public synchronized int count() {
    return ops.size();
  }

  /** Records nothing more. */
  public synchronized void stop() {
    recording = false;
  }

  private void note(Kind kind, int file, String name, String other, long position, byte[] bytes) {
    if (recording) {
      ops.add(
          new DiskOp(
              kind,
              file,
              name,
              other,
              position,
              bytes,
              CallSite.ofCaller(),
              least.getAsLong(),
              most.getAsLong()));
    }
  }

  @Override
  public synchronized OutputFile create(String name) throws IOException {
    OutputFile file = disk.create(name);
    int id = begin(name);
    return new Output(file, id, name);
  }

  private int begin(String name) {
    int id = fileCount++;
    files.put(name, id);
    note(Kind.CREATE, id, name, "", 0, NONE);
    return id;
  }

  @Override
  public synchronized SlotFile openSlots(String name) throws IOException {
    SlotFile file = disk.openSlots(name);
    Integer known = files.get(name);
    if (known == null) {
      return new Slots(file, begin(name));
    }
    note(Kind.OPEN, known, name, "", 0, NONE);
    return new Slots(file, known);
  }

  @Override
  public synchronized void rename(String from, String to) throws IOException {
    disk.rename(from, to);
    int id = files.remove(from);
    files.put(to, id);
    note(Kind.RENAME, id, from, to, 0, NONE);
  }

  @Override
  public synchronized void delete(String name) throws IOException {
    disk.delete(name);
    Integer id = files.remove(name);
    if (id != null) {
      note(Kind.DELETE, id, name, "", 0, NONE);
    }
  }

  @Override
  public synchronized void syncDirectory() throws IOException {
    disk.syncDirectory();
    note(Kind.SYNC_DIRECTORY, -1, "", "", 0, NONE);
  }

  @Override
  public synchronized void keepAside(String name) throws IOException {
    disk.keepAside(name);
    note(Kind.KEEP_ASIDE, files.get(name), name, "", 0, NONE);
  }

  private void write(int id, String name, long position, byte[] bytes, int offset, int length) {
    note(Kind.WRITE, id, name, "", position, Arrays.copyOfRange(bytes, offset, offset + length));
  }

  private final class Output extends PassingOutput {
    private final int id;
    private final String name;

    Output(OutputFile file, int id, String name) {
      super(file);
      this.id = id;
      this.name = name;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      synchronized (RecordingDisk.this) {
        long position = file.position();
        file.write(bytes, offset, length);
        RecordingDisk.this.write(id, name, position, bytes, offset, length);
      }
    }

    @Override
    public void truncate(long length) throws IOException {
      synchronized (RecordingDisk.this) {
        file.truncate(length);
        note(Kind.TRUNCATE, id, name, "", length, NONE);
      }
    }

    @Override
    public void sync() throws IOException {
      synchronized (RecordingDisk.this) {
        file.sync();
        note(Kind.SYNC, id, name, "", 0, NONE);
      }
    }
  }

  private final class Slots extends PassingSlots {
    private final int id;

    Slots(SlotFile file, int id) {
      super(file);
      this.id = id;
    }

    @Override
    public void write(long position, byte[] bytes, int offset, int length) throws IOException {
      synchronized (RecordingDisk.this) {
        slots.write(position, bytes, offset, length);
        RecordingDisk.this.write(id, name(), position, bytes, offset, length);
      }
    }

    @Override
    public void truncate(long length) throws IOException {
      synchronized (RecordingDisk.this) {
        slots.truncate(length);
        note(Kind.TRUNCATE, id, name(), "", length, NONE);
      }
    }

    @Override
    public void sync() throws IOException {
      synchronized (RecordingDisk.this) {
        slots.sync();
        note(Kind.SYNC, id, name(), "", 0, NONE);
      }
    }
  }
}
