// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.ClosedException;
import io.coppice.io.uring.Ring;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Objects;

/**
 * Finished file behind a read-only mapping. The mapping never leaves this class; its bytes are
 * copied out. It is unmapped once the file is closed and the last reader has left. Safe to share
 * between threads.
 *
 * <p>Only pages that are probably in memory are copied out of the mapping. Others are read with
 * positional reads, which bring them in. A thread that waits for a page of a mapping delays the
 * next pause of the whole JVM, and the system reads far more than one page around it. While memory
 * is short no page of the mapping is read ({@link PageResidencyTracker}). The file holds no
 * descriptor before the first read by call. If descriptors are short, each read by call opens the
 * file for itself.
 *
 * <p>If a page cannot be loaded, the JVM throws an {@link InternalError}: at the copy from JDK 21
 * on, possibly later and elsewhere on JDK 17. After the first one the file is read only with
 * positional reads. A copy that failed silently holds stale bytes, which the caller's checksum
 * rejects.
 */
public final class MappedFile extends RealFile {

  private final MappingBudget budget;
  private final DescriptorBudget descriptors;
  private final Mapping mapping;
  private final PageResidency residency;

  /** File for reads of pages that are not in memory; opened at the first such read. */
  private volatile PositionalFile positional;

  /** Whether a page failed to load; the mapping is then no longer used. */
  private volatile boolean lost;

  /** Whether the file has lost its name, so that only the mapping leads to it. */
  private volatile boolean mappingOnly;

  /** Whether {@link #positional} holds a descriptor of the budget. */
  @GuardedBy("this")
  private boolean counted;

  /** Takes ownership of a mapping, which closing returns to the budget. */
  MappedFile(
      Path path,
      Object fileKey,
      Mapping mapping,
      MappingBudget budget,
      DescriptorBudget descriptors,
      PageResidency residency) {
    super(path, fileKey, mapping.buffer().capacity());
    this.descriptors = descriptors;
    this.mapping = mapping;
    this.budget = budget;
    this.residency = residency;
  }

  /**
   * Maps a file, or returns null: if the file is empty or has 2 GiB or more, if the mapping budget
   * is used up, or if the mapping fails.
   *
   * @param resident whether the whole file is probably in memory
   * @throws NoSuchFileException if there is no such file
   */
  public static MappedFile map(
      Path path,
      MappingBudget budget,
      DescriptorBudget descriptors,
      boolean resident,
      PageResidencyTracker watch)
      throws IOException {
    if (!budget.tryTake()) {
      return null;
    }
    MappedFile mapped = null;
    try {
      Object fileKey = PositionalFile.keyOf(path);
      Mapping mapping = mapOrNull(path);
      if (mapping != null) {
        PageResidency residency = new PageResidency(mapping.buffer().capacity(), resident, watch);
        mapped = new MappedFile(path, fileKey, mapping, budget, descriptors, residency);
      }
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
  public PageResidency residency() {
    return residency;
  }

  @Override
  public boolean mapped() {
    return !lost && residency.mappingsServe();
  }

  @Override
  public boolean likelyInMemory(long position, int count) {
    return residency.isLikelyCached(position, count);
  }

  /** Returns the memory address of the mapping, valid while the caller keeps the file open. */
  public long address(Ring ring) {
    return ring.address(mapping.buffer());
  }

  @Override
  public void read(long position, byte[] target, int offset, int count) throws IOException {
    Objects.checkFromIndexSize(offset, count, target.length);
    if (position < 0 || position > length() - count) {
      throw new EOFException(
          name() + " ends before offset " + (position + count) + ": " + length());
    }
    if (!enter()) {
      throw new ClosedException(name());
    }
    try {
      boolean believed = residency.isLikelyCached(position, count);
      if (believed && mapped() && copyResident((int) position, target, offset, count)) {
        return;
      }
      readByCall(residency, position, ByteBuffer.wrap(target, offset, count), believed);
    } finally {
      leave();
    }
  }

  private boolean copyResident(int position, byte[] target, int offset, int count) {
    if (!residency.times(position)) {
      return copy(position, target, offset, count);
    }
    long start = System.nanoTime();
    boolean copied = copy(position, target, offset, count);
    residency.took(position, count, System.nanoTime() - start, true);
    return copied;
  }

  /** Copies bytes out of the mapping. Returns false if a page of it cannot be loaded. */
  private boolean copy(int position, byte[] target, int offset, int count) {
    try {
      mapping.buffer().get(position, target, offset, count);
      return true;
    } catch (InternalError e) {
      lost = true;
      return false;
    }
  }

  @Override
  public void readHeld(long position, ByteBuffer target) throws IOException {
    PositionalFile file = positional;
    if (file == null && !mappingOnly) {
      file = openOrNull();
      if (file == null && readOpened(position, target)) {
        return;
      }
    }
    if (file == null && !lost && copyTo(target, (int) position, target.remaining())) {
      return;
    }
    (file == null ? open() : file).readHeld(position, target);
  }

  private boolean copyTo(ByteBuffer target, int position, int count) {
    if (target.hasArray()) {
      int offset = target.arrayOffset() + target.position();
      if (!copy(position, target.array(), offset, count)) {
        return false;
      }
      target.position(target.limit());
      return true;
    }
    byte[] bytes = new byte[count];
    if (!copy(position, bytes, 0, count)) {
      return false;
    }
    target.put(bytes);
    return true;
  }

  /**
   * Opens the file and keeps its descriptor. Returns null if the file has lost its name or
   * descriptors are short.
   */
  private PositionalFile openOrNull() {
    // Checks the budget before it takes a lock: without a free descriptor, every read comes here.
    if (!descriptors.tryTake()) {
      return null;
    }
    boolean opened = false;
    try {
      opened = openToStay();
    } catch (IOException e) {
      // After any other error the process has no descriptor left, and the next read tries again.
      mappingOnly |= e instanceof NoSuchFileException;
    } finally {
      if (!opened) {
        descriptors.giveBack();
      }
    }
    return positional;
  }

  private synchronized boolean openToStay() throws IOException {
    if (positional != null) {
      return false;
    }
    positional = PositionalFile.open(path(), fileKey());
    counted = true;
    return true;
  }

  /**
   * Reads through a descriptor that is closed afterwards.
   *
   * @return false if that fails; the target is then unchanged, and the mapping may serve
   */
  private boolean readOpened(long position, ByteBuffer target) {
    if (mappingOnly) {
      return false;
    }
    int start = target.position();
    try {
      PositionalFile.brief(path(), fileKey(), length()).readHeld(position, target);
      return true;
    } catch (IOException e) {
      mappingOnly |= e instanceof NoSuchFileException;
      target.position(start);
      return false;
    }
  }

  /** Opens the file after the mapping has failed, and keeps its descriptor. */
  private synchronized PositionalFile open() throws IOException {
    if (positional == null) {
      positional = PositionalFile.open(path(), fileKey());
    }
    return positional;
  }

  @Override
  synchronized void free() throws IOException {
    mapping.unmap().run();
    budget.giveBack();
    try {
      attachments().close();
    } finally {
      if (positional != null) {
        positional.close();
      }
      if (counted) {
        descriptors.giveBack();
      }
    }
  }
}
