// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.block;

import io.coppice.io.file.Attachments;
import io.coppice.io.file.DescriptorBudget;
import io.coppice.io.file.PositionalFile;
import io.coppice.io.file.RealFile;
import io.coppice.io.uring.Ring;
import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.Charset;

/** Descriptors of the files that rings read: one per file and reader, opened by a ring. */
final class RingFiles {

  /** Encoding of file names in system calls. */
  static final Charset NAMES =
      Charset.forName(System.getProperty("sun.jnu.encoding", Charset.defaultCharset().name()));

  /** Descriptor that a ring has opened and the descriptor budget counts, or {@link #NONE}. */
  static final class Descriptor implements Closeable {

    /** Value of a missing descriptor; the pool reads the file instead. */
    static final int NONE = -1;

    private final Ring ring;
    private final int number;
    private final boolean direct;
    private volatile boolean refused;

    Descriptor(Ring ring, int number, boolean direct) {
      this.ring = ring;
      this.number = number;
      this.direct = direct;
    }

    int number() {
      return refused ? NONE : number;
    }

    boolean direct() {
      return direct;
    }

    /** Marks the descriptor as unusable, so that the pool reads the file. */
    void refuse() {
      refused = true;
    }

    @Override
    public void close() throws IOException {
      if (number != NONE) {
        DescriptorBudget.ofProcess().giveBack();
        ring.closeDescriptor(number);
      }
    }
  }

  private volatile boolean direct;

  RingFiles(boolean direct) {
    this.direct = direct;
  }

  /** Returns whether files are opened past the page cache. */
  boolean direct() {
    return direct;
  }

  /** Stops opening files past the page cache, because the file system refuses. */
  void onlyBuffered() {
    direct = false;
  }

  /**
   * Returns the descriptor of a file that the caller keeps open, or null if none was opened yet.
   */
  Descriptor of(RealFile file) {
    return (Descriptor) file.attachments().of(this);
  }

  /** Returns the path in the system's encoding, terminated by 0. */
  static byte[] pathBytes(RealFile file) {
    return (file.path().toString() + '\0').getBytes(NAMES);
  }

  /**
   * Keeps the descriptor that a ring has opened for a file, or the fact that there is none. The
   * caller keeps the file open.
   *
   * @param number the descriptor, or a negative number
   * @param pastTheCache whether it bypasses the page cache
   */
  Descriptor keep(RealFile file, Ring ring, int number, boolean pastTheCache) {
    Descriptor opened = new Descriptor(ring, number, pastTheCache);
    if (number != Descriptor.NONE && !isStill(file)) {
      Attachments.closeQuietly(opened);
      opened = new Descriptor(ring, Descriptor.NONE, false);
    }
    if (!file.attachments().attach(this, opened)) {
      Attachments.closeQuietly(opened);
    }
    return of(file);
  }

  /**
   * Returns whether the path still leads to the file. If so, the descriptor opened by the path
   * before is one of that file: while the file is open, no other gets its identity.
   */
  private static boolean isStill(RealFile file) {
    try {
      return file.fileKey() != null && file.fileKey().equals(PositionalFile.keyOf(file.path()));
    } catch (IOException e) {
      return false;
    }
  }
}
