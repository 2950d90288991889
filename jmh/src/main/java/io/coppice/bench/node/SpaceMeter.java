// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.node;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sampler of the bytes in a table's directories, which also remembers every data file that it has
 * seen there.
 *
 * <p>A thread of its own takes a sample about every 25 ms, or less often if a sample takes more
 * than 2.5 ms. It thus uses at most a tenth of a core. Safe to share between threads.
 */
final class SpaceMeter implements AutoCloseable {

  private static final long PAUSE_MILLIS = 25;
  private static final int PAUSE_PER_COST = 10;
  private static final Pattern DATA_FILE = Pattern.compile("[a-z]+-([^-]+)-[a-z]+-Data\\.db");

  private final List<Path> directories;

  /** Guarded by this, which the checker does not see in a file visitor. */
  private final Map<String, Long> dataFiles = new HashMap<>();

  private final Thread sampler = new Thread(this::run, "coppice-space");

  private volatile boolean closed;

  @GuardedBy("this")
  private long liveBytes;

  @GuardedBy("this")
  private long peakBytes;

  @GuardedBy("this")
  private double ratioSum;

  @GuardedBy("this")
  private double peakRatio;

  @GuardedBy("this")
  private int samples;

  SpaceMeter(List<Path> directories) {
    this.directories = List.copyOf(directories);
    sampler.setDaemon(true);
    sampler.start();
  }

  synchronized void start(long live) {
    liveBytes(live);
    peakBytes = 0;
    ratioSum = 0;
    peakRatio = 0;
    samples = 0;
    sample();
  }

  synchronized void liveBytes(long live) {
    if (live <= 0) {
      throw new IllegalArgumentException("live bytes (" + live + ") must be above zero");
    }
    liveBytes = live;
  }

  /** Takes a sample of the directories now and returns their bytes. */
  synchronized RecorderMXBean.Space sample() {
    long bytes = 0;
    for (Path directory : directories) {
      bytes += measure(directory);
    }
    if (liveBytes > 0) {
      double ratio = (double) bytes / liveBytes;
      peakBytes = Math.max(peakBytes, bytes);
      ratioSum += ratio;
      peakRatio = Math.max(peakRatio, ratio);
      samples++;
    }
    double meanRatio = samples == 0 ? 0 : ratioSum / samples;
    return new RecorderMXBean.Space(bytes, peakBytes, meanRatio, peakRatio, samples);
  }

  private long measure(Path directory) {
    long[] bytes = new long[1];
    try {
      Files.walkFileTree(
          directory,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
              bytes[0] += attributes.size();
              Matcher name = DATA_FILE.matcher(file.getFileName().toString());
              if (name.matches()) {
                dataFiles.merge(name.group(1), attributes.size(), Math::max);
              }
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
              if (e instanceof NoSuchFileException) {
                return FileVisitResult.CONTINUE;
              }
              throw e;
            }
          });
    } catch (IOException e) {
      throw new UncheckedIOException("cannot measure " + directory, e);
    }
    return bytes[0];
  }

  /** Returns the bytes of all data files ever seen whose SSTable id is not among the given ones. */
  synchronized long unknownBytes(Set<String> known) {
    return dataFiles.entrySet().stream()
        .filter(file -> !known.contains(file.getKey()))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  private void run() {
    try {
      while (!closed) {
        long start = System.nanoTime();
        sample();
        long costMillis = (System.nanoTime() - start) / 1_000_000;
        Thread.sleep(Math.max(PAUSE_MILLIS, PAUSE_PER_COST * costMillis));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void close() {
    closed = true;
    sampler.interrupt();
  }
}
