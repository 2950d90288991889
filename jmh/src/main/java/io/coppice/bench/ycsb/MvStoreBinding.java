// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import io.coppice.bench.store.BenchOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;

/**
 * Binding of YCSB to MVStore, which commits about once per second. Its writes are less durable than
 * those of the other stores here.
 */
public final class MvStoreBinding extends RecordBinding {

  private static final int MEBI_SHIFT = 20;

  @Override
  RecordStore open(Path directory, BenchOptions options) {
    MVStore store =
        new MVStore.Builder()
            .fileName(directory.resolve("records.mv").toString())
            .cacheSize((int) (options.memoryBytes() >> MEBI_SHIFT))
            .open();
    MVMap<byte[], byte[]> map =
        store.openMap(
            "records",
            new MVMap.Builder<byte[], byte[]>()
                .keyType(ByteArrayDataType.INSTANCE)
                .valueType(ByteArrayDataType.INSTANCE));
    return new RecordStore(
        map::get,
        map::put,
        map::remove,
        (from, most) -> scan(map, from, most),
        () -> {
          store.commit();
          return 0L;
        },
        store::close);
  }

  private static List<byte[]> scan(MVMap<byte[], byte[]> map, byte[] from, int most) {
    List<byte[]> values = new ArrayList<>();
    Cursor<byte[], byte[]> cursor = map.cursor(from);
    while (cursor.hasNext() && values.size() < most) {
      cursor.next();
      values.add(cursor.getValue());
    }
    return values;
  }
}
