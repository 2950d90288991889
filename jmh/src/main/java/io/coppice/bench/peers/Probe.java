// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.peers;

import static io.coppice.bench.report.Texts.text;

import io.coppice.bench.suite.DataAtExit;
import io.coppice.bench.suite.Directories;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.zip.CRC32C;

/**
 * Speed of a machine, measured in about a second before a run.
 *
 * @param copyBytesPerSecond bytes of memory copied and checksummed by CRC32C per second, on one
 *     core
 * @param writeBytesPerSecond bytes of a file written and synced per second
 * @param syncNanos duration of a sync after a write of 4 KiB
 * @param fileNanos duration of the creation, write, sync and deletion of a small file
 */
record Probe(
    double copyBytesPerSecond, double writeBytesPerSecond, double syncNanos, double fileNanos) {

  /** Copy rate in bytes per second of the machine that calibrated {@link ProcessEstimate}. */
  private static final double NOMINAL_COPY = 10e9;

  private static final double NOMINAL_FILE_NANOS = 1e6;

  private static final int BLOCK_BYTES = 8 << 20;
  private static final int BLOCKS = 8;
  private static final int SYNCS = 20;
  private static final int MAX_FILES = 200;
  private static final long FILES_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
  private static final int FILE_BYTES = 64 << 10;
  private static final long COPY_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
  private static final double NANOS = TimeUnit.SECONDS.toNanos(1);

  /**
   * Measures the machine for about a second, with temporary files in a directory.
   *
   * @throws IOException if a file cannot be written or removed
   */
  static Probe of(Path directory) throws IOException {
    Path files = directory.resolve("probe").toAbsolutePath();
    DataAtExit leftover = DataAtExit.of(files);
    try {
      Directories.delete(files);
      return measured(Files.createDirectories(files));
    } finally {
      leftover.remove();
    }
  }

  private static Probe measured(Path directory) throws IOException {
    byte[] block = new byte[BLOCK_BYTES];
    new Random(1).nextBytes(block);
    double copied = copy(block);
    try (FileChannel channel =
        FileChannel.open(
            directory.resolve("large"), StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      long start = System.nanoTime();
      for (int i = 0; i < BLOCKS; i++) {
        channel.write(ByteBuffer.wrap(block));
      }
      channel.force(false);
      long written = System.nanoTime();
      for (int i = 0; i < SYNCS; i++) {
        channel.write(ByteBuffer.wrap(block, 0, 4096));
        channel.force(false);
      }
      long synced = System.nanoTime();
      return new Probe(
          copied,
          NANOS * BLOCKS * BLOCK_BYTES / (written - start),
          (double) (synced - written) / SYNCS,
          fileNanos(directory, ByteBuffer.wrap(block, 0, FILE_BYTES)));
    }
  }

  private static double fileNanos(Path directory, ByteBuffer bytes) throws IOException {
    long start = System.nanoTime();
    int files = 0;
    while (files < MAX_FILES && System.nanoTime() - start < FILES_NANOS) {
      Path file = directory.resolve("small-" + files++);
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
        channel.write(bytes.rewind());
        channel.force(false);
      } finally {
        Files.deleteIfExists(file);
      }
    }
    return (double) (System.nanoTime() - start) / files;
  }

  private static double copy(byte[] block) {
    byte[] target = new byte[block.length];
    CRC32C checksum = new CRC32C();
    double best = 0;
    long end = System.nanoTime() + COPY_NANOS;
    for (long start = System.nanoTime(); start < end; start = System.nanoTime()) {
      System.arraycopy(block, 0, target, 0, block.length);
      checksum.update(target, 0, target.length);
      best = Math.max(best, NANOS * block.length / (System.nanoTime() - start));
    }
    if (checksum.getValue() == 0) {
      throw new AssertionError("a checksum of random bytes is 0");
    }
    return best;
  }

  /**
   * Returns the duration of work relative to the machine with nominal speed, by the slowest of the
   * machine's resources.
   */
  double slowness() {
    return Math.max(NOMINAL_COPY / copyBytesPerSecond, fileNanos / NOMINAL_FILE_NANOS);
  }

  String line() {
    return text(
        "probe: one core copies and checksums %.0f MB/s, the disk takes %.0f MB/s, a sync %.2f ms,"
            + " a file of 64 KiB made, synced and removed %.2f ms",
        copyBytesPerSecond / 1e6, writeBytesPerSecond / 1e6, syncNanos / 1e6, fileNanos / 1e6);
  }
}
