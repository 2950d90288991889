// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.iq80.leveldb.CompressionType;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.WriteBatch;
import org.iq80.leveldb.WriteOptions;
import org.iq80.leveldb.impl.Iq80DBFactory;

/**
 * LevelDB, reimplemented in Java by Dain Sundstrom. It lacks filters and a call that waits for
 * compactions.
 */
final class LevelDbStore extends ByteArrayStore {

  private static final int BLOCK_BYTES = 4096;
  private static final int MAX_OPEN_FILES = 1000;

  private final BenchOptions options;
  private final WriteOptions write;
  private final DB db;

  LevelDbStore(Path directory, BenchOptions options) throws IOException {
    super(directory);
    this.options = options;
    this.write = new WriteOptions().sync(options.form().sync());
    db =
        Iq80DBFactory.factory.open(
            directory.toFile(),
            new Options()
                .createIfMissing(true)
                .writeBufferSize((int) Math.min(Integer.MAX_VALUE, options.memtableBytes()))
                .blockSize(BLOCK_BYTES)
                .maxOpenFiles(MAX_OPEN_FILES)
                .verifyChecksums(true)
                .cacheSize(options.cacheBytes())
                .compressionType(CompressionType.NONE));
  }

  @Override
  byte[] lookUp(byte[] key) {
    return db.get(key);
  }

  @Override
  void write(byte[] key, byte[] newValue) {
    db.put(key, newValue, write);
  }

  @Override
  public void putAll(byte[][] keys, byte[] pool, int[] valuesFrom, int valueLength)
      throws IOException {
    try (WriteBatch batch = db.createWriteBatch()) {
      for (int i = 0; i < keys.length; i++) {
        int from = valuesFrom[i];
        batch.put(keys[i].clone(), Arrays.copyOfRange(pool, from, from + valueLength));
      }
      db.write(batch, write);
    }
  }

  @Override
  public void delete(byte[] key) {
    db.delete(key.clone(), write);
  }

  @Override
  public void compact() {
    throw new UnsupportedOperationException("it has no such call");
  }

  @Override
  public String describe() {
    return "LevelDB in Java (iq80), no filters, cache of " + (options.cacheBytes() >> 20) + " MiB";
  }

  @Override
  public void close() throws IOException {
    db.close();
  }

  @Override
  ReadSession.Scan newScan() {
    DBIterator iterator = db.iterator();
    return new EntryScan() {
      @Override
      public void first() {
        iterator.seekToFirst();
        from(iterator);
      }

      @Override
      public void last() {
        throw new UnsupportedOperationException("it cannot go to its last key");
      }

      @Override
      public void previous() {
        throw new UnsupportedOperationException("it goes forward only");
      }

      @Override
      public void seek(byte[] key) {
        iterator.seek(key.clone());
        from(iterator);
      }

      @Override
      public void close() throws IOException {
        iterator.close();
      }
    };
  }
}
