// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.bench.engine.BenchOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Coppice with the policy of its property. */
public final class CoppiceBinding extends RecordBinding {

  private static final int MEBI_SHIFT = 20;
  private static final int FILTER_BITS = 10;

  @Override
  RecordStore open(Path directory, BenchOptions options) {
    return new Records(
        Store.open(
            directory,
            StoreOptions.builder()
                .policy(getProperties().getProperty(POLICY))
                .memory(MemoryBudget.ofMebibytes(options.memoryBytes() >> MEBI_SHIFT))
                .memtableBytes(options.memtableBytes())
                .filterBits(FILTER_BITS)
                .durability(Durability.BUFFERED)
                .build()));
  }

  private record Records(Store store) implements RecordStore {
    @Override
    public byte[] get(byte[] key) {
      return store.get(key);
    }

    @Override
    public void put(byte[] key, byte[] value) {
      store.put(key, value);
    }

    @Override
    public void delete(byte[] key) {
      store.delete(key);
    }

    @Override
    public List<byte[]> scan(byte[] from, int most) {
      List<byte[]> values = new ArrayList<>();
      try (Cursor cursor = store.cursor(KeyRange.all())) {
        for (cursor.seek(from); cursor.valid() && values.size() < most; cursor.next()) {
          values.add(cursor.value());
        }
      }
      return values;
    }

    @Override
    public long settle() {
      store.flush();
      store.awaitIdle();
      return 0;
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
