// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import io.coppice.bench.engine.BenchOptions;
import io.coppice.bench.engine.RocksStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/** RocksDB, leveled, set up as everywhere. */
public final class RocksBinding extends RecordBinding {

  @Override
  RecordStore open(Path directory, BenchOptions options) {
    return new Records(new RocksStore(directory, options));
  }

  private record Records(RocksStore opened) implements RecordStore {

    private RocksDB db() {
      return opened.db();
    }

    private static IllegalStateException failed(RocksDBException cause) {
      return new IllegalStateException("RocksDB fails", cause);
    }

    @Override
    public byte[] get(byte[] key) {
      try {
        return db().get(key);
      } catch (RocksDBException e) {
        throw failed(e);
      }
    }

    @Override
    public void put(byte[] key, byte[] value) {
      try {
        db().put(key, value);
      } catch (RocksDBException e) {
        throw failed(e);
      }
    }

    @Override
    public void delete(byte[] key) {
      try {
        db().delete(key);
      } catch (RocksDBException e) {
        throw failed(e);
      }
    }

    @Override
    public List<byte[]> scan(byte[] from, int most) {
      List<byte[]> values = new ArrayList<>();
      try (RocksIterator iterator = db().newIterator()) {
        for (iterator.seek(from); iterator.isValid() && values.size() < most; iterator.next()) {
          values.add(iterator.value());
        }
      }
      return values;
    }

    @Override
    public long settle() {
      return opened.settle();
    }

    @Override
    public void close() {
      opened.close();
    }
  }
}
