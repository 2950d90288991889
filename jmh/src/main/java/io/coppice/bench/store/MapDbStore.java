// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

import java.nio.file.Path;
import org.mapdb.BTreeMap;
import org.mapdb.DB;
import org.mapdb.DBMaker;
import org.mapdb.Serializer;

/**
 * MapDB's B-tree on a mapped file with its write-ahead log, which lets writes survive the process.
 * Its commit always syncs, so its writes are always durable.
 */
final class MapDbStore extends ByteArrayStore {

  private final DB db;
  private final BTreeMap<byte[], byte[]> entries;

  MapDbStore(Path directory) {
    super(directory);
    db =
        DBMaker.fileDB(directory.resolve("entries.mapdb").toFile())
            .fileMmapEnable()
            .transactionEnable()
            .make();
    entries = db.treeMap("entries", Serializer.BYTE_ARRAY, Serializer.BYTE_ARRAY).createOrOpen();
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
  void commit() {
    db.commit();
  }

  @Override
  public void delete(byte[] key) {
    entries.remove(key);
    db.commit();
  }

  @Override
  public long settle() {
    db.commit();
    return super.settle();
  }

  @Override
  public void compact() {
    db.getStore().compact();
  }

  @Override
  public String describe() {
    return "MapDB, mapped file with log, each write committed and synced";
  }

  @Override
  public void close() {
    db.close();
  }

  @Override
  ReadSession.Scan newScan() {
    return new EntryScan() {
      @Override
      public void first() {
        from(entries.entryIterator());
      }

      @Override
      public void last() {
        from(entries.descendingEntryIterator(null, false, null, false));
      }

      @Override
      public void seek(byte[] key) {
        from(entries.entryIterator(key.clone(), true, null, false));
      }
    };
  }
}
