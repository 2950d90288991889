// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import io.coppice.Cursor;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.CoppiceStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Binding of YCSB to a Coppice store, with the policy that a property names. */
public final class CoppiceBinding extends RecordBinding {

  private static final int FILTER_BITS = 10;

  @Override
  RecordStore open(Path directory, BenchOptions options) {
    Store store =
        Store.open(
            directory,
            CoppiceStore.options(
                    getProperties().getProperty(POLICY),
                    options.memoryBytes(),
                    options.memtableBytes())
                .filterBits(FILTER_BITS)
                .build());
    return new RecordStore(
        store::get,
        store::put,
        store::delete,
        (from, most) -> scan(store, from, most),
        () -> {
          store.flush();
          store.awaitIdle();
          return 0L;
        },
        store::close);
  }

  private static List<byte[]> scan(Store store, byte[] from, int most) {
    List<byte[]> values = new ArrayList<>();
    try (Cursor cursor = store.cursor(KeyRange.all())) {
      for (cursor.seek(from); cursor.valid() && values.size() < most; cursor.next()) {
        values.add(cursor.value());
      }
    }
    return values;
  }
}
