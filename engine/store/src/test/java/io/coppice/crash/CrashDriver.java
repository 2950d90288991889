// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import io.coppice.Cursor;
import io.coppice.Family;
import io.coppice.KeyRange;
import io.coppice.Snapshot;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.DiskFullException;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.thread.SeededWorkers;
import io.coppice.crash.CrashLedger.Change;
import io.coppice.io.Disk;
import io.coppice.io.ErrorDisk;
import io.coppice.io.MemDisk;
import io.coppice.recovery.StoreVerifier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Drives one store from one thread, background steps included, so equal seeds do equal things. What
 * is written goes to a ledger, against which answers are held.
 */
final class CrashDriver {

  /** More than any load leaves to be done. */
  private static final int REST_STEPS = 1_000;

  private final MemDisk memory;
  private final ErrorDisk errors;
  private final Disk disk;
  private final Random random;
  private final int keys;
  private final CrashLedger ledger;
  private final Consumer<StoreOptions.Builder> settings;
  private final List<String> families = new ArrayList<>(List.of("default"));
  private SeededWorkers workers;
  private Store store;

  /** A snapshot and what it must go on showing. */
  private Snapshot snapshot;

  private long snapshotDigest;

  /** Open on the default family since the snapshot was taken. */
  private Cursor cursor;

  private long cursorDigest;

  CrashDriver(
      MemDisk memory,
      ErrorDisk errors,
      Disk disk,
      Random random,
      int keys,
      CrashLedger ledger,
      Consumer<StoreOptions.Builder> settings) {
    this.memory = memory;
    this.errors = errors;
    this.disk = disk;
    this.random = random;
    this.keys = keys;
    this.ledger = ledger;
    this.settings = settings;
  }

  static StoreOptions options(String policy, Consumer<StoreOptions.Builder> settings) {
    StoreOptions.Builder builder =
        StoreOptions.builder()
            .policy(policy)
            .memory(MemoryBudget.ofMebibytes(64))
            .memtableBytes(64 << 10)
            .blockCacheBytes(0)
            .name("crash");
    settings.accept(builder);
    return builder.build();
  }

  Random random() {
    return random;
  }

  MemDisk memory() {
    return memory;
  }

  ErrorDisk errors() {
    return errors;
  }

  void open(String text) throws IOException {
    memory.reopen();
    workers = new SeededWorkers(random.nextLong());
    store = TestStores.open(disk, options(text, settings), workers);
  }

  /** Closes, which leaves all writes durable. */
  void close() {
    release();
    Store closing = store;
    store = null;
    closing.close();
    ledger.allDurable();
  }

  /** The process dies, and another opens the store: what was written is there, synced or not. */
  void kill(String text) throws IOException {
    release();
    Store dying = store;
    store = null;
    errors.fail(ErrorDisk.Fault.EIO, 1, true);
    try {
      dying.close();
    } catch (RuntimeException e) {
      // Nothing it tries reaches the disk.
    }
    errors.heal();
    open(text);
    check();
  }

  boolean isOpen() {
    return store != null;
  }

  void reopen(String text) throws IOException {
    close();
    open(text);
    check();
  }

  /** Gives everything back, whatever happened. */
  void abandon() {
    if (store != null) {
      try {
        store.close();
      } catch (RuntimeException e) {
        // What is looked for was found before.
      }
      store = null;
    }
  }

  /** Some writes, about half of them synced. */
  void writes(int count) {
    for (int i = 0; i < count; i++) {
      write(1 + random.nextInt(4), 260, random.nextBoolean());
    }
  }

  /** A batch of so many changes, three of ten of them deletions. */
  void write(int changes, int valueBytes, boolean sync) {
    List<Change> batch = new ArrayList<>();
    for (int i = 0; i < changes; i++) {
      byte[] key = key(random.nextInt(keys));
      batch.add(new Change(key, random.nextInt(10) < 3 ? null : value(i, valueBytes)));
    }
    write(batch, sync);
  }

  /** Deletes so many keys that follow one another, one by one. */
  void delete(int first, int count, boolean sync) {
    write(deletions(first, count), sync);
  }

  private List<Change> deletions(int first, int count) {
    List<Change> batch = new ArrayList<>();
    for (int number = first; number < first + count; number++) {
      batch.add(new Change(key(number), null));
    }
    return batch;
  }

  /** Deletes so many keys by one range; there must be one family only. */
  void deleteRange(int first, int count, boolean sync) {
    write(
        deletions(first, count),
        new WriteBatch().deleteRange(key(first), key(first + count)),
        sync);
  }

  /** Merges an operand into each of so many keys. */
  void merge(int first, int count, boolean sync) {
    WriteBatch batch = new WriteBatch();
    List<Change> changes = new ArrayList<>();
    for (int number = first; number < first + count; number++) {
      byte[] operand = value(number, 20);
      byte[] base = ledger.value(key(number));
      batch.merge(key(number), operand);
      changes.add(
          new Change(key(number), LastBytes.append(base == null ? new byte[0] : base, operand)));
    }
    write(changes, batch, sync);
  }

