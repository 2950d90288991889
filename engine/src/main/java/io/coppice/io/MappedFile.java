// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.ClosedException;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/**
 * A finished file behind a read-only mapping. The mapping never leaves this class; its bytes are
 * copied out. It is given back when the file is closed and the last reader has left. No descriptor
 * is held meanwhile.
 *
 * <p>If a page cannot be loaded, the JVM reports an {@link InternalError}: at the copy from JDK 21
 * on, possibly later and in the middle of nowhere on 17. Once one is seen here, the file is read at
 * positions. A copy that failed in silence holds stale bytes, which the caller's checksum refuses.
 */
final class MappedFile implements Disk.InputFile {

  private final Path path;
  private final String name;
  private final Object fileKey;
  private final long length;
  private final MappingBudget budget;
  private final Mapping mapping;
  private final Gate gate = new Gate();

  /** What is read instead once a page was lost; opened on that occasion. */
  private volatile PositionalFile positional;

  private MappedFile(Path path, Object fileKey, Mapping mapping, MappingBudget budget) {
    this.path = path;
    this.name = path.getFileName().toString();
    this.fileKey = fileKey;
    this.length = mapping.buffer().capacity();
    this.mapping = mapping;
    this.budget = budget;
  }

  /**
   * Maps a file, or returns null where that cannot be done: an empty file, one of 2 GiB and more,
   * no budget, no address space.
   */
  static MappedFile map(Path path, MappingBudget budget) throws IOException {
    if (!budget.tryTake()) {
      return null;
    }
    MappedFile mapped = null;
    try {
      Object fileKey = PositionalFile.keyOf(path);
      Mapping mapping = mapOrNull(path);
      mapped = mapping == null ? null : new MappedFile(path, fileKey, mapping, budget);
    } finally {
      if (mapped == null) {
        budget.giveBack();
      }
    }
    return mapped;
  }

  private static Mapping mapOrNull(Path path) throws IOException {
    try (DeferredInterrupt interrupt = new DeferredInterrupt();
        FileChannel channel =
            FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      interrupt.absorb();
      long length = channel.size();
      return length == 0 || length > Integer.MAX_VALUE ? null : Mapping.of(channel, length);
    } catch (NoSuchFileException e) {
      throw e;
    } catch (IOException e) {
      return null;
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public void read(long position, byte[] target, int offset, int count) throws IOException {
    Objects.checkFromIndexSize(offset, count, target.length);
    if (position < 0 || position > length - count) {
      throw new EOFException(name + " ends before offset " + (position + count) + ": " + length);
    }
    if (!gate.enter()) {
      throw new ClosedException(name);
    }
    try {
      if (positional == null && copy((int) position, target, offset, count)) {
        return;
      }
      fallBack().read(position, target, offset, count);
    } finally {
      if (gate.leave()) {
        free();
      }
    }
  }

  /** Copies out of the mapping; false if a page of it is lost. */
  private boolean copy(int position, byte[] target, int offset, int count) {
    try {
      mapping.buffer().get(position, target, offset, count);
      return true;
    } catch (InternalError e) {
      return false;
    }
  }

  private synchronized PositionalFile fallBack() throws IOException {
    if (positional == null) {
      positional = PositionalFile.open(path, fileKey);
    }
    return positional;
  }

  @Override
  public void close() throws IOException {
    if (gate.close()) {
      free();
    }
  }

  private void free() throws IOException {
    mapping.unmap().run();
    budget.giveBack();
    if (positional != null) {
      positional.close();
    }
  }
}
