// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.cassandra.db.ColumnFamilyStore;

/** The most bytes that a table's directory ever had, sampled without a pause. */
public final class DiskSampler implements AutoCloseable {

  private final Thread thread;
  private volatile long peak;
  private volatile boolean closed;

  /** Starts at once. */
  public DiskSampler(ColumnFamilyStore table) {
    thread =
        new Thread(
            () -> {
              while (!closed) {
                peak = Math.max(peak, bytes(table));
              }
            },
            "sampler");
    thread.start();
  }

  /** What a table's directory has now. */
  public static long bytes(ColumnFamilyStore table) {
    Path directory = table.getDirectories().getCFDirectories().get(0).toPath();
    try (Stream<Path> files = Files.list(directory)) {
      List<Path> all = files.toList();
      return all.stream().mapToLong(file -> file.toFile().length()).sum();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public long peak() {
    return peak;
  }

  @Override
  public void close() {
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