  /** Deletes so many keys by putting values whose time has ended. */
  void end(int first, int count, boolean sync) {
    WriteBatch batch = new WriteBatch();
    for (int number = first; number < first + count; number++) {
      batch.putUntil(key(number), value(number, 60), Instant.ofEpochMilli(1));
    }
    write(deletions(first, count), batch, sync);
  }

  /** Puts so many keys that follow one another. */
  void fill(int first, int count, int valueBytes) {
    List<Change> batch = new ArrayList<>();
    for (int number = first; number < first + count; number++) {
      batch.add(new Change(key(number), value(number, valueBytes)));
    }
    write(batch, false);
  }

  void write(List<Change> changes, boolean sync) {
    WriteBatch batch = new WriteBatch();
    for (Change change : changes) {
      Family family = familyOf(change.key());
      byte[] key = inFamily(change.key());
      if (change.value() == null) {
        batch.delete(family, key);
      } else {
        batch.put(family, key, change.value());
      }
    }
    write(changes, batch, sync);
  }

  private void write(List<Change> changes, WriteBatch batch, boolean sync) {
    ledger.submit(changes);
    try {
      store.write(batch, sync ? Durability.SYNC : Durability.BUFFERED);
    } catch (DiskFullException | UncheckedIOException | OutOfMemoryError e) {
      ledger.refused();
      return;
    }
    if (sync) {
      ledger.allDurable();
    }
  }

  /** A key of the ledger: in families of a name of their own that name comes first. */
  private byte[] key(int number) {
    String family = families.get(number % families.size());
    String text = String.format("k%04d", number);
    return (family.equals("default") ? text : family + "/" + text)
        .getBytes(StandardCharsets.US_ASCII);
  }

  /** Looks up a key of the ledger. */
  static byte[] get(Store store, byte[] key) {
    return familyOf(store, key).get(inFamily(key));
  }

  private Family familyOf(byte[] key) {
    return familyOf(store, key);
  }

  private static Family familyOf(Store store, byte[] key) {
    int end = familyEnd(key);
    return store.family(end < 0 ? "default" : new String(key, 0, end, StandardCharsets.US_ASCII));
  }

  private static byte[] inFamily(byte[] key) {
    return Arrays.copyOfRange(key, familyEnd(key) + 1, key.length);
  }

  private static int familyEnd(byte[] key) {
    for (int i = 0; i < key.length; i++) {
      if (key[i] == '/') {
        return i;
      }
    }
    return -1;
  }

  /** From now on keys are spread over one family more. */
  void create(String family) {
    store.createFamily(family);
    families.add(family);
  }

  /** The newest family goes, with its keys. */
  void drop() {
    String family = families.remove(families.size() - 1);
    sync();
    List<Change> gone = new ArrayList<>();
    byte[] prefix = (family + "/").getBytes(StandardCharsets.US_ASCII);
    for (byte[] key : ledger.after(ledger.submitted()).keySet()) {
      if (key.length > prefix.length
          && Arrays.equals(key, 0, prefix.length, prefix, 0, prefix.length)) {
        gone.add(new Change(key, null));
      }
    }
    ledger.submit(gone);
    store.dropFamily(family);
    ledger.allDurable();
  }

  private byte[] value(int place, int most) {
    byte[] value = new byte[Long.BYTES + random.nextInt(Math.max(1, most))];
    random.nextBytes(value);
    ByteBuffer.wrap(value).putInt((int) ledger.submitted()).putInt(place);
    return value;
  }

  void sync() {
    store.sync();
    ledger.allDurable();
  }

  void flush() {
    store.flush();
    ledger.allDurable();
  }

  /** As {@link #flush}, where the disk may be full. */
  void tryFlush() {
    try {
      flush();
    } catch (DiskFullException | UncheckedIOException e) {
      // It is tried again.
    }
  }

  /** Lets so many background steps happen, if there are as many; some merges stay half done. */
  void steps(int most) {
    for (int i = 0; i < most && workers.step(); i++) {
      checkSnapshot();
    }
  }

  /** Lets the store come to rest; no file is there then that nobody needs. */
  void rest() {
    steps(REST_STEPS);
    List<String> leftovers;
    try {
      // Whoever looks finds all that was done so far, on a disk that is late too.
      disk.list();
      leftovers = StoreVerifier.verify(memory).leftovers();
    } catch (IOException | RuntimeException e) {
      throw new CrashViolation(CrashViolation.Kind.UNSOUND, "an open store: " + e, e);
    }
    if (!leftovers.isEmpty()) {
      throw new CrashViolation(CrashViolation.Kind.LEFTOVER, "a store at rest keeps " + leftovers);
    }
  }

