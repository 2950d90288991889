// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.workload.Keys;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

/**
 * MapDB's B-tree on a mapped file with its log, which is what keeps a write when the process dies.
 * Its commit always syncs, so it offers no less than that.
 */
final class MapDbStore implements TestedStore {

  private final Path directory;
  private final DB db;
  private final BTreeMap<byte[], byte[]> entries;
  private byte[] value;

  MapDbStore(Path directory) {
    this.directory = directory;
    db =
        DBMaker.fileDB(directory.resolve("entries.mapdb").toFile())
            .fileMmapEnable()
            .transactionEnable()
            .make();
    entries = db.treeMap("entries", Serializer.BYTE_ARRAY, Serializer.BYTE_ARRAY).createOrOpen();
  }

  @Override
  public void put(byte[] key, byte[] pool, int valueFrom, int valueLength) {
    entries.put(key.clone(), Found.copy(pool, valueFrom, valueLength));
    db.commit();
  }

  @Override
  public void putAll(byte[][] keys, byte[] pool, int[] valuesFrom, int valueLength) {
    for (int i = 0; i < keys.length; i++) {
      entries.put(keys[i].clone(), Found.copy(pool, valuesFrom[i], valueLength));
    }
    db.commit();
  }

  @Override
  public void delete(byte[] key) {
    entries.remove(key);
    db.commit();
  }

  @Override
  public int get(byte[] key) {
    value = entries.get(key);
    return value == null ? -1 : value.length;
  }

  @Override
  public boolean found(byte[] pool, int from, int length) {
    return Found.is(value, pool, from, length);
  }

  @Override
  public Scan scan() {
    return new EntryScan(entries);
  }

  @Override
  public ReadSession session() {
    return new ValueSession(entries::get, () -> new EntryScan(entries));
  }

  @Override
  public long settle() {
    db.commit();
    return Silence.await(directory);
  }

  @Override
  public void compact() {
    db.getStore().compact();
  }

  @Override
  public Counters counters() {
    return Counters.ofSize(DiskFiles.bytes(directory));
  }

  @Override
  public String describe() {
    return "MapDB, mapped file with log, each write committed and synced";
  }

  @Override
  public void close() {
    db.close();
  }

  private static final class EntryScan implements Scan {
    private final BTreeMap<byte[], byte[]> entries;
    private Iterator<Map.Entry<byte[], byte[]>> iterator;
    private Map.Entry<byte[], byte[]> at;

    EntryScan(BTreeMap<byte[], byte[]> entries) {
      this.entries = entries;
    }

    @Override
    public void first() {
      iterator = entries.entryIterator();
      next();
    }

    @Override
    public void last() {
      iterator = entries.descendingEntryIterator(null, false, null, false);
      next();
    }

    @Override
    public void seek(byte[] key) {
      iterator = entries.entryIterator(key.clone(), true, null, false);
      next();
    }

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
      return Keys.index(at.getKey(), 0);
    }

    @Override
    public boolean found(byte[] pool, int from, int length) {
      return Found.is(at.getValue(), pool, from, length);
    }

    @Override
    public void close() {
      iterator = null;
    }
  }
}
