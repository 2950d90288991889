// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import static io.coppice.bench.report.Texts.text;

import com.sun.nio.file.ExtendedOpenOption;
import io.coppice.bench.suite.ClientThreads;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.random.RandomGenerator;

/** Rate of random reads of the device by plain threads, past the page cache. */
final class DeviceReads {

  /**
   * Numbers of concurrent reads: one; eight clients; the batch of one client; the batches of eight
   * clients.
   */
  private static final List<Integer> THREADS = List.of(1, 8, 17, 136);

  private static final int PAGE_BYTES = 4096;

  private static final int MIN_BYTES = 1 << 16;

  private static final long NANOS = 500_000_000;

  private DeviceReads() {}

  /**
   * Measures and returns a line of text with the rate of reads of one block each, for several
   * thread counts.
   *
   * @throws IOException if a file cannot be opened past the page cache
   */
  static String measure(List<Path> files) throws IOException, InterruptedException {
    List<FileChannel> open = new ArrayList<>();
    long pages = Long.MAX_VALUE;
    try {
      for (Path file : files) {
        if (Files.size(file) < MIN_BYTES) {
          continue;
        }
        pages = Math.min(pages, Files.size(file) / PAGE_BYTES);
        open.add(FileChannel.open(file, StandardOpenOption.READ, ExtendedOpenOption.DIRECT));
      }
      // Unreported: code is compiled meanwhile.
      rate(open, pages, 1);
      List<String> rates = new ArrayList<>();
      for (int threads : THREADS) {
        rates.add(text("%,.0f by %d", rate(open, pages, threads), threads));
      }
      return "direct reads of a page a second by threads: " + String.join(", ", rates);
    } catch (IOException | UnsupportedOperationException | IllegalStateException e) {
      return "not measured: " + e.getMessage();
    } finally {
      for (FileChannel file : open) {
        file.close();
      }
    }
  }

  private static double rate(List<FileChannel> files, long pages, int clients)
      throws InterruptedException {
    try (ClientThreads threads = new ClientThreads()) {
      long start = System.nanoTime();
      List<Long> reads =
          threads.run(
              clients,
              client ->
                  () -> reads(files, pages, new SplittableRandom(client + start), start + NANOS));
      double all = reads.stream().mapToLong(Long::longValue).sum();
      return all * 1e9 / (System.nanoTime() - start);
    }
  }

  private static long reads(List<FileChannel> files, long pages, RandomGenerator random, long end)
      throws IOException {
    ByteBuffer target = ByteBuffer.allocateDirect(2 * PAGE_BYTES).alignedSlice(PAGE_BYTES);
    long reads = 0;
    while (System.nanoTime() - end < 0) {
      FileChannel file = files.get(random.nextInt(files.size()));
      file.read(target.clear().limit(PAGE_BYTES), random.nextLong(pages) * PAGE_BYTES);
      reads++;
    }
    return reads;
  }
}