  /** Holds that no merge has failed, where no call of the disk has. */
  void checkPlans() {
    for (Family family : store.families()) {
      long failed = family.stats().failedPlans();
      if (failed > 0) {
        throw new CrashViolation(
            CrashViolation.Kind.WRONG_ANSWER, failed + " merges failed on a sound disk");
      }
    }
  }

  /** Looks every key up, which makes some policies merge. */
  void lookups() {
    for (int number = 0; number < keys; number++) {
      byte[] key = inFamily(key(number));
      familyOf(key(number)).get(Arrays.copyOf(key, key.length + 1));
    }
  }

  /** Writes a second store, whose contents are then those of this one. */
  void checkpoint(Disk target) throws IOException {
    TestStores.checkpoint(store, target);
  }

  /** Everything becomes one run. */
  void compact() {
    store.compact();
    ledger.allDurable();
  }

  /** Keeps the present view until {@link #release}. */
  void hold() {
    release();
    snapshot = store.snapshot();
    snapshotDigest = ledger.digest();
    cursor = store.cursor(KeyRange.all());
    cursorDigest = families.size() == 1 ? snapshotDigest : digest("default", cursor, null);
    cursor.first();
  }

  /** Ends {@link #hold}. */
  void release() {
    if (snapshot != null) {
      checkSnapshot();
      snapshot.close();
      snapshot = null;
      long shown;
      try {
        shown = digest("default", cursor, null);
      } catch (RuntimeException e) {
        throw new CrashViolation(CrashViolation.Kind.VIEW, "a cursor fails", e);
      }
      if (shown != cursorDigest) {
        throw new CrashViolation(CrashViolation.Kind.VIEW, "a cursor has changed");
      }
      cursor.close();
    }
  }

  private void checkSnapshot() {
    if (snapshot != null) {
      long shown;
      try {
        shown = 0;
        for (String family : families) {
          try (Cursor cursor = snapshot.cursor(store.family(family), KeyRange.all())) {
            shown += digest(family, cursor, null);
          }
        }
      } catch (RuntimeException e) {
        throw new CrashViolation(CrashViolation.Kind.VIEW, "a snapshot fails", e);
      }
      if (shown != snapshotDigest) {
        throw new CrashViolation(CrashViolation.Kind.VIEW, "a snapshot has changed");
      }
    }
  }

  /** Holds what the store shows against the ledger: a scan, and a lookup of each key. */
  void check() {
    NavigableMap<byte[], byte[]> expected = ledger.after(ledger.submitted());
    try {
      if (digest(store) != ledger.digest()) {
        throw new CrashViolation(
            CrashViolation.Kind.WRONG_ANSWER,
            ledger.explain(contents(store), ledger.submitted(), ledger.submitted()).getMessage());
      }
      for (int number = 0; number < keys; number++) {
        byte[] key = key(number);
        if (!Arrays.equals(familyOf(key).get(inFamily(key)), expected.get(key))) {
          throw new CrashViolation(
              CrashViolation.Kind.WRONG_ANSWER, "a lookup of key " + number + " is wrong");
        }
      }
    } catch (CrashViolation e) {
      throw e;
    } catch (RuntimeException e) {
      throw new CrashViolation(CrashViolation.Kind.WRONG_ANSWER, "a read fails", e);
    }
  }

  /** A digest of all that a store shows; keys must ascend. */
  static long digest(Store store) {
    return scan(store, null);
  }

  /** All that a store shows, by keys of the ledger. */
  static NavigableMap<byte[], byte[]> contents(Store store) {
    NavigableMap<byte[], byte[]> shown = new TreeMap<>(Arrays::compareUnsigned);
    scan(store, shown);
    return shown;
  }

  private static long scan(Store store, NavigableMap<byte[], byte[]> shown) {
    long sum = 0;
    for (Family family : store.families()) {
      try (Cursor cursor = family.cursor(KeyRange.all())) {
        sum += digest(family.name(), cursor, shown);
      }
    }
    return sum;
  }

  private static long digest(String family, Cursor cursor, NavigableMap<byte[], byte[]> shown) {
    byte[] prefix =
        family.equals("default") ? new byte[0] : (family + "/").getBytes(StandardCharsets.US_ASCII);
    long sum = 0;
    byte[] before = null;
    for (cursor.first(); cursor.valid(); cursor.next()) {
      byte[] inner = cursor.key();
      if (before != null && Arrays.compareUnsigned(before, inner) >= 0) {
        throw new CrashViolation(CrashViolation.Kind.WRONG_ANSWER, "keys of a scan do not ascend");
      }
      byte[] key = Arrays.copyOf(prefix, prefix.length + inner.length);
      System.arraycopy(inner, 0, key, prefix.length, inner.length);
      sum += CrashLedger.digest(key, cursor.value());
      before = inner;
      if (shown != null) {
        shown.put(key, cursor.value());
      }
    }
    return sum;
  }
}
