// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.ClosedException;
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
 * A finished file behind a read-only mapping. The mapping never leaves this class; its bytes are
 * copied out. It is given back when the file is closed and the last reader has left.
 *
 * <p>Only pages that are believed to be in memory are copied out of the mapping; others are read at
 * positions, which brings them in. A thread that waits for a page in a mapping holds up the next
 * pause of the whole JVM, and the system reads far more than one page around it. While memory is
 * short no page of the mapping is touched ({@link ResidencyWatch}). The file holds no descriptor
 * before the first read by call. Where descriptors are short, each read by call opens the file for
 * itself.
 *
 * <p>If a page cannot be loaded, the JVM reports an {@link InternalError}: at the copy from JDK 21
 * on, possibly later and in the middle of nowhere on 17. Once one is seen here, the file is read at
 * positions. A copy that failed in silence holds stale bytes, which the caller's checksum refuses.
 */
final class MappedFile implements RealFile {

  private final Path path;
  private final String name;
  private final Object fileKey;
  private final long length;
  private final MappingBudget budget;
  private final DescriptorBudget descriptors;
  private final Mapping mapping;
  private final Residency residency;
  private final Gate gate = new Gate();
  private final Attachments attachments = new Attachments();

  /** What is read instead of pages that are not in memory; opened on that occasion. */
  private volatile PositionalFile positional;

  /** True once a page was lost: the mapping is not touched any more. */
  private volatile boolean lost;

  /** True once the file has no name any more, so that the mapping alone leads to it. */
  private volatile boolean mappingOnly;

  /** True if {@link #positional} holds a descriptor of the budget. */
  private boolean counted;

  /** Takes a mapping over, which is given back to the budget on closing. */
  MappedFile(
      Path path,
      Object fileKey,
      Mapping mapping,
      MappingBudget budget,
      DescriptorBudget descriptors,
      Residency residency) {
    this.path = path;
    this.name = path.getFileName().toString();
    this.fileKey = fileKey;
    this.descriptors = descriptors;
    this.length = mapping.buffer().capacity();
    this.mapping = mapping;
    this.budget = budget;
    this.residency = residency;
  }

  /**
   * Maps a file, or returns null where that cannot be done: an empty file, one of 2 GiB and more,
   * no budget, no address space.
   *
   * @param resident whether it is believed to be in memory
   */
  static MappedFile map(
      Path path,
      MappingBudget budget,
      DescriptorBudget descriptors,
      boolean resident,
      ResidencyWatch watch)
      throws IOException {
    if (!budget.tryTake()) {
      return null;
    }
    MappedFile mapped = null;
    try {
      Object fileKey = PositionalFile.keyOf(path);
      Mapping mapping = mapOrNull(path);
      if (mapping != null) {
        Residency residency = new Residency(mapping.buffer().capacity(), resident, watch);
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
  public String name() {
    return name;
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public Path path() {
    return path;
  }

  @Override
  public Object fileKey() {
    return fileKey;
  }

  @Override
  public Residency residency() {
    return residency;
  }

  @Override
  public Attachments attachments() {
    return attachments;
  }

  @Override
  public boolean mapped() {
    return !lost && residency.mappingsServe();
  }

  @Override
  public boolean likelyInMemory(long position, int count) {
    return residency.has(position, count);
  }

  /** Where the mapping lies; it is held. */
  long address(Ring ring) {
    return ring.address(mapping.buffer());
  }

  @Override
  public boolean enter() {
    return gate.enter();
  }

  @Override
  public void leave() throws IOException {
    if (gate.leave()) {
      free();
    }
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
      boolean believed = residency.has(position, count);
      if (believed && mapped() && copyResident((int) position, target, offset, count)) {
        return;
      }
      readByCall(position, ByteBuffer.wrap(target, offset, count), believed);
    } finally {
      leave();
    }
  }

  private void readByCall(long position, ByteBuffer target, boolean believed) throws IOException {
    int count = target.remaining();
    if (!believed) {
      readHeld(position, target);
      residency.broughtIn(position, count);
    } else if (residency.times(position)) {
      long start = System.nanoTime();
      readHeld(position, target);
      residency.took(position, count, System.nanoTime() - start, false);
    } else {
      readHeld(position, target);
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

  /** Copies out of the mapping; false if a page of it is lost. */
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

  /** Opens the file to stay open; null if it has no name any more, or descriptors are short. */
  private PositionalFile openOrNull() {
    // No lock comes before the budget: where that is empty, every read comes here.
    if (!descriptors.tryTake()) {
      return null;
    }
    boolean opened = false;
    try {
      opened = openToStay();
    } catch (IOException e) {
      // Otherwise the process has no descriptor left, and the next read tries again.
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
    positional = PositionalFile.open(path, fileKey);
    counted = true;
    return true;
  }

  /**
   * Reads through a descriptor for this read only.
   *
   * @return false if that fails; the target is as it was, and the mapping may serve
   */
  private boolean readOpened(long position, ByteBuffer target) {
    if (mappingOnly) {
      return false;
    }
    int start = target.position();
    try {
      PositionalFile.brief(path, fileKey, length).readHeld(position, target);
      return true;
    } catch (IOException e) {
      mappingOnly |= e instanceof NoSuchFileException;
      target.position(start);
      return false;
    }
  }

  /** Once the mapping is of no use. */
  private synchronized PositionalFile open() throws IOException {
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
    try {
      attachments.close();
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
