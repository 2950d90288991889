// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.Closeable;
import java.io.IOException;
import java.nio.charset.Charset;

/** Descriptors of the files that rings read, opened by a ring, one for a file and reader. */
final class RingFiles {

  /** As the system encodes the names of files. */
  static final Charset NAMES =
      Charset.forName(System.getProperty("sun.jnu.encoding", Charset.defaultCharset().name()));

  /** A file that a ring has open, which the budget of descriptors knows of, or cannot have. */
  static final class Descriptor implements Closeable {

    /** Read by the pool instead. */
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

    /** It cannot be read so after all. */
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

  /** True if files are opened past the page cache. */
  boolean direct() {
    return direct;
  }

  /** Opens no file past the page cache any more, as the file system refuses. */
  void onlyBuffered() {
    direct = false;
  }

  /** What is open for a file that is held, or null. */
  Descriptor of(RealFile file) {
    return (Descriptor) file.attachments().of(this);
  }

  /** The path as the system wants it, ending with 0. */
  static byte[] pathBytes(RealFile file) {
    return (file.path().toString() + '\0').getBytes(NAMES);
  }

  /** Keeps what was opened by the path of a file that is held; or that nothing could be. */
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
   * A file that has the name after it was opened is the one that was opened: while it is held, its
   * identity is given to no other.
   */
  private static boolean isStill(RealFile file) {
    try {
      return file.fileKey() != null && file.fileKey().equals(PositionalFile.keyOf(file.path()));
    } catch (IOException e) {
      return false;
    }
  }
}
