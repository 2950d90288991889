// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.RocksStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;

/** Binding of YCSB to RocksDB with leveled compaction and the settings of all other benchmarks. */
public final class RocksBinding extends RecordBinding {

  @Override
  RecordStore open(Path directory, BenchOptions options) throws RocksDBException {
    RocksStore store = new RocksStore(directory, options);
    return new RecordStore(
        store.db()::get,
        store.db()::put,
        store.db()::delete,
        (from, most) -> scan(store.db(), from, most),
        store::settle,
        store::close);
  }

  private static List<byte[]> scan(RocksDB db, byte[] from, int most) {
    List<byte[]> values = new ArrayList<>();
    try (RocksIterator iterator = db.newIterator()) {
      for (iterator.seek(from); iterator.isValid() && values.size() < most; iterator.next()) {
        values.add(iterator.value());
      }
    }
    return values;
  }
}
