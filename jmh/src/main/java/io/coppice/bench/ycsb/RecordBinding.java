// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.suite.Directories;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.Vector;
import java.util.concurrent.Callable;
import site.ycsb.ByteIterator;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Status;

/**
 * Base of YCSB's bindings to a store. All threads of a client share the store. The last thread to
 * end waits until no flush or merge runs, prints the duration of that wait, and closes the store.
 * An update of a field reads, changes and writes the whole record.
 */
abstract class RecordBinding extends DB {

  static final String DIRECTORY = "coppice.directory";
  static final String POLICY = "coppice.policy";
  static final String MEMTABLE = "coppice.memtable";
  static final String MEMORY = "coppice.memory";

  /**
   * Property with the number of operations on a scratch store before the measured store is opened;
   * 0 by default.
   */
  static final String WARM_UP = "coppice.warmup";

  /** Beginning of the line that reports how long the store had work after the last operation. */
  static final String WAITED = "coppice-waited ";

  /**
   * Beginning of the line that reports the client's time without operations: warm-up, opening, the
   * wait at the end, and closing.
   */
  static final String BESIDE = "coppice-beside ";

  private static final long SCRATCH_MEMTABLE = 4L << 20;

  private static final int STRIPES = 64;
  private static final Object[] LOCKS = new Object[STRIPES];

  static {
    for (int i = 0; i < STRIPES; i++) {
      LOCKS[i] = new Object();
    }
  }

  private static RecordStore store;

  @GuardedBy("RecordBinding.class")
  private static int users;

  @GuardedBy("RecordBinding.class")
  private static long begunNanos;

  /** Opens the store, and creates it if it is missing; the binding closes it. */
  abstract RecordStore open(Path directory, BenchOptions options) throws Exception;

  @Override
  public void init() throws DBException {
    synchronized (RecordBinding.class) {
      if (users++ == 0) {
        long start = System.nanoTime();
        Path directory = Path.of(getProperties().getProperty(DIRECTORY));
        int operations = Integer.parseInt(getProperties().getProperty(WARM_UP, "0"));
        try {
          if (operations > 0) {
            warmUp(directory.resolveSibling("scratch"), operations);
          }
          store = open(directory, getProperties().getProperty(MEMTABLE));
        } catch (Exception e) {
          throw new DBException(e);
        }
        begunNanos = System.nanoTime() - start;
      }
    }
  }

  private void warmUp(Path scratch, int operations) throws Exception {
    long memtable = Long.parseLong(getProperties().getProperty(MEMTABLE));
    store = open(scratch, Long.toString(Math.min(SCRATCH_MEMTABLE, memtable)));
    try {
      new RecordWarmUp(this).run(operations);
      store.settling().call();
    } finally {
      store.closing().run();
      Directories.delete(scratch);
    }
  }

  private RecordStore open(Path directory, String memtable) throws Exception {
    return open(
        Files.createDirectories(directory),
        BenchOptions.parse(
            Map.of(
                "memtable-size",
                memtable,
                // So that RocksDB's levels follow from the memtable, as in all suites.
                "table-size",
                memtable,
                "memory",
                getProperties().getProperty(MEMORY))));
  }

  @Override
  public void cleanup() {
    synchronized (RecordBinding.class) {
      if (--users > 0) {
        return;
      }
      long start = System.nanoTime();
      long quiet = of(store.settling());
      System.out.println(WAITED + Math.max(0, System.nanoTime() - start - quiet));
      store.closing().run();
      System.out.println(BESIDE + (begunNanos + System.nanoTime() - start));
    }
  }

  private static <T> T of(Callable<T> access) {
    try {
      return access.call();
    } catch (Exception e) {
      throw new IllegalStateException("the store fails", e);
    }
  }

  private static Status put(String key, Map<String, byte[]> fields) {
    return of(
        () -> {
          store.write().put(bytes(key), RecordCodec.encode(fields));
          return Status.OK;
        });
  }

  private static byte[] bytes(String key) {
    return key.getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public Status read(
      String table, String key, Set<String> fields, Map<String, ByteIterator> result) {
    byte[] record = of(() -> store.lookup().get(bytes(key)));
    if (record == null) {
      return Status.NOT_FOUND;
    }
    RecordCodec.decode(record, fields, result);
    return Status.OK;
  }

  @Override
  public Status scan(
      String table,
      String startKey,
      int count,
      Set<String> fields,
      Vector<HashMap<String, ByteIterator>> result) {
    for (byte[] record : store.scan().values(bytes(startKey), count)) {
      HashMap<String, ByteIterator> row = new HashMap<>();
      RecordCodec.decode(record, fields, row);
      result.add(row);
    }
    return result.isEmpty() ? Status.NOT_FOUND : Status.OK;
  }

  @Override
  public Status update(String table, String key, Map<String, ByteIterator> values) {
    synchronized (LOCKS[Math.floorMod(key.hashCode(), STRIPES)]) {
      byte[] record = of(() -> store.lookup().get(bytes(key)));
      if (record == null) {
        return Status.NOT_FOUND;
      }
      Map<String, byte[]> fields = RecordCodec.decode(record);
      values.forEach((name, value) -> fields.put(name, value.toArray()));
      return put(key, fields);
    }
  }

  @Override
  public Status insert(String table, String key, Map<String, ByteIterator> values) {
    Map<String, byte[]> fields = new LinkedHashMap<>();
    values.forEach((name, value) -> fields.put(name, value.toArray()));
    return put(key, fields);
  }

  @Override
  public Status delete(String table, String key) {
    return of(
        () -> {
          store.delete().delete(bytes(key));
          return Status.OK;
        });
  }
}
