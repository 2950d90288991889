// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import com.sun.management.OperatingSystemMXBean;
import io.coppice.bench.cassandra.EnvironmentException;
import io.coppice.bench.compare.report.Scale;
import io.coppice.bench.report.Machine;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Memory and disk of this machine, compared with the needs of a scale before any node starts.
 *
 * @param memoryBytes memory of the machine, or of the container
 * @param availableBytes memory that programs can still get without swapping
 * @param diskBytes free space where the nodes' files are written
 */
record Preflight(long memoryBytes, long availableBytes, long diskBytes) {

  private static final long MEGABYTE = 1_000_000;
  private static final long MEBIBYTE = 1 << 20;

  /** Memory of this process in MiB. A node takes twice its heap. */
  private static final long OWN_MIB = 512;

  /** Bytes of disk space per byte written: data, garbage, a major compaction and the commit log. */
  private static final double DISK_PER_BYTE = 2.5;

  private static final long DISK_BASE_BYTES = 1L << 30;

  /**
   * Measures the memory of the machine and the free disk space of a directory, which must exist.
   *
   * @throws IOException if the disk cannot be measured
   */
  static Preflight of(Path directory) throws IOException {
    var machine = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    long memory = machine.getTotalMemorySize();
    return new Preflight(
        memory,
        Math.min(memory, Machine.availableBytes(Path.of("/proc/meminfo"), memory)),
        Files.getFileStore(directory).getUsableSpace());
  }

  /**
   * Checks the measured memory and disk against the needs of a scale.
   *
   * @param directory directory of the data, named in the message only; {@link #of} has measured its
   *     disk
   * @throws EnvironmentException if it is not; one sentence states the need, the present amount and
   *     the remedy
   */
  void check(Scale scale, Path directory) throws EnvironmentException {
    Optional<String> refusal = refusal(scale, directory);
    if (refusal.isPresent()) {
      throw new EnvironmentException(refusal.get());
    }
  }

  /** Returns the sentence that refuses a scale, or empty if the machine has enough for it. */
  Optional<String> refusal(Scale scale, Path directory) {
    long memory = (2L * scale.node().heapMib() + OWN_MIB) * MEBIBYTE;
    if (memoryBytes < memory) {
      return Optional.of(
          "scale %s needs %,d MB of memory, and this machine or container has %,d; use a larger one."
              .formatted(scale.name(), memory / MEGABYTE, memoryBytes / MEGABYTE));
    }
    if (availableBytes < memory) {
      return Optional.of(
          "scale %s needs %,d MB of free memory, and %,d of %,d are available; end other programs."
              .formatted(
                  scale.name(),
                  memory / MEGABYTE,
                  availableBytes / MEGABYTE,
                  memoryBytes / MEGABYTE));
    }
    double written = (double) scale.load().operations() * scale.load().valueBytes();
    long disk = DISK_BASE_BYTES + (long) (DISK_PER_BYTE * written);
    if (diskBytes < disk) {
      return Optional.of(
          "scale %s needs %,d MB of free disk in %s, and %,d are free; make room or start it in another directory."
              .formatted(scale.name(), disk / MEGABYTE, directory, diskBytes / MEGABYTE));
    }
    return Optional.empty();
  }
}
