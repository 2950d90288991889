// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.block;

import com.sun.nio.file.ExtendedOpenOption;
import io.coppice.io.file.Attachments;
import io.coppice.io.file.DescriptorBudget;
import io.coppice.io.file.PositionalFile;
import io.coppice.io.file.RealFile;
import io.coppice.io.uring.AlignedMemory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * Files of one reader opened past the page cache. Each is opened on its first read and closed with
 * the file that it belongs to. After the file system refuses, no further file is opened.
 */
final class DirectFiles {

  private static final Set<OpenOption> OPTIONS =
      Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS, ExtendedOpenOption.DIRECT);

  /** Placeholder for a file that cannot be opened past the page cache. */
  private static final Closeable NONE = () -> {};

  private volatile boolean refused;

  /** Returns whether the file system has refused to bypass the page cache. */
  boolean refused() {
    return refused;
  }

  /** Open file that is counted in the descriptor budget. */
  private record Counted(PositionalFile file) implements Closeable {
    @Override
    public void close() throws IOException {
      DescriptorBudget.ofProcess().giveBack();
      file.close();
    }
  }

  /**
   * Returns the file opened past the page cache; null if the file system refuses or there is no
   * descriptor. The caller keeps the file open during the call.
   */
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
   * Reads a range of a file past the page cache, by the whole pages around it. The caller keeps the
   * file open.
   *
   * @param through buffer that the device writes to
   * @return false if the file system or device refuses such reads, or there is no descriptor; the
   *     target may then be overwritten in part
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
   * Records and returns whether a failure means that reads past the page cache are impossible here.
   * The kernel refuses them, or the JDK requires a block size larger than a page.
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
