// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import io.coppice.io.Disk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Objects;

/**
 * Append-only file that survives interrupts. It uses a {@link RandomAccessFile}, because an
 * interrupt closes a channel. After a failed write or truncation, writes throw IOException until a
 * {@link #truncate} succeeds. After a failed sync, every write, truncation and sync throws
 * IOException. Only one thread appends at a time.
 */
public class AppendFile implements Disk.OutputFile {

  /**
   * Largest number of bytes per write call, because the native call copies through a buffer of the
   * same size.
   */
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
  public static AppendFile open(Path path) throws IOException {
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

  /** Appends bytes at {@link #position}. */
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
      throw new IllegalArgumentException(
          name + ": length (" + length + ") must be in 0.." + position);
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

  /** Cuts the file to a length; the next append continues there. */
  void cut(long length) throws IOException {
    file.setLength(length);
    file.seek(length);
  }

  @Override
  public final void sync() throws IOException {
    // A failed append does not prevent this sync: the caller cuts off its bytes afterwards and
    // syncs again.
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
      throw new IOException(
          name + " accepts no writes after an earlier failure: " + failure.getMessage(), failure);
    }
  }
}
