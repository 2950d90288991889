// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.ycsb;

import io.coppice.bench.engine.BenchOptions;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;

/** MVStore, which commits about once a second: a weaker promise than the others make here. */
public final class MvStoreBinding extends RecordBinding {

  private static final int MEBI_SHIFT = 20;

  @Override
  RecordStore open(Path directory, BenchOptions options) {
    MVStore store =
        new MVStore.Builder()
            .fileName(directory.resolve("records.mv").toString())
            .cacheSize((int) (options.memoryBytes() >> MEBI_SHIFT))
            .open();
    return new Records(
        store,
        store.openMap(
            "records",
            new MVMap.Builder<byte[], byte[]>()
                .keyType(ByteArrayDataType.INSTANCE)
                .valueType(ByteArrayDataType.INSTANCE)));
  }

  private record Records(MVStore store, MVMap<byte[], byte[]> map) implements RecordStore {
    @Override
    public byte[] get(byte[] key) {
      return map.get(key);
    }

    @Override
    public void put(byte[] key, byte[] value) {
      map.put(key, value);
    }

    @Override
    public void delete(byte[] key) {
      map.remove(key);
    }

    @Override
    public List<byte[]> scan(byte[] from, int most) {
      List<byte[]> values = new ArrayList<>();
      Cursor<byte[], byte[]> cursor = map.cursor(from);
      while (cursor.hasNext() && values.size() < most) {
        cursor.next();
        values.add(cursor.getValue());
      }
      return values;
    }

    @Override
    public long settle() {
      store.commit();
      return 0;
    }

    @Override
    public void close() {
      store.close();
    }
  }
}
