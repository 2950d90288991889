// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Objects;

/**
 * A new file that is appended to. It stands on a {@link RandomAccessFile} since, unlike a channel,
 * that one is not closed by an interrupt. After the first failure it takes nothing more.
 */
class AppendFile implements Disk.OutputFile {

  /** The native call copies through a buffer of the size of the piece. */
  private static final int PIECE_BYTES = 64 << 10;

  final RandomAccessFile file;
  private final String name;
  private volatile long position;
  private volatile IOException failure;
  private volatile boolean syncFailed;

  AppendFile(String name, RandomAccessFile file) {
    this.name = name;
    this.file = file;
  }

  /** Opens a file that was just created and is empty. */
  static AppendFile open(Path path) throws IOException {
    return new AppendFile(path.getFileName().toString(), new RandomAccessFile(path.toFile(), "rw"));
  }

  @Override
  public final void write(byte[] bytes, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    checkUsable();
    try {
      append(bytes, offset, length);
    } catch (IOException e) {
      throw fail("write of " + length + " bytes at offset " + position, e);
    }
    position += length;
  }

  /** Puts bytes where {@link #position} is. */
  void append(byte[] bytes, int offset, int length) throws IOException {
    int end = offset + length;
    for (int from = offset; from < end; from += PIECE_BYTES) {
      file.write(bytes, from, Math.min(PIECE_BYTES, end - from));
    }
  }

  @Override
  public final long position() {
    return position;
  }

  @Override
  public final void truncate(long length) throws IOException {
    if (length < 0 || length > position) {
      throw new IllegalArgumentException(name + " has " + position + " bytes, not " + length);
    }
    if (syncFailed) {
      checkUsable();
    }
    try {
      cut(length);
    } catch (IOException e) {
      throw fail("truncation to " + length + " bytes", e);
    }
    position = length;
    failure = null;
  }

  /** Cuts off what lies behind, and goes on there. */
  void cut(long length) throws IOException {
    file.setLength(length);
    file.seek(length);
  }

  @Override
  public final void sync() throws IOException {
    // What an append left that failed is cut off afterwards, and that is synced again.
    if (syncFailed) {
      checkUsable();
    }
    try {
      file.getFD().sync();
    } catch (IOException e) {
      syncFailed = true;
      throw fail("sync", e);
    }
  }

  @Override
  public void close() throws IOException {
    file.close();
  }

  final IOException fail(String operation, IOException cause) {
    failure = new IOException(name + ": " + operation + " failed: " + cause.getMessage(), cause);
    return failure;
  }

  final void checkUsable() throws IOException {
    if (failure != null) {
      throw new IOException(name + " failed before: " + failure.getMessage(), failure);
    }
  }
}
