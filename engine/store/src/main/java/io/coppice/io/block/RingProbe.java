// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.block;

import io.coppice.base.Causes;
import io.coppice.base.MemoryBudget;
import io.coppice.io.ReadBatch;
import io.coppice.io.file.PositionalFile;
import io.coppice.io.uring.AlignedMemory;
import io.coppice.io.uring.Ring;
import java.io.EOFException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;

/**
 * Test whether rings work in this process. It reads known blocks through a ring: many at once,
 * aligned and unaligned, and beyond the end of the file. A kernel may lack rings, a container may
 * forbid them, and their classes may be absent.
 */
public final class RingProbe {

  private static final int PAGE = AlignedMemory.PAGE_BYTES;
  private static final int BLOCKS = 17;
  private static final int FILE_BYTES = BLOCKS * PAGE + 100;
  private static final long MEMORY_BYTES = 8 << 20;
  private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Name of the factory's class, which cannot be loaded everywhere. */
  private static final String OPENER = "io.coppice.io.uring.NettyRing$Opener";

  /** Factory of rings; null if they do not work. */
  final Ring.Factory rings;

  /** Reason that rings do not work, or null. */
  public final String reason;

  private RingProbe(Ring.Factory rings, String reason) {
    this.rings = rings;
    this.reason = reason;
  }

  /** Returns the result for this process, computed at the first call, which waits for it. */
  public static RingProbe ofProcess() {
    return OfProcess.FOUND;
  }

  /** Runs the test now. */
  static RingProbe run() {
    Ring.Factory rings;
    try {
      rings = (Ring.Factory) Class.forName(OPENER).getDeclaredConstructor().newInstance();
    } catch (InvocationTargetException e) {
      return new RingProbe(null, text(e.getCause()));
    } catch (ReflectiveOperationException | LinkageError | RuntimeException e) {
      return new RingProbe(null, text(e));
    }
    String failure = failure(rings);
    return new RingProbe(failure == null ? rings : null, failure);
  }

  /** Returns the reason that rings read wrongly, or null if they work. */
  static String failure(Ring.Factory rings) {
    Path path = null;
    try {
      path = Files.createTempFile("coppice-ring", null);
      byte[] content = new byte[FILE_BYTES];
      new Random(BLOCKS).nextBytes(content);
      Files.write(path, content);
      return failure(rings, path, content);
    } catch (IOException | RuntimeException | LinkageError e) {
      return text(e);
    } finally {
      delete(path);
    }
  }

  private static void delete(Path path) {
    try {
      if (path != null) {
        Files.deleteIfExists(path);
      }
    } catch (IOException e) {
      path.toFile().deleteOnExit();
    }
  }

  private static String failure(Ring.Factory rings, Path path, byte[] content) throws IOException {
    MemoryBudget memory = MemoryBudget.ofBytes(MEMORY_BYTES);
    try (RingReader reader = RingReader.quiet(memory, rings, LATE_NANOS);
        PositionalFile file = PositionalFile.open(path);
        ReadBatch batch = reader.newBatch()) {
      for (int i = 0; i < BLOCKS; i++) {
        batch.add(file, (long) i * PAGE, PAGE);
      }
      int unaligned = batch.add(file, PAGE + 17, 2 * PAGE + 1);
      int last = batch.add(file, FILE_BYTES - 1, 1);
      int reads = last + 1;
      batch.submit();
      long all = (1L << reads) - 1;
      for (long left = all; left != 0; ) {
        left &= ~batch.await(left);
      }
      for (int i = 0; i < BLOCKS; i++) {
        check(batch, i, content, i * PAGE, PAGE);
      }
      check(batch, unaligned, content, PAGE + 17, 2 * PAGE + 1);
      check(batch, last, content, FILE_BYTES - 1, 1);
      if (reader.demoted() != null) {
        return reader.demoted();
      }
      return reader.ringReads() == reads ? null : "not all blocks came through the ring";
    }
  }

  private static void check(ReadBatch batch, int read, byte[] content, int offset, int length)
      throws IOException {
    byte[] found = new byte[length];
    batch.take(read, found, 0);
    for (int i = 0; i < length; i++) {
      if (found[i] != content[offset + i]) {
        throw new EOFException("a block came wrong through the ring");
      }
    }
  }

  private static String text(Throwable cause) {
    Throwable root = Causes.innermost(cause);
    return root.getMessage() == null ? root.getClass().getSimpleName() : root.toString();
  }

  private static final class OfProcess {
    static final RingProbe FOUND = run();
  }
}
