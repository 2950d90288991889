// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.io.DiskOp.Kind;
import io.coppice.io.disk.CallSite;
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
    /** It is done after its successor, and that not after the next one. */
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
  private final Runnable effect;

  /** An operation that waits for its successor; null if none does. */
  private Action held;

  /** True if what is read meanwhile does not show that it was not done yet. */
  private boolean heldSync;

  /** The file whose creation waits; null if none does. */
  private Output heldFile;

  /** Spoils the chosen operations of a disk. */
  public SpoiltDisk(Disk disk, Manner manner, Choice choice) {
    this(disk, manner, choice, () -> {});
  }

  /**
   * As above.
   *
   * @param effect told of each operation that is left out, or that comes after its successor,
   *     between the two
   */
  public SpoiltDisk(Disk disk, Manner manner, Choice choice, Runnable effect) {
    super(disk);
    this.manner = manner;
    this.choice = choice;
    this.effect = effect;
  }

  /**
   * Carries an operation out, or not, or later.
   *
   * @param on the file, if it is one that is being written; what waits for its creation comes after
   *     that, whatever is chosen
   */
  private void perform(Kind kind, String name, Output on, Action action) throws IOException {
    if (on != null && on == heldFile) {
      end();
    }
    boolean chosen = choice.test(kind, name, CallSite.ofCaller());
    if (chosen && manner == Manner.DROPPED) {
      effect.run();
    } else if (chosen && held == null) {
      held = action;
      heldSync = kind == Kind.SYNC || kind == Kind.SYNC_DIRECTORY;
      heldFile = kind == Kind.CREATE ? on : null;
    } else {
      Action before = held;
      held = null;
      heldFile = null;
      try {
        action.run();
      } finally {
        if (before != null) {
          effect.run();
          before.run();
        }
      }
    }
  }

  /** What is read must have been written. */
  private void catchUp() throws IOException {
    if (!heldSync) {
      end();
    }
  }

  private void end() throws IOException {
    Action before = held;
    held = null;
    heldFile = null;
    if (before != null) {
      before.run();
    }
  }

  private void close(Action closing) throws IOException {
    Action before = held;
    if (before == null) {
      closing.run();
    } else {
      held =
          () -> {
            before.run();
            closing.run();
          };
    }
  }

  @Override
  public OutputFile create(String name) throws IOException {
    Output file = new Output(name);
    perform(Kind.CREATE, name, file, () -> file.file = disk.create(name));
    return file;
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
    if (choice.test(Kind.OPEN, name, CallSite.ofCaller()) && manner == Manner.DROPPED) {
      effect.run();
      return new MemDisk().openSlots(name);
    }
    return new Slots(disk.openSlots(name));
  }

  @Override
  public void rename(String from, String to) throws IOException {
    perform(Kind.RENAME, to, null, () -> disk.rename(from, to));
  }

  @Override
  public void delete(String name) throws IOException {
    perform(Kind.DELETE, name, null, () -> disk.delete(name));
  }

  @Override
  public List<String> list() throws IOException {
    catchUp();
    return disk.list();
  }

  @Override
  public void syncDirectory() throws IOException {
    perform(Kind.SYNC_DIRECTORY, "", null, disk::syncDirectory);
  }

  @Override
  public void keepAside(String name) throws IOException {
    perform(Kind.KEEP_ASIDE, name, null, () -> disk.keepAside(name));
  }

  @Override
  public void close() throws IOException {
    end();
    disk.close();
  }

  private final class Output implements OutputFile {
    /** Null if it was not created, or not yet. */
    private OutputFile file;

    private final String name;
    private long position;

    Output(String name) {
      this.name = name;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      byte[] copy = new byte[length];
      System.arraycopy(bytes, offset, copy, 0, length);
      perform(
          Kind.WRITE,
          name,
          this,
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
          this,
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
          this,
          () -> {
            if (file != null) {
              file.sync();
            }
          });
    }

    @Override
    public void close() throws IOException {
      SpoiltDisk.this.close(
          () -> {
            if (file != null) {
              file.close();
            }
          });
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
      perform(Kind.WRITE, name(), null, () -> slots.write(position, copy, 0, length));
    }

    @Override
    public void truncate(long length) throws IOException {
      perform(Kind.TRUNCATE, name(), null, () -> slots.truncate(length));
    }

    @Override
    public void sync() throws IOException {
      perform(Kind.SYNC, name(), null, slots::sync);
    }

    @Override
    public void close() throws IOException {
      SpoiltDisk.this.close(file::close);
    }
  }
}
