// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.io.File;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
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

  private final Supplier<String[]> listing;
  private final ToLongFunction<String> length;
  private final Map<String, Long> known = new HashMap<>();
  private final Thread thread;
  private volatile long peak;
  private volatile boolean sawNewFile;
  private volatile Throwable failure;
  private volatile boolean closed;

  /** Starts at once. */
  public DiskSampler(ColumnFamilyStore table) {
    this(directory(table)::list, name -> new File(directory(table), name).length());
  }

  /**
   * Starts at once.
   *
   * @param listing returns the names of all files
   * @param length returns the bytes of a file
   */
  DiskSampler(Supplier<String[]> listing, ToLongFunction<String> length) {
    this.listing = listing;
    this.length = length;
    for (String name : listing.get()) {
      known.put(name, length.applyAsLong(name));
    }
    peak = known.values().stream().mapToLong(Long::longValue).sum();
    thread = new Thread(this::run, "sampler");
    thread.start();
  }

  private void run() {
    try {
      do {
        sample();
        LockSupport.parkNanos(PAUSE_NANOS);
      } while (!closed);
    } catch (Throwable e) {
      failure = e;
    }
  }

  private void sample() {
    Set<String> names = new HashSet<>();
    OptionalLong bytes =
        sample(
            listing,
            name -> {
              names.add(name);
              Long start = known.get(name);
              return start == null ? length.applyAsLong(name) : start;
            });
    if (bytes.isPresent()) {
      peak = Math.max(peak, bytes.getAsLong());
      sawNewFile |= !known.keySet().containsAll(names);
    }
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

  /**
   * Returns the largest sample in bytes.
   *
   * @throws AssertionError if sampling failed, or if no sample shows a file created since the
   *     start. An upper bound on such a peak would hold for any change.
   */
  public long peak() {
    checkFailure();
    if (!sawNewFile) {
      throw new AssertionError("no sample shows a file created since the start");
    }
    return peak;
  }

  private void checkFailure() {
    if (failure != null) {
      throw new AssertionError("sampling failed", failure);
    }
  }

  @Override
  public void close() {
    closed = true;
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    checkFailure();
  }
}
