// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import io.coppice.base.ClosedException;
import io.coppice.io.uring.AlignedMemory;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Objects;
import java.util.Set;

/**
 * File with positional reads by any number of threads. An interrupt of one of them closes the
 * channel for all, so the next read reopens it, and the interrupt is restored for its thread. If
 * the descriptor budget has no room, each read opens the file. Safe to share between threads.
 */
public final class PositionalFile extends RealFile {

  /**
   * Largest number of bytes per read call. A channel reads into an array through a direct buffer of
   * the same size, which it keeps per thread.
   */
  private static final int PIECE_BYTES = 64 << 10;

  /** Limit of reopenings per read. Only a thread that is interrupted in a loop reaches it. */
  private static final int MAX_REOPENS = 10_000;

  private static final Set<OpenOption> OPTIONS =
      Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);

  /** Value of the parameter {@code needed} if the whole buffer is needed. */
  private static final int FULLY = -1;

  /** Way to open a channel for reading. Safe to share between threads. */
  public interface Opener {
    FileChannel open(Path path) throws IOException;
  }

  private final Opener opener;

  /** Channel of the file; null if each read opens the file. */
  private volatile FileChannel channel;

  /** Budget that counts the channel, or null if none does. */
  private DescriptorBudget counted;

  /** Page residency of the file; null if it is not tracked. */
  private PageResidency residency;

  private PositionalFile(
      Path path, Object fileKey, Opener opener, FileChannel channel, long length) {
    super(path, fileKey, length);
    this.opener = opener;
    this.channel = channel;
  }

  public static PositionalFile open(Path path) throws IOException {
    return open(path, keyOf(path));
  }

  /**
   * Opens the file at a path if it is still the one with this key. The caller closes it.
   *
   * @param fileKey result of {@link #keyOf} at an earlier time
   * @throws NoSuchFileException if it is missing, or another file has replaced it
   */
  public static PositionalFile open(Path path, Object fileKey) throws IOException {
    return open(path, fileKey, file -> FileChannel.open(file, OPTIONS));
  }

  /**
   * Opens the file and tracks its page residency. The file keeps a descriptor only if the budget
   * has one. Otherwise each read opens it.
   *
   * @param resident whether the whole file is probably in memory
   */
  public static PositionalFile open(
      Path path, boolean resident, PageResidencyTracker watch, DescriptorBudget descriptors)
      throws IOException {
    PositionalFile file = descriptors.tryTake() ? counted(path, descriptors) : brief(path);
    file.residency = new PageResidency(file.length(), resident, watch);
    return file;
  }

  private static PositionalFile counted(Path path, DescriptorBudget descriptors)
      throws IOException {
    PositionalFile file = null;
    try {
      file = open(path);
      file.counted = descriptors;
      return file;
    } finally {
      if (file == null) {
        descriptors.giveBack();
      }
    }
  }

  /** Returns a file that each read opens for itself. Opens no descriptor now. */
  private static PositionalFile brief(Path path) throws IOException {
    BasicFileAttributes attributes = attributesOf(path);
    return brief(path, attributes.fileKey(), attributes.size());
  }

  /**
   * Returns a file that each read opens for itself, if it is still the one with this key.
   *
   * @param length its length in bytes
   */
  static PositionalFile brief(Path path, Object fileKey, long length) {
    return new PositionalFile(path, fileKey, file -> FileChannel.open(file, OPTIONS), null, length);
  }

  /**
   * Opens the file at a path by the given opener, if it is still the one with this key.
   *
   * @throws NoSuchFileException if it is missing, or another file has replaced it
   */
  public static PositionalFile open(Path path, Object fileKey, Opener opener) throws IOException {
    try (DeferredInterrupt interrupt = new DeferredInterrupt()) {
      for (int reopens = 0; ; reopens++) {
        interrupt.absorb();
        FileChannel channel = openSame(path, fileKey, opener);
        try {
          return new PositionalFile(path, fileKey, opener, channel, channel.size());
        } catch (IOException e) {
          channel.close();
          if (!(e instanceof ClosedByInterruptException) || reopens == MAX_REOPENS) {
            throw e;
          }
        }
      }
    }
  }

  private static FileChannel openSame(Path path, Object fileKey, Opener opener) throws IOException {
    if (!Objects.equals(keyOf(path), fileKey)) {
      throw new NoSuchFileException(path.toString(), null, "another file has replaced it");
    }
    return opener.open(path);
  }

  /**
   * Returns a key that tells files apart that have the same name one after the other; null if the
   * system has none.
   */
  public static Object keyOf(Path path) throws IOException {
    return attributesOf(path).fileKey();
  }

  private static BasicFileAttributes attributesOf(Path path) throws IOException {
    BasicFileAttributes attributes =
        Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (!attributes.isRegularFile()) {
      throw new IOException(path + " is not a regular file");
    }
    return attributes;
  }

  @Override
  public PageResidency residency() {
    return residency;
  }

  @Override
  public boolean likelyInMemory(long position, int count) {
    return residency == null || residency.isLikelyCached(position, count);
  }

  @Override
  public void read(long position, byte[] target, int offset, int count) throws IOException {
    Objects.checkFromIndexSize(offset, count, target.length);
    if (!enter()) {
      throw new ClosedException(name());
    }
    try {
      ByteBuffer buffer = ByteBuffer.wrap(target, offset, count);
      if (residency == null) {
        readHeld(position, buffer);
      } else {
        readByCall(residency, position, buffer, residency.isLikelyCached(position, count));
      }
    } finally {
      leave();
    }
  }

  @Override
  public void readHeld(long position, ByteBuffer target) throws IOException {
    transfer(position, target, FULLY);
  }

  /**
   * Reads whole pages into a buffer of whole pages. The last page of a file may be incomplete.
   *
   * @param needed number of bytes that must be there
   * @throws EOFException if the file ends before them
   */
  public void readPages(long position, ByteBuffer target, int needed) throws IOException {
    transfer(position, target, needed);
  }

  private void transfer(long position, ByteBuffer target, int needed) throws IOException {
    int start = target.position();
    // Works like DeferredInterrupt, without an allocation per read.
    boolean interrupted = Thread.interrupted();
    try {
      for (int reopens = 0; ; reopens++) {
        FileChannel kept = channel;
        FileChannel current = kept == null ? openSame(path(), fileKey(), opener) : kept;
        try {
          if (needed == FULLY) {
            readFully(current, position, target.position(start));
          } else {
            readPages(current, position, target, needed);
          }
          return;
        } catch (ClosedChannelException e) {
          if (reopens == MAX_REOPENS) {
            throw new IOException(name() + " was closed by " + reopens + " interrupts", e);
          }
          interrupted |= Thread.interrupted();
          if (kept != null) {
            reopen(kept);
          }
        } finally {
          if (kept == null) {
            current.close();
          }
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Reads on from the last whole page; two reads without progress mean the end of the file. */
  private void readPages(FileChannel from, long position, ByteBuffer target, int needed)
      throws IOException {
    int got = 0;
    for (int stuckReads = 0; stuckReads < 2 && got < needed; ) {
      int whole = got & -AlignedMemory.PAGE_BYTES;
      int now = whole + from.read(target.position(whole), position + whole);
      stuckReads = now > got ? 0 : stuckReads + 1;
      got = Math.max(got, now);
    }
    if (got < needed) {
      throw new EOFException(name() + " ends before offset " + (position + needed));
    }
  }

  private void readFully(FileChannel from, long position, ByteBuffer target) throws IOException {
    int end = target.limit();
    long at = position;
    while (target.position() < end) {
      target.limit((int) Math.min(end, (long) target.position() + PIECE_BYTES));
      int count;
      try {
        count = from.read(target, at);
      } finally {
        target.limit(end);
      }
      if (count < 0) {
        throw new EOFException(
            name() + " ends before offset " + (at + end - target.position()) + ": " + from.size());
      }
      if (count == 0) {
        throw new IOException(name() + ": a read at offset " + at + " makes no progress");
      }
      at += count;
    }
  }

  private synchronized void reopen(FileChannel broken) throws IOException {
    if (channel != broken) {
      return;
    }
    channel = openSame(path(), fileKey(), opener);
  }

  @Override
  void free() throws IOException {
    try {
      attachments().close();
    } finally {
      closeChannel();
    }
  }

  private synchronized void closeChannel() throws IOException {
    if (channel != null) {
      channel.close();
    }
    if (counted != null) {
      counted.giveBack();
    }
  }
}
