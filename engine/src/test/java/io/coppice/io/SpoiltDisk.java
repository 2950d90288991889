// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.io.DiskOp.Kind;
import java.io.IOException;
import java.util.List;

/**
 * A disk on which some operations are not done, or only after the next one. Used by one thread at a
 * time.
 */
public final class SpoiltDisk extends PassingDisk {

  /** What is done to an operation. */
  public enum Manner {
    /** It is not done, and reports success. */
    DROPPED,
    /** It is done after its successor. */
    SWAPPED
  }

  /** Which operations are meant. */
  public interface Choice {
    /** True if this one is. */
    boolean test(Kind kind, String name, CallSite site);
  }

  private interface Action {
    void run() throws IOException;
  }

  private final Manner manner;
  private final Choice choice;
  private Action delayed;
  private boolean delayedSync;

  /** Spoils the chosen operations of a disk. */
  public SpoiltDisk(Disk disk, Manner manner, Choice choice) {
    super(disk);
    this.manner = manner;
    this.choice = choice;
  }

  private void perform(Kind kind, String name, Action action) throws IOException {
    Action before = delayed;
    delayed = null;
    if (choice.test(kind, name, CallSite.ofCaller())) {
      if (manner == Manner.SWAPPED) {
        catchUp(before);
        delayed = action;
        delayedSync = kind == Kind.SYNC || kind == Kind.SYNC_DIRECTORY;
        return;
      }
    } else {
      action.run();
    }
    catchUp(before);
  }

  private static void catchUp(Action action) throws IOException {
    if (action != null) {
      action.run();
    }
  }

  /** What is read must have been written. */
  private void catchUp() throws IOException {
    if (!delayedSync) {
      end();
    }
  }

  private void end() throws IOException {
    Action before = delayed;
    delayed = null;
    catchUp(before);
  }

  private void close(Action closing) throws IOException {
    Action before = delayed;
    if (before == null) {
      closing.run();
    } else {
      delayed =
          () -> {
            before.run();
            closing.run();
          };
    }
  }

  @Override
  public OutputFile create(String name) throws IOException {
    if (choice.test(Kind.CREATE, name, CallSite.ofCaller()) && manner == Manner.DROPPED) {
      return new Output(null, name);
    }
    Action before = delayed;
    delayed = null;
    OutputFile file = disk.create(name);
    catchUp(before);
    return new Output(file, name);
  }

  @Override
  public InputFile open(String name) throws IOException {
    catchUp();
    return disk.open(name);
  }

  @Override
  public InputFile map(String name) throws IOException {
    catchUp();
    return disk.map(name);
  }

  @Override
  public SlotFile openSlots(String name) throws IOException {
    catchUp();
    return new Slots(disk.openSlots(name));
  }

  @Override
  public void rename(String from, String to) throws IOException {
    perform(Kind.RENAME, to, () -> disk.rename(from, to));
  }

  @Override
  public void delete(String name) throws IOException {
    perform(Kind.DELETE, name, () -> disk.delete(name));
  }

  @Override
  public List<String> list() throws IOException {
    catchUp();
    return disk.list();
  }

  @Override
  public void syncDirectory() throws IOException {
    perform(Kind.SYNC_DIRECTORY, "", disk::syncDirectory);
  }

  @Override
  public void close() throws IOException {
    end();
    disk.close();
  }

  private final class Output implements OutputFile {
    /** Null if it was not created. */
    private final OutputFile file;

    private final String name;
    private long position;

    Output(OutputFile file, String name) {
      this.file = file;
      this.name = name;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      byte[] copy = new byte[length];
      System.arraycopy(bytes, offset, copy, 0, length);
      perform(
          Kind.WRITE,
          name,
          () -> {
            if (file != null) {
              file.write(copy, 0, length);
            }
          });
      position += length;
    }

    @Override
    public long position() {
      return position;
    }

    @Override
    public void truncate(long length) throws IOException {
      perform(
          Kind.TRUNCATE,
          name,
          () -> {
            if (file != null && length <= file.position()) {
              file.truncate(length);
            }
          });
      position = length;
    }

    @Override
    public void sync() throws IOException {
      perform(
          Kind.SYNC,
          name,
          () -> {
            if (file != null) {
              file.sync();
            }
          });
    }

    @Override
    public void close() throws IOException {
      if (file != null) {
        SpoiltDisk.this.close(file::close);
      }
    }
  }

  private final class Slots extends PassingSlots {
    Slots(SlotFile file) {
      super(file);
    }

    @Override
    public void write(long position, byte[] bytes, int offset, int length) throws IOException {
      byte[] copy = new byte[length];
      System.arraycopy(bytes, offset, copy, 0, length);
      perform(Kind.WRITE, name(), () -> slots.write(position, copy, 0, length));
    }

    @Override
    public void sync() throws IOException {
      perform(Kind.SYNC, name(), slots::sync);
    }

    @Override
    public void close() throws IOException {
      SpoiltDisk.this.close(file::close);
    }
  }
}
