// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * A part of a file in memory, that can be given back at once instead of some day after a
 * collection. An access after that may end the process: only {@link MappedFile}, behind its {@link
 * Gate}, and {@link LogFile}, under its lock, hold one.
 */
record Mapping(ByteBuffer buffer, Runnable unmap) {

  private static final Mapper MAPPER = find();

  /** How this JVM maps and unmaps. */
  interface Mapper {
    Mapping map(FileChannel channel, FileChannel.MapMode mode, long position, long length)
        throws IOException;
  }

  /** False where mappings could not be given back; files are not mapped there. */
  static boolean isAvailable() {
    return MAPPER != null;
  }

  /** Maps the first bytes of a file to read them, up to 2 GiB - 1. */
  static Mapping of(FileChannel channel, long length) throws IOException {
    return MAPPER.map(channel, FileChannel.MapMode.READ_ONLY, 0, length);
  }

  /** Maps bytes that are in the file, up to 2 GiB - 1, to change them. */
  static Mapping toWrite(FileChannel channel, long position, long length) throws IOException {
    return MAPPER.map(channel, FileChannel.MapMode.READ_WRITE, position, length);
  }

  /**
   * Arenas where they are no preview any more; the older way is deprecated with a warning there.
   */
  private static Mapper find() {
    try {
      return Runtime.version().feature() >= 22 ? new ArenaMapper() : new CleanerMapper();
    } catch (ReflectiveOperationException | RuntimeException e) {
      return null;
    }
  }
}
