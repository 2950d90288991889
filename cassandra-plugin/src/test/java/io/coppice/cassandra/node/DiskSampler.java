// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.io.File;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.apache.cassandra.db.ColumnFamilyStore;

/**
 * Largest number of bytes that the files of a table's directory had at one time, as samples show
 * it. Files that are there at its start must not grow.
 */
public final class DiskSampler implements AutoCloseable {

  private static final long PAUSE_NANOS = TimeUnit.MICROSECONDS.toNanos(200);

  private final Thread thread;
  private volatile long peak;
  private volatile boolean closed;

  /** Starts at once. */
  public DiskSampler(ColumnFamilyStore table) {
    File directory = directory(table);
    Map<String, Long> known = new HashMap<>();
    for (String name : directory.list()) {
      known.put(name, new File(directory, name).length());
    }
    peak = known.values().stream().mapToLong(Long::longValue).sum();
    thread =
        new Thread(
            () -> {
              while (!closed) {
                sample(directory::list, name -> length(directory, name, known))
                    .ifPresent(bytes -> peak = Math.max(peak, bytes));
                LockSupport.parkNanos(PAUSE_NANOS);
              }
            },
            "sampler");
    thread.start();
  }

  private static long length(File directory, String name, Map<String, Long> known) {
    Long length = known.get(name);
    return length == null ? new File(directory, name).length() : length;
  }

  /**
   * Returns the sum of the lengths of all listed files, or nothing if the files changed during the
   * sample. A long listing takes several system calls. If files are deleted and created between two
   * of them, it names both kinds, although the directory never had both. It may also name a file
   * twice.
   */
  static OptionalLong sample(Supplier<String[]> listing, ToLongFunction<String> length) {
    Set<String> before = Set.copyOf(Arrays.asList(listing.get()));
    long bytes = before.stream().mapToLong(length).sum();
    return before.equals(Set.copyOf(Arrays.asList(listing.get())))
        ? OptionalLong.of(bytes)
        : OptionalLong.empty();
  }

  /** Returns the bytes that a table's directory has now. */
  public static long bytes(ColumnFamilyStore table) {
    File directory = directory(table);
    while (true) {
      OptionalLong bytes = sample(directory::list, name -> new File(directory, name).length());
      if (bytes.isPresent()) {
        return bytes.getAsLong();
      }
    }
  }

  private static File directory(ColumnFamilyStore table) {
    return table.getDirectories().getCFDirectories().get(0).toJavaIOFile();
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
