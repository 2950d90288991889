// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

import io.coppice.workload.BenchmarkKeys;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;

/**
 * Base of stores that take byte arrays, do not report their background work, and compact by
 * themselves.
 */
abstract class ByteArrayStore implements TestedStore {

  private final Path directory;
  private final ReadSession own = session();

  ByteArrayStore(Path directory) {
    this.directory = directory;
  }

  /** Returns the value of a key, which the caller does not change, or null. */
  abstract byte[] lookUp(byte[] key);

  /** Writes one entry, from copies that the store may keep. */
  abstract void write(byte[] key, byte[] newValue);

  /** Returns a scan without a position. */
  abstract ReadSession.Scan newScan();

  /** Commits earlier writes with the durability that the run requires. */
  void commit() {}

  @Override
  public void put(byte[] key, byte[] pool, int valueFrom, int valueLength) {
    write(key.clone(), Arrays.copyOfRange(pool, valueFrom, valueFrom + valueLength));
    commit();
  }

  @Override
  public void putAll(byte[][] keys, byte[] pool, int[] valuesFrom, int valueLength)
      throws IOException {
    for (int i = 0; i < keys.length; i++) {
      int from = valuesFrom[i];
      write(keys[i].clone(), Arrays.copyOfRange(pool, from, from + valueLength));
    }
    commit();
  }

  @Override
  public ReadSession own() {
    return own;
  }

  @Override
  public ReadSession session() {
    return new Session();
  }

  @Override
  public long settle() {
    return QuietPeriod.await(directory);
  }

  @Override
  public Map<Measure, Long> counters() {
    return Map.of(Measure.TABLE_BYTES, DiskFiles.bytes(directory));
  }

  private final class Session implements ReadSession {
    private byte[] value;

    @Override
    public int get(byte[] key) {
      value = lookUp(key);
      return value == null ? -1 : value.length;
    }

    @Override
    public boolean found(byte[] pool, int from, int length) {
      return isPart(value, pool, from, length);
    }

    @Override
    public ReadSession.Scan scan() {
      return newScan();
    }
  }

  static boolean isPart(byte[] value, byte[] pool, int from, int length) {
    return value != null && Arrays.equals(value, 0, value.length, pool, from, from + length);
  }

  /** Scan over an iterator. It moves backward if the iterator began at the end. */
  abstract static class IteratorScan<T> implements ReadSession.Scan {
    private Iterator<T> iterator;
    private T at;

    final void from(Iterator<T> start) {
      iterator = start;
      next();
    }

    abstract byte[] key(T entry);

    abstract byte[] value(T entry);

    @Override
    public void next() {
      at = iterator.hasNext() ? iterator.next() : null;
    }

    @Override
    public void previous() {
      next();
    }

    @Override
    public boolean valid() {
      return at != null;
    }

    @Override
    public long index() {
      return BenchmarkKeys.index(key(at), 0);
    }

    @Override
    public boolean found(byte[] pool, int from, int length) {
      return isPart(value(at), pool, from, length);
    }
  }

  /** Scan over an iterator of map entries. */
  abstract static class EntryScan extends IteratorScan<Map.Entry<byte[], byte[]>> {
    @Override
    byte[] key(Map.Entry<byte[], byte[]> entry) {
      return entry.getKey();
    }

    @Override
    byte[] value(Map.Entry<byte[], byte[]> entry) {
      return entry.getValue();
    }
  }
}
