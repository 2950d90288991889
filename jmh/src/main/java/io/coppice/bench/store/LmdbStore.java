// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

import io.coppice.workload.BenchmarkKeys;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.lmdbjava.Cursor;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.GetOp;
import org.lmdbjava.Meta;
import org.lmdbjava.Txn;

/**
 * LMDB through lmdbjava with direct buffers. Each write is a transaction; without sync, the write
 * survives the process once it returns, because the operating system has it. The page cache is its
 * only cache.
 */
final class LmdbStore implements TestedStore {

  private static final long MAX_BYTES = 1L << 40;

  private final Path directory;
  private final BenchOptions options;
  private final Env<ByteBuffer> env;
  private final Dbi<ByteBuffer> entries;
  private final ByteBuffer key = ByteBuffer.allocateDirect(BenchmarkKeys.BYTES);
  private final ByteBuffer value;
  private ReadSession own;

  LmdbStore(Path directory, BenchOptions options) {
    this.directory = directory;
    this.options = options;
    this.value = ByteBuffer.allocateDirect(options.valueBytes());
    List<EnvFlags> flags = new ArrayList<>(List.of(EnvFlags.MDB_NOTLS, EnvFlags.MDB_NORDAHEAD));
    if (!options.form().sync()) {
      flags.add(EnvFlags.MDB_NOSYNC);
    }
    env =
        Env.create()
            .setMapSize(MAX_BYTES)
            .setMaxDbs(1)
            .open(directory.toFile(), flags.toArray(EnvFlags[]::new));
    entries = env.openDbi("entries", DbiFlags.MDB_CREATE);
  }

  private void put(Txn<ByteBuffer> txn, byte[] bytes, byte[] pool, int from, int length) {
    key.clear().put(bytes).flip();
    value.clear().put(pool, from, length).flip();
    entries.put(txn, key, value);
  }

  @Override
  public void put(byte[] bytes, byte[] pool, int valueFrom, int valueLength) {
    try (Txn<ByteBuffer> txn = env.txnWrite()) {
      put(txn, bytes, pool, valueFrom, valueLength);
      txn.commit();
    }
  }

  @Override
  public void putAll(byte[][] keys, byte[] pool, int[] valuesFrom, int valueLength) {
    try (Txn<ByteBuffer> txn = env.txnWrite()) {
      for (int i = 0; i < keys.length; i++) {
        put(txn, keys[i], pool, valuesFrom[i], valueLength);
      }
      txn.commit();
    }
  }

  @Override
  public void delete(byte[] bytes) {
    try (Txn<ByteBuffer> txn = env.txnWrite()) {
      key.clear().put(bytes).flip();
      entries.delete(txn, key);
      txn.commit();
    }
  }

  @Override
  public ReadSession own() {
    if (own == null) {
      own = session();
    }
    return own;
  }

  @Override
  public ReadSession session() {
    return new Session(env, entries);
  }

  @Override
  public long settle() {
    env.sync(true);
    return 0;
  }

  @Override
  public void compact() {
    // It reuses free pages in place and has nothing to merge.
  }

  @Override
  public Map<Measure, Long> counters() {
    return Map.of(Measure.TABLE_BYTES, DiskFiles.bytes(directory));
  }

  @Override
  public String describe() {
    Meta.Version version = Meta.version();
    String writes = options.form().sync() ? "synced" : "MDB_NOSYNC";
    return "LMDB %d.%d.%d by lmdbjava, %s, page cache"
        .formatted(version.major, version.minor, version.patch, writes);
  }

  @Override
  public void close() throws IOException {
    if (own != null) {
      own.close();
    }
    env.close();
  }

  /** Session that renews its transaction for each read, and thus sees all earlier writes. */
  private static final class Session implements ReadSession {
    private final Dbi<ByteBuffer> entries;
    private final Txn<ByteBuffer> txn;
    private final ByteBuffer key = ByteBuffer.allocateDirect(BenchmarkKeys.BYTES);
    private ByteBuffer value;

    Session(Env<ByteBuffer> env, Dbi<ByteBuffer> entries) {
      this.entries = entries;
      this.txn = env.txnRead();
    }

    private void renew() {
      txn.reset();
      txn.renew();
    }

    @Override
    public int get(byte[] bytes) {
      renew();
      key.clear().put(bytes).flip();
      value = entries.get(txn, key);
      return value == null ? -1 : value.remaining();
    }

    @Override
    public boolean found(byte[] pool, int from, int length) {
      return value.equals(ByteBuffer.wrap(pool, from, length));
    }

    @Override
    public ReadSession.Scan scan() {
      renew();
      return new CursorScan(entries.openCursor(txn), key);
    }

    @Override
    public void close() {
      txn.close();
    }
  }

  private static final class CursorScan implements ReadSession.Scan {
    private final Cursor<ByteBuffer> cursor;
    private final ByteBuffer target;
    private boolean valid;

    CursorScan(Cursor<ByteBuffer> cursor, ByteBuffer target) {
      this.cursor = cursor;
      this.target = target;
    }

    @Override
    public void first() {
      valid = cursor.first();
    }

    @Override
    public void last() {
      valid = cursor.last();
    }

    @Override
    public void seek(byte[] key) {
      target.clear().put(key).flip();
      valid = cursor.get(target, GetOp.MDB_SET_RANGE);
    }

    @Override
    public void next() {
      valid = cursor.next();
    }

    @Override
    public void previous() {
      valid = cursor.prev();
    }

    @Override
    public boolean valid() {
      return valid;
    }

    @Override
    public long index() {
      return cursor.key().getLong(0);
    }

    @Override
    public boolean found(byte[] pool, int from, int length) {
      return cursor.val().equals(ByteBuffer.wrap(pool, from, length));
    }

    @Override
    public void close() {
      cursor.close();
    }
  }
}
