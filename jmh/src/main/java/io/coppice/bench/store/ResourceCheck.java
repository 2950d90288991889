// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

import io.coppice.bench.report.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Check whether a machine has the disk space and the memory that a run takes at its peak. */
public final class ResourceCheck {

  /** Peak disk usage as a multiple of the data: garbage and the outputs of one large merge. */
  private static final int PEAK = 4;

  /**
   * Peak disk usage of unique keys as a multiple of the data. Their only garbage is merged tables.
   */
  private static final int PEAK_OF_UNIQUE = 3;

  private static final Set<StoreSpec.Kind> MERGING =
      Set.of(StoreSpec.Kind.COPPICE, StoreSpec.Kind.ROCKSDB, StoreSpec.Kind.ROCKSDB_UNIVERSAL);

  /**
   * Peak disk usage of stores that commit each write by itself, as a multiple of the data. Each
   * commit leaves a chunk of the file behind.
   */
  private static final int PEAK_OF_COMMITS = 16;

  /** Disk space in bytes in addition to the data, for logs, libraries and reports. */
  private static final long BESIDE = 1L << 30;

  /** Memory in bytes of the measured process without its store, and of this process. */
  private static final long PROCESSES = 2L << 30;

  /** Largest disk usage in bytes that a store may reach on any machine. */
  private static final long MAX_STORE_BYTES = 40L << 30;

  private ResourceCheck() {}

  /** Returns an upper estimate of the peak disk usage of a store with these options, in bytes. */
  public static long peakBytes(BenchOptions options) {
    boolean commits =
        options.stores().stream().anyMatch(store -> store.kind() == StoreSpec.Kind.MVSTORE);
    boolean unique =
        options.benchmarks().stream().noneMatch(Benchmark::leavesGarbage)
            && MERGING.containsAll(options.stores().stream().map(StoreSpec::kind).toList());
    long times = commits ? PEAK_OF_COMMITS : unique ? PEAK_OF_UNIQUE : PEAK;
    return times * options.dataBytes() + 2 * options.memtableBytes();
  }

  /** Returns an upper estimate of the peak disk usage of a store with this data, in bytes. */
  public static long peakBytes(long dataBytes) {
    return PEAK * dataBytes;
  }

  /**
   * Returns a sentence about the lacking resource, with its amount; empty if the machine has
   * enough. Also refuses a store that would be {@link #tooLarge} for any machine.
   *
   * @param target directory of the run, which is created if it is missing
   * @throws IOException if that fails
   */
  public static Optional<String> lacking(BenchOptions options, Path target) throws IOException {
    Optional<String> large = tooLarge(options);
    return large.isPresent() ? large : lacking(peakBytes(options), options.memoryBytes(), target);
  }

  /** Returns a sentence if the store would be too large for any machine; otherwise empty. */
  public static Optional<String> tooLarge(BenchOptions options) {
    long disk = peakBytes(options);
    return disk <= MAX_STORE_BYTES
        ? Optional.empty()
        : Optional.of(
            text(
                "A store of this size may take %.1f GiB at its peak; %.0f GiB are the most allowed.",
                disk, MAX_STORE_BYTES));
  }

  /**
   * Returns a sentence about the lacking resource, with its amount; empty if the machine has
   * enough.
   *
   * @param storeBytes peak disk usage of all stores that exist at the same time
   * @param memoryBytes memory of the measured process in addition to its heap
   * @param target directory of the run, which is created if it is missing
   * @throws IOException if that fails
   */
  public static Optional<String> lacking(long storeBytes, long memoryBytes, Path target)
      throws IOException {
    long free = Files.getFileStore(Files.createDirectories(target)).getUsableSpace();
    if (free < storeBytes + BESIDE) {
      return Optional.of(
          text(
              "Not enough disk: the run may take %.1f GiB, and %.1f GiB are free.",
              storeBytes + BESIDE, free));
    }
    long memory = memoryBytes + PROCESSES;
    long available = Machine.availableBytes(Path.of("/proc/meminfo"), Long.MAX_VALUE);
    if (available < memory) {
      return Optional.of(
          text(
              "Not enough memory: the run may take %.1f GiB, and %.1f GiB are available.",
              memory, available));
    }
    return Optional.empty();
  }

  private static String text(String format, long first, long second) {
    double gibi = 1L << 30;
    return String.format(Locale.ROOT, format, first / gibi, second / gibi);
  }
}
