// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.micro;

import io.coppice.base.MemoryBudget;
import io.coppice.bench.suite.Directories;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryKind;
import io.coppice.memtable.ChunkPool;
import io.coppice.memtable.Memtable;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ConcurrentSkipListMap;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteOptions;

/** Buffer of entries in key order: the engine's memtable or one that it is compared with. */
interface SortedBuffer extends Closeable {

  void add(byte[] key, byte[] value) throws Exception;

  /** Copies out the newest value of a key and returns its length, or -1 if there is none. */
  int get(byte[] key) throws Exception;

  /** Scans all entries and returns their number. */
  int walk();

  /**
   * Creates an empty buffer, which the caller closes.
   *
   * @param name value of the parameter {@code store} of {@link MemtableBenchmark}
   * @param entries number of entries that will be added
   * @param valueBytes length of each value
   */
  static SortedBuffer of(String name, int entries, int valueBytes) throws Exception {
    return switch (name) {
      case "skip-list-map" -> new OfMap(valueBytes);
      case "rocksdb" -> new OfRocks(entries, valueBytes);
      default -> new Ours(entries, valueBytes);
    };
  }

  final class Ours implements SortedBuffer {
    private static final long BYTES_BESIDE = 64;
    private static final long ROOM = 64L << 20;

    private final ChunkPool pool;
    private final Memtable memtable;
    private final ByteBuffer target;
    private long sequence;

    Ours(int entries, int valueBytes) {
      long bytes = entries * (valueBytes + BYTES_BESIDE) * 2 + ROOM;
      pool = new ChunkPool(MemoryBudget.ofBytes(bytes), 0);
      memtable = Memtable.tryCreate(pool);
      target = ByteBuffer.allocateDirect(valueBytes);
    }

    @Override
    public void add(byte[] key, byte[] value) {
      if (!memtable.add(++sequence, EntryKind.PUT, key, 0, key.length, value, 0, value.length)) {
        throw new IllegalStateException("no memory for an entry");
      }
    }

    @Override
    public int get(byte[] key) {
      int place = memtable.find(key, 0, key.length, sequence);
      if (place == 0) {
        return -1;
      }
      memtable.copyValue(place, target.clear());
      return memtable.valueLength(place);
    }

    @Override
    public int walk() {
      int seen = 0;
      try (EntryCursor cursor = memtable.cursor()) {
        for (cursor.first(); cursor.valid(); cursor.next()) {
          seen += cursor.keyLength() > 0 ? 1 : 0;
        }
      }
      return seen;
    }

    @Override
    public void close() {
      memtable.release();
      pool.close();
    }
  }

  /** Buffer on the JDK's {@code ConcurrentSkipListMap}, with arrays on the heap. */
  final class OfMap implements SortedBuffer {
    private final ConcurrentSkipListMap<byte[], byte[]> map =
        new ConcurrentSkipListMap<>(Arrays::compareUnsigned);
    private final byte[] target;

    OfMap(int valueBytes) {
      target = new byte[valueBytes];
    }

    @Override
    public void add(byte[] key, byte[] value) {
      map.put(key.clone(), value.clone());
    }

    @Override
    public int get(byte[] key) {
      byte[] value = map.get(key);
      if (value == null) {
        return -1;
      }
      System.arraycopy(value, 0, target, 0, value.length);
      return value.length;
    }

    @Override
    public int walk() {
      int seen = 0;
      for (Map.Entry<byte[], byte[]> entry : map.entrySet()) {
        seen += entry.getKey().length > 0 ? 1 : 0;
      }
      return seen;
    }

    @Override
    public void close() {
      map.clear();
    }
  }

  /**
   * Buffer on RocksDB with its log off and a memtable that it never flushes; each call crosses JNI.
   */
  final class OfRocks implements SortedBuffer {
    private static final long MAX_BYTES = 1L << 30;

    static {
      RocksDB.loadLibrary();
    }

    private final Path directory;
    private final Options options;
    private final RocksDB db;
    private final WriteOptions unlogged = new WriteOptions().setDisableWAL(true);
    private final byte[] target;

    OfRocks(int entries, int valueBytes) throws IOException, RocksDBException {
      target = new byte[valueBytes];
      options =
          new Options()
              .setCreateIfMissing(true)
              .setWriteBufferSize(Math.max(MAX_BYTES, 4L * entries * valueBytes));
      directory = Files.createTempDirectory("coppice-memtable");
      db = RocksDB.open(options, directory.toString());
    }

    @Override
    public void add(byte[] key, byte[] value) throws RocksDBException {
      db.put(unlogged, key, value);
    }

    @Override
    public int get(byte[] key) throws RocksDBException {
      return db.get(key, target);
    }

    @Override
    public int walk() {
      int seen = 0;
      try (RocksIterator iterator = db.newIterator()) {
        for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
          seen += iterator.key().length > 0 ? 1 : 0;
        }
      }
      return seen;
    }

    @Override
    public void close() throws IOException {
      db.close();
      unlogged.close();
      options.close();
      Directories.delete(directory);
    }
  }
}
