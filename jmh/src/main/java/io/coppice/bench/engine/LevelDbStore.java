// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.workload.Keys;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import org.iq80.leveldb.CompressionType;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.WriteBatch;
import org.iq80.leveldb.WriteOptions;
import org.iq80.leveldb.impl.Iq80DBFactory;

/** LevelDB rewritten in Java by Dain Sundstrom. It has no filters, and no call that waits. */
final class LevelDbStore implements TestedStore {

  private static final int BLOCK_BYTES = 4096;
  private static final int MOST_OPEN_FILES = 1000;

  private final Path directory;
  private final BenchOptions options;
  private final WriteOptions write;
  private final DB db;
  private byte[] value;

  LevelDbStore(Path directory, BenchOptions options) {
    this.directory = directory;
    this.options = options;
    this.write = new WriteOptions().sync(options.form().sync());
    try {
      db =
          Iq80DBFactory.factory.open(
              directory.toFile(),
              new Options()
                  .createIfMissing(true)
                  .writeBufferSize((int) Math.min(Integer.MAX_VALUE, options.memtableBytes()))
                  .blockSize(BLOCK_BYTES)
                  .maxOpenFiles(MOST_OPEN_FILES)
                  .verifyChecksums(true)
                  .cacheSize(options.cacheBytes())
                  .compressionType(CompressionType.NONE));
    } catch (IOException e) {
      throw new UncheckedIOException("LevelDB does not open", e);
    }
  }

  @Override
  public void put(byte[] key, byte[] pool, int valueFrom, int valueLength) {
    db.put(key.clone(), Found.copy(pool, valueFrom, valueLength), write);
  }

  @Override
  public void putAll(byte[][] keys, byte[] pool, int[] valuesFrom, int valueLength) {
    try (WriteBatch batch = db.createWriteBatch()) {
      for (int i = 0; i < keys.length; i++) {
        batch.put(keys[i].clone(), Found.copy(pool, valuesFrom[i], valueLength));
      }
      db.write(batch, write);
    } catch (IOException e) {
      throw new UncheckedIOException("LevelDB does not write", e);
    }
  }

  @Override
  public void delete(byte[] key) {
    db.delete(key.clone(), write);
  }

  @Override
  public int get(byte[] key) {
    value = db.get(key);
    return value == null ? -1 : value.length;
  }

  @Override
  public boolean found(byte[] pool, int from, int length) {
    return Found.is(value, pool, from, length);
  }

  @Override
  public Scan scan() {
    return new IteratorScan(db.iterator());
  }

  @Override
  public ReadSession session() {
    return new ValueSession(db::get, () -> new IteratorScan(db.iterator()));
  }

  @Override
  public long settle() {
    return Silence.await(directory);
  }

  @Override
  public void compact() {
    throw new UnsupportedOperationException("it has no such call");
  }

  @Override
  public Counters counters() {
    return Counters.ofSize(DiskFiles.bytes(directory));
  }

  @Override
  public String describe() {
    return "LevelDB in Java (iq80), no filters, cache of " + (options.cacheBytes() >> 20) + " MiB";
  }

  @Override
  public void close() {
    try {
      db.close();
    } catch (IOException e) {
      throw new UncheckedIOException("LevelDB does not close", e);
    }
  }

  private static final class IteratorScan implements Scan {
    private final DBIterator iterator;
    private Map.Entry<byte[], byte[]> at;

    IteratorScan(DBIterator iterator) {
      this.iterator = iterator;
    }

    @Override
    public void first() {
      iterator.seekToFirst();
      next();
    }

    @Override
    public void last() {
      throw new UnsupportedOperationException("it cannot go to its last key");
    }

    @Override
    public void seek(byte[] key) {
      iterator.seek(key.clone());
      next();
    }

    @Override
    public void next() {
      at = iterator.hasNext() ? iterator.next() : null;
    }

    @Override
    public void previous() {
      throw new UnsupportedOperationException("it goes forward only");
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
      try {
        iterator.close();
      } catch (IOException e) {
        throw new UncheckedIOException("LevelDB does not close a cursor", e);
      }
    }
  }
}
