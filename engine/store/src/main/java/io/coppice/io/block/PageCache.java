// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.block;

import io.coppice.io.uring.AlignedMemory;
import io.coppice.io.uring.OpenFlags;
import io.coppice.io.uring.Ring;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;

/** Removal of files from the system's page cache, for measurements that start cold. */
public final class PageCache {

  private static final int PATH_BYTES = 4 * AlignedMemory.PAGE_BYTES;

  private PageCache() {}

  /**
   * Asks the system to drop the pages of files that are written back and not mapped by any process.
   * The files stay unchanged.
   *
   * @return false if the system cannot be asked, because io_uring is unavailable
   * @throws IOException if a file cannot be opened; those before it in the list were dropped
   */
  public static boolean drop(List<Path> files) throws IOException {
    RingProbe probe = RingProbe.ofProcess();
    if (probe.reason != null) {
      return false;
    }
    Dropping dropping = new Dropping();
    Ring ring = probe.rings.open(List.of(dropping)).get(0);
    ring.adopt();
    try {
      ByteBuffer name = ByteBuffer.allocateDirect(PATH_BYTES);
      for (Path file : files) {
        dropping.drop(ring, file.toRealPath(), name);
      }
    } finally {
      ring.close();
    }
    return true;
  }

  private static final class Dropping implements Ring.Completions {

    private boolean done;
    private int result;

    private void drop(Ring ring, Path file, ByteBuffer name) throws IOException {
      byte[] path = (file.toString() + '\0').getBytes(RingFiles.NAMES);
      if (path.length > PATH_BYTES) {
        throw new IOException(file + " has too long a name");
      }
      name.put(0, path);
      ring.open(0, ring.address(name), OpenFlags.NATIVE.reading(false));
      int descriptor = await(ring);
      if (descriptor < 0) {
        throw new IOException(file + " cannot be opened, error " + -descriptor);
      }
      try {
        ring.dropPages(0, descriptor);
        await(ring);
      } finally {
        ring.closeDescriptor(descriptor);
      }
    }

    private int await(Ring ring) {
      done = false;
      while (!done) {
        ring.run(true);
      }
      return result;
    }

    @Override
    public void done(int operation, int outcome) {
      done = true;
      result = outcome;
    }
  }
}
