// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.rocksdb.FlushOptions;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.Slice;
import org.rocksdb.Snapshot;
import org.rocksdb.StringAppendOperator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/**
 * RocksDB as a second oracle: what it answers is what the model answers, or one of the two is
 * wrong. Written by others, in another language, on other principles. What a load says about
 * policies and background work means nothing here, values that end it does not have; a crash is
 * closing and opening.
 */
public final class RocksSubject implements Subject {

  /** An iterator and what must outlive it. */
  private static final class Held {
    final ReadOptions options = new ReadOptions();
    final List<Slice> bounds = new ArrayList<>();
    RocksIterator iterator;

    void close() {
      iterator.close();
      options.close();
      bounds.forEach(Slice::close);
    }
  }

  private static final StringAppendOperator APPEND = new StringAppendOperator("");

  private final Keys keys;
  private final Path directory;
  private final Options options =
      new Options()
          .setCreateIfMissing(true)
          .setWriteBufferSize(64 << 10)
          .setMaxOpenFiles(64)
          .setMergeOperator(APPEND);
  private final WriteOptions unsynced = new WriteOptions();
  private final Snapshot[] snapshots = new Snapshot[SLOTS];
  private final Held[] cursors = new Held[SLOTS];
  private RocksDB store;

  /** Opens an empty store in an empty directory. */
  public RocksSubject(Keys keys, Path directory) throws RocksDBException {
    this.keys = keys;
    this.directory = directory;
    store = RocksDB.open(options, directory.toString());
  }

  @Override
  public void apply(int index, Op op, Answer answer) throws RocksDBException {
    switch (op.kind()) {
      case WRITE -> write(op);
      case CAS -> {
        byte[] present = store.get(keys.of(op.changes().get(0).key()));
        boolean same = Arrays.equals(present, Op.expected(op.number(), present));
        if (same) {
          write(op);
        }
        answer.truth(same);
      }
      case GET -> {
        if (readable(op.slot())) {
          answer.value(get(op.slot(), op.key()));
        }
      }
      case GET_ALL -> {
        if (readable(op.slot())) {
          for (Change one : op.changes()) {
            answer.value(get(op.slot(), one.key()));
          }
        }
      }
      case WALK -> {
        if (readable(op.slot())) {
          Held held = open(op.slot(), op);
          walk(held.iterator, op, answer);
          held.close();
        }
      }
      case SCAN -> {
        if (readable(op.slot())) {
          Held held = open(op.slot(), op);
          scan(held.iterator, answer);
          held.close();
        }
      }
      case SNAPSHOT -> {
        if (snapshots[op.slot()] == null) {
          snapshots[op.slot()] = store.getSnapshot();
        }
      }
      case RELEASE -> release(op.slot());
      case OPEN -> {
        if (cursors[op.slot()] == null && readable((int) op.number())) {
          cursors[op.slot()] = open((int) op.number(), op);
        }
      }
      case MOVE -> {
        if (cursors[op.slot()] != null) {
          walk(cursors[op.slot()].iterator, op, answer);
        }
      }
      case CLOSE -> closeCursor(op.slot());
      case FLUSH -> {
        try (FlushOptions wait = new FlushOptions().setWaitForFlush(true)) {
          store.flush(wait);
        }
      }
      case COMPACT -> store.compactRange();
      case REOPEN, OPTIONS, KILL, CRASH -> {
        letGo();
        store.close();
        store = RocksDB.open(options, directory.toString());
      }
      default -> {}
    }
  }

  private boolean readable(int slot) {
    return slot == Op.NONE || snapshots[slot] != null;
  }

  private void write(Op op) throws RocksDBException {
    try (WriteBatch batch = new WriteBatch()) {
      for (Change change : op.changes()) {
        byte[] key = keys.of(change.key());
        switch (change.type()) {
          case PUT -> batch.put(key, change.value().bytes());
          case DELETE -> batch.delete(key);
          case MERGE -> batch.merge(key, change.value().bytes());
          case CLEAR -> {
            byte[] to = keys.of(change.to());
            if (Arrays.compareUnsigned(key, to) < 0) {
              batch.deleteRange(key, to);
            }
          }
        }
      }
      store.write(unsynced, batch);
    }
  }

  private byte[] get(int slot, int key) throws RocksDBException {
    if (slot == Op.NONE) {
      return store.get(keys.of(key));
    }
    try (ReadOptions then = new ReadOptions().setSnapshot(snapshots[slot])) {
      return store.get(then, keys.of(key));
    }
  }

  private Held open(int slot, Op op) {
    Held held = new Held();
    byte[] from = op.from() == Op.NONE ? null : keys.of(op.from());
    byte[] to = op.to() == Op.NONE ? null : keys.of(op.to());
    if (from != null && to != null && Arrays.compareUnsigned(from, to) > 0) {
      to = from;
    }
    if (from != null) {
      Slice bound = new Slice(from);
      held.bounds.add(bound);
      held.options.setIterateLowerBound(bound);
    }
    if (to != null) {
      Slice bound = new Slice(to);
      held.bounds.add(bound);
      held.options.setIterateUpperBound(bound);
    }
    if (slot != Op.NONE) {
      held.options.setSnapshot(snapshots[slot]);
    }
    held.iterator = store.newIterator(held.options);
    return held;
  }

  private static void scan(RocksIterator iterator, Answer answer) throws RocksDBException {
    for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
      answer.key(iterator.key());
      answer.value(iterator.value());
    }
    iterator.status();
    answer.end();
  }

  private void walk(RocksIterator iterator, Op op, Answer answer) throws RocksDBException {
    switch (op.place()) {
      case FIRST -> iterator.seekToFirst();
      case LAST -> iterator.seekToLast();
      case SEEK -> iterator.seek(keys.of(op.key()));
      case BEFORE -> iterator.seekForPrev(keys.of(op.key()));
      case HERE -> {}
    }
    boolean on = show(iterator, answer);
    for (int i = 0; i < op.moves().length() && on; i++) {
      if (op.moves().charAt(i) == 'n') {
        iterator.next();
      } else {
        iterator.prev();
      }
      on = show(iterator, answer);
    }
  }

  private static boolean show(RocksIterator iterator, Answer answer) throws RocksDBException {
    iterator.status();
    if (!iterator.isValid()) {
      answer.end();
      return false;
    }
    answer.key(iterator.key());
    answer.value(iterator.value());
    return true;
  }

  private void release(int slot) {
    if (snapshots[slot] != null) {
      store.releaseSnapshot(snapshots[slot]);
      snapshots[slot] = null;
    }
  }

  private void closeCursor(int slot) {
    if (cursors[slot] != null) {
      cursors[slot].close();
      cursors[slot] = null;
    }
  }

  private void letGo() {
    for (int slot = 0; slot < SLOTS; slot++) {
      closeCursor(slot);
      release(slot);
    }
  }

  @Override
  public void close() throws IOException {
    letGo();
    store.close();
    options.close();
    unsynced.close();
  }
}
