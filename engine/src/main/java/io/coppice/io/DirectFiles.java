// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * The files of one reader past the page cache: each is opened when it is first read, and closed
 * with the file that it belongs to. Where the file system refuses, nothing is asked of it again.
 */
final class DirectFiles {

  private static final Set<OpenOption> OPTIONS =
      Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS, ExtendedOpenOption.DIRECT);

  /** Stands for a file that cannot be opened so. */
  private static final Closeable NONE = () -> {};

  private volatile boolean refused;

  /** True if the file system has refused. */
  boolean refused() {
    return refused;
  }

  /** A file that is open so, which the budget of descriptors knows of. */
  private record Counted(PositionalFile file) implements Closeable {
    @Override
    public void close() throws IOException {
      DescriptorBudget.ofProcess().giveBack();
      file.close();
    }
  }

  /** The same file past the page cache, or null. The caller holds the file. */
  PositionalFile of(RealFile file) {
    if (refused) {
      return null;
    }
    Closeable found = file.attachments().of(this);
    while (found == null) {
      if (!DescriptorBudget.ofProcess().tryTake()) {
        return null;
      }
      Closeable opened = open(file);
      if (!file.attachments().attach(this, opened)) {
        Attachments.closeQuietly(opened);
      }
      found = file.attachments().of(this);
    }
    return found instanceof Counted counted ? counted.file : null;
  }

  /**
   * Reads whole pages around what is wanted, of a file that is held.
   *
   * @param through what the device writes to
   * @return false if file system or device do not want to be read so, or there is no descriptor
   */
  boolean read(RealFile file, long offset, byte[] target, int at, int length, AlignedMemory through)
      throws IOException {
    PositionalFile unbuffered = of(file);
    if (unbuffered == null) {
      return false;
    }
    ByteBuffer pages = through.pages();
    for (int done = 0; done < length; ) {
      long wanted = offset + done;
      int before = (int) (wanted % AlignedMemory.PAGE_BYTES);
      int count = Math.min(pages.capacity() - before, length - done);
      int window = before + count + AlignedMemory.PAGE_BYTES - 1 & -AlignedMemory.PAGE_BYTES;
      try {
        unbuffered.readPages(wanted - before, pages.clear().limit(window), before + count);
      } catch (IOException e) {
        if (!refusedBy(e)) {
          throw e;
        }
        return false;
      }
      pages.position(before).get(target, at + done, count);
      done += count;
    }
    return true;
  }

  private Closeable open(RealFile file) {
    try {
      return new Counted(
          PositionalFile.open(
              file.path(), file.fileKey(), path -> FileChannel.open(path, OPTIONS)));
    } catch (UnsupportedOperationException e) {
      refused = true;
    } catch (IOException e) {
      refusedBy(e);
    }
    DescriptorBudget.ofProcess().giveBack();
    return NONE;
  }

  /**
   * True if a failure means that the file system or device does not want to be read so: the kernel
   * refuses, or the JDK, which asks for the file system's own unit, larger than ours on some.
   */
  boolean refusedBy(IOException failure) {
    String message = String.valueOf(failure.getMessage());
    boolean invalid =
        message.contains("Invalid argument")
            || message.contains("not a multiple of the block size");
    refused |= invalid;
    return invalid;
  }
}
