// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.io.File;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.apache.cassandra.db.ColumnFamilyStore;

/**
 * The most bytes that a table's directory ever had, sampled without a pause. Files that are there
 * at its start must not grow.
 */
public final class DiskSampler implements AutoCloseable {

  private final Thread thread;
  private volatile long peak;
  private volatile boolean closed;

  /** Starts at once. */
  public DiskSampler(ColumnFamilyStore table) {
    Map<String, Long> known = new HashMap<>();
    for (String name : directory(table).list()) {
      known.put(name, new File(directory(table), name).length());
    }
    thread =
        new Thread(
            () -> {
              while (!closed) {
                peak = Math.max(peak, bytes(table, known));
              }
            },
            "sampler");
    thread.start();
  }

  /** Returns the bytes that a table's directory has now. */
  public static long bytes(ColumnFamilyStore table) {
    return bytes(table, Map.of());
  }

  private static long bytes(ColumnFamilyStore table, Map<String, Long> known) {
    File directory = directory(table);
    // A test once reported more bytes than its file system has: a listing of a directory that
    // changes may name a file twice.
    return Arrays.stream(directory.list())
        .distinct()
        .mapToLong(
            name -> known.containsKey(name) ? known.get(name) : new File(directory, name).length())
        .sum();
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
