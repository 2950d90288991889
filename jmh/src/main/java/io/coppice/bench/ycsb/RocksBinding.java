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
  RecordStore open(Path directory, BenchOptions options) throws RocksDBException {
    return new Records(new RocksStore(directory, options));
  }

  private record Records(RocksStore opened) implements RecordStore {

    private RocksDB db() {
      return opened.db();
    }

    @Override
    public byte[] get(byte[] key) throws RocksDBException {
      return db().get(key);
    }

    @Override
    public void put(byte[] key, byte[] value) throws RocksDBException {
      db().put(key, value);
    }

    @Override
    public void delete(byte[] key) throws RocksDBException {
      db().delete(key);
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
    public long settle() throws RocksDBException, InterruptedException {
      return opened.settle();
    }

    @Override
    public void close() {
      opened.close();
    }
  }
}
