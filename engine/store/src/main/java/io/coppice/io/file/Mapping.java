// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Mapped part of a file that can be unmapped immediately instead of after a garbage collection. An
 * access after unmapping may crash the process. Only {@link MappedFile}, behind its {@link
 * AccessCounter}, and {@link MappedLogFile}, under its lock, therefore hold one.
 */
public record Mapping(ByteBuffer buffer, Runnable unmap) {

  private static final Mapper MAPPER = find();

  /** Way to map and unmap files on this JVM. */
  interface Mapper {
    Mapping map(FileChannel channel, FileChannel.MapMode mode, long position, long length)
        throws IOException;
  }

  /** Returns whether this JVM can unmap. Otherwise files are not mapped. */
  public static boolean isAvailable() {
    return MAPPER != null;
  }

  /**
   * Maps the first {@code length} bytes of a file for reading. Requires {@link #isAvailable}.
   *
   * @param length 1 to {@link Integer#MAX_VALUE}; not checked
   */
  static Mapping of(FileChannel channel, long length) throws IOException {
    return MAPPER.map(channel, FileChannel.MapMode.READ_ONLY, 0, length);
  }

  /**
   * Maps existing bytes of a file for reading and writing. Requires {@link #isAvailable}.
   *
   * @param position offset of the first byte in the file
   * @param length 1 to {@link Integer#MAX_VALUE}; not checked
   */
  static Mapping toWrite(FileChannel channel, long position, long length) throws IOException {
    return MAPPER.map(channel, FileChannel.MapMode.READ_WRITE, position, length);
  }

  /**
   * Returns a mapper for this JVM: one that uses arenas where they are final, because the older way
   * is deprecated with a warning there.
   */
  private static Mapper find() {
    try {
      return Runtime.version().feature() >= 22 ? new ArenaMapper() : new CleanerMapper();
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null;
    }
  }
}
