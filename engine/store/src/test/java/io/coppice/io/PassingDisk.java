// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.io.disk.ForwardingDisk;
import java.io.IOException;

/**
 * A disk that passes everything on to another; what a disk of a test does besides, it overrides. It
 * gives no links and no stamps: a link would go past the disk that is to see what is written.
 */
public abstract class PassingDisk extends ForwardingDisk {

  /** Passes on to this disk, which is closed with this one. */
  protected PassingDisk(Disk disk) {
    super(disk);
  }

  @Override
  public void keepAside(String name) throws IOException {
    disk.keepAside(name);
  }

  /** A file that passes everything on. */
  protected static class PassingOutput implements OutputFile {
    /** The file below. */
    protected final OutputFile file;

    /** Passes on to this file. */
    protected PassingOutput(OutputFile file) {
      this.file = file;
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      file.write(bytes, offset, length);
    }

    @Override
    public long position() {
      return file.position();
    }

    @Override
    public void truncate(long length) throws IOException {
      file.truncate(length);
    }

    @Override
    public void cutAhead() throws IOException {
      file.cutAhead();
    }

    @Override
    public void sync() throws IOException {
      file.sync();
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  /** A file that passes everything on. */
  protected static class PassingInput implements InputFile {
    /** The file below. */
    protected final InputFile file;

    /** Passes on to this file. */
    protected PassingInput(InputFile file) {
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
    public boolean mapped() {
      return file.mapped();
    }

    @Override
    public void read(long position, byte[] target, int offset, int length) throws IOException {
      file.read(position, target, offset, length);
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  /** A file that passes everything on. */
  protected static class PassingSlots extends PassingInput implements SlotFile {
    /** The file below. */
    protected final SlotFile slots;

    /** Passes on to this file. */
    protected PassingSlots(SlotFile slots) {
      super(slots);
      this.slots = slots;
    }

    @Override
    public void write(long position, byte[] bytes, int offset, int length) throws IOException {
      slots.write(position, bytes, offset, length);
    }

    @Override
    public void truncate(long length) throws IOException {
      slots.truncate(length);
    }

    @Override
    public void sync() throws IOException {
      slots.sync();
    }
  }
}
