// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.io.Disk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Objects;

/**
 * File with positional reads and with writes in place, one at a time. Safe to share between
 * threads.
 */
public final class RealSlotFile implements Disk.SlotFile {

  private final PositionalFile reads;
  private final RandomAccessFile writes;

  @GuardedBy("this")
  private long length;

  RealSlotFile(PositionalFile reads, RandomAccessFile writes) {
    this.reads = reads;
    this.writes = writes;
    this.length = reads.length();
  }

  /** Opens an existing file. */
  public static RealSlotFile open(Path path) throws IOException {
    PositionalFile reads = PositionalFile.open(path);
    try {
      return new RealSlotFile(reads, new RandomAccessFile(path.toFile(), "rw"));
    } catch (IOException e) {
      reads.close();
      throw e;
    }
  }

  @Override
  public String name() {
    return reads.name();
  }

  @Override
  public synchronized long length() {
    return length;
  }

  @Override
  public void read(long position, byte[] target, int offset, int count) throws IOException {
    reads.read(position, target, offset, count);
  }

  @Override
  public synchronized void write(long position, byte[] bytes, int offset, int count)
      throws IOException {
    Objects.checkFromIndexSize(offset, count, bytes.length);
    writes.seek(position);
    writes.write(bytes, offset, count);
    length = Math.max(length, position + count);
  }

  @Override
  public synchronized void truncate(long newLength) throws IOException {
    writes.setLength(newLength);
    length = newLength;
  }

  @Override
  public void sync() throws IOException {
    writes.getFD().sync();
  }

  @Override
  public void close() throws IOException {
    try (reads) {
      writes.close();
    }
  }
}
