// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

import java.nio.file.Path;
import org.h2.engine.Constants;
import org.h2.mvstore.Cursor;
import org.h2.mvstore.MVMap;
import org.h2.mvstore.MVStore;
import org.h2.mvstore.type.ByteArrayDataType;

/**
 * MVStore, the storage engine of H2. It has no log, so each write is committed by itself to survive
 * the process; each commit adds a chunk to the file.
 */
final class MvStoreStore extends ByteArrayStore {

  private static final int COMPACT_MILLIS = 600_000;
  private static final int MEBI_SHIFT = 20;

  private final BenchOptions options;
  private final MVStore store;
  private final MVMap<byte[], byte[]> entries;

  MvStoreStore(Path directory, BenchOptions options) {
    super(directory);
    this.options = options;
    store =
        new MVStore.Builder()
            .fileName(directory.resolve("entries.mv").toString())
            .cacheSize((int) (options.memoryBytes() >> MEBI_SHIFT))
            .autoCommitDisabled()
            .open();
    entries =
        store.openMap(
            "entries",
            new MVMap.Builder<byte[], byte[]>()
                .keyType(ByteArrayDataType.INSTANCE)
                .valueType(ByteArrayDataType.INSTANCE));
  }

  @Override
  byte[] lookUp(byte[] key) {
    return entries.get(key);
  }

  @Override
  void write(byte[] key, byte[] newValue) {
    entries.put(key, newValue);
  }

  @Override
  ReadSession.Scan newScan() {
    return new CursorScan(entries);
  }

  @Override
  void commit() {
    store.commit();
    if (options.form().sync()) {
      store.sync();
    }
  }

  @Override
  public void delete(byte[] key) {
    entries.remove(key);
    commit();
  }

  @Override
  public long settle() {
    store.commit();
    store.sync();
    return super.settle();
  }

  @Override
  public void compact() {
    store.compactFile(COMPACT_MILLIS);
  }

  @Override
  public String describe() {
    return "MVStore %s, each write committed, cache of %d MiB"
        .formatted(Constants.VERSION, options.memoryBytes() >> MEBI_SHIFT);
  }

  @Override
  public void close() {
    store.close();
  }

  private static final class CursorScan extends IteratorScan<byte[]> {
    private final MVMap<byte[], byte[]> entries;
    private Cursor<byte[], byte[]> cursor;

    CursorScan(MVMap<byte[], byte[]> entries) {
      this.entries = entries;
    }

    private void from(byte[] start, boolean backward) {
      cursor = entries.cursor(start, null, backward);
      from(cursor);
    }

    @Override
    byte[] key(byte[] key) {
      return key;
    }

    @Override
    byte[] value(byte[] key) {
      return cursor.getValue();
    }

    @Override
    public void first() {
      from(null, false);
    }

    @Override
    public void last() {
      from(null, true);
    }

    @Override
    public void seek(byte[] target) {
      from(target.clone(), false);
    }
  }
}
