// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

import io.coppice.workload.BenchmarkKeys;
import java.nio.file.Path;
import java.util.Arrays;
import jetbrains.exodus.ArrayByteIterable;
import jetbrains.exodus.ByteIterable;
import jetbrains.exodus.env.Cursor;
import jetbrains.exodus.env.Environment;
import jetbrains.exodus.env.EnvironmentConfig;
import jetbrains.exodus.env.Environments;
import jetbrains.exodus.env.Store;
import jetbrains.exodus.env.StoreConfig;
import jetbrains.exodus.env.Transaction;

/**
 * Xodus: a log of immutable B-trees that a background thread cleans. Each write is a transaction.
 */
final class XodusStore extends ByteArrayStore {

  private static final int MEBI_SHIFT = 20;

  private final Path directory;
  private final BenchOptions options;
  private final Environment env;
  private final Store entries;

  XodusStore(Path directory, BenchOptions options) {
    super(directory);
    this.directory = directory;
    this.options = options;
    env =
        Environments.newInstance(
            directory.toString(),
            new EnvironmentConfig()
                .setLogDurableWrite(options.form().sync())
                .setMemoryUsage(options.memoryBytes()));
    entries =
        env.computeInTransaction(
            txn -> env.openStore("entries", StoreConfig.WITHOUT_DUPLICATES_WITH_PREFIXING, txn));
  }

  @Override
  byte[] lookUp(byte[] key) {
    Transaction txn = env.beginReadonlyTransaction();
    try {
      ByteIterable found = entries.get(txn, new ArrayByteIterable(key));
      return found == null ? null : Arrays.copyOf(found.getBytesUnsafe(), found.getLength());
    } finally {
      txn.abort();
    }
  }

  @Override
  void write(byte[] key, byte[] newValue) {
    env.executeInTransaction(
        txn -> entries.put(txn, new ArrayByteIterable(key), new ArrayByteIterable(newValue)));
  }

  @Override
  public void putAll(byte[][] keys, byte[] pool, int[] valuesFrom, int valueLength) {
    env.executeInTransaction(
        txn -> {
          for (int i = 0; i < keys.length; i++) {
            entries.put(
                txn,
                new ArrayByteIterable(keys[i].clone()),
                new ArrayByteIterable(
                    Arrays.copyOfRange(pool, valuesFrom[i], valuesFrom[i] + valueLength)));
          }
        });
  }

  @Override
  public void delete(byte[] key) {
    env.executeInTransaction(txn -> entries.delete(txn, new ArrayByteIterable(key.clone())));
  }

  @Override
  public void compact() {
    env.gc();
    QuietPeriod.await(directory);
  }

  @Override
  ReadSession.Scan newScan() {
    Transaction txn = env.beginReadonlyTransaction();
    return new CursorScan(txn, entries.openCursor(txn));
  }

  @Override
  public String describe() {
    String writes = options.form().sync() ? "durable writes" : "unsynced";
    return "Xodus, %s, cache of %d MiB".formatted(writes, options.memoryBytes() >> MEBI_SHIFT);
  }

  @Override
  public void close() {
    env.close();
  }

  private static final class CursorScan implements ReadSession.Scan {
    private final Transaction txn;
    private final Cursor cursor;
    private boolean valid;

    CursorScan(Transaction txn, Cursor cursor) {
      this.txn = txn;
      this.cursor = cursor;
    }

    @Override
    public void first() {
      valid = cursor.getNext();
    }

    @Override
    public void last() {
      valid = cursor.getLast();
    }

    @Override
    public void seek(byte[] key) {
      valid = cursor.getSearchKeyRange(new ArrayByteIterable(key)) != null;
    }

    @Override
    public void next() {
      valid = cursor.getNext();
    }

    @Override
    public void previous() {
      valid = cursor.getPrev();
    }

    @Override
    public boolean valid() {
      return valid;
    }

    @Override
    public long index() {
      return BenchmarkKeys.index(cursor.getKey().getBytesUnsafe(), 0);
    }

    @Override
    public boolean found(byte[] pool, int from, int length) {
      ByteIterable value = cursor.getValue();
      return value.getLength() == length
          && Arrays.equals(value.getBytesUnsafe(), 0, length, pool, from, from + length);
    }

    @Override
    public void close() {
      cursor.close();
      txn.abort();
    }
  }
}
