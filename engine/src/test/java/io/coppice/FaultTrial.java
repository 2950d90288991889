// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.CorruptionException;
import io.coppice.base.DiskFullException;
import io.coppice.base.Durability;
import io.coppice.base.FailingBudget;
import io.coppice.base.MemoryBudget;
import io.coppice.base.ReadOnlyException;
import io.coppice.base.StoreException;
import io.coppice.io.ErrorDisk;
import io.coppice.io.ErrorDisk.Fault;
import io.coppice.io.MemDisk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;

/**
 * One store on a disk that fails, and a ledger of what it acknowledged. Whatever the store answers
 * is held against the ledger: an operation succeeds and has its effect, or it throws an exception
 * of the documented kinds that names the cause. Of a write that failed it is known that it has no
 * effect, unless it was the one that made the store read-only.
 */
final class FaultTrial {

  /** A batch: value by key, null for a deletion. */
  private final List<Map<String, String>> batches = new ArrayList<>();

  private final MemDisk memory;
  private final ErrorDisk disk;
  private final StoreOptions options;
  private final FailingBudget failingBudget = new FailingBudget(16 << 20);
  private final MemoryBudget budget = failingBudget.budget();
  private final Fault fault;
  private final int n;
  private final boolean forEver;

  private Store store;
  private int synced;

  /** The batch that made the store read-only: it may be found after reopening. */
  private Map<String, String> doubt;

  private boolean readOnly;
  private boolean armed;
  private boolean firedBeforeOpened;

  /** In the opening itself, or in the flush of a recovered log that goes on beside it. */
  private boolean firedWhileOpening;

  private int failures;
  private Throwable last;
  private int written;

  /** Prepares a trial whose n-th operation after {@link #arm} fails. */
  FaultTrial(MemDisk memory, String policy, Fault fault, int n, boolean forEver) {
    this.memory = memory;
    this.disk = new ErrorDisk(memory);
    this.fault = fault;
    this.n = n;
    this.forEver = forEver;
    this.options =
        StoreOptions.builder()
            .policy(policy)
            .memory(budget)
            .memtableBytes(256 << 10)
            .name("trial")
            .build();
  }

  /** Goes on where another trial, without faults, has left its disk. */
  FaultTrial(FaultTrial prepared, String policy, Fault fault, int n, boolean forEver) {
    this(prepared.memory.kill(), policy, fault, n, forEver);
    batches.addAll(prepared.batches);
    synced = prepared.synced;
    written = prepared.written;
  }

  /** From here on operations are counted. */
  void arm() {
    armed = true;
    if (fault != null && fault.ofMemory()) {
      failingBudget.fail(n, forEver, fault == Fault.OUT_OF_MEMORY);
    } else if (fault != null) {
      disk.fail(fault, n, forEver);
    }
  }

  /** True if the n-th operation was reached. */
  boolean fired() {
    return disk.fired() || failingBudget.fired();
  }

  int operations() {
    return disk.passed() + failingBudget.passed();
  }

  String hit() {
    return disk.hit() + failingBudget.hit();
  }

  boolean isOpen() {
    return store != null;
  }

  /** Opens the store; it stays closed if that fails. */
  boolean open() {
    boolean firedEarlier = fired();
    boolean opened =
        attempt(
            () -> {
              try {
                memory.reopen();
                store = Store.open(disk, options);
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    firedBeforeOpened = fired();
    firedWhileOpening = firedBeforeOpened && (forEver || !firedEarlier);
    if (!opened) {
      store = null;
      checkNothingHeld();
      return false;
    }
    readOnly = false;
    synced = batches.size();
    return resolveDoubt();
  }

  /** Looks whether the batch in doubt was recovered; false if that cannot be told. */
  private boolean resolveDoubt() {
    if (doubt == null) {
      return true;
    }
    NavigableMap<String, String> shown = new TreeMap<>();
    if (!attempt(() -> shown.putAll(contents(store)))) {
      return false;
    }
    if (!shown.equals(model(batches.size(), null))) {
      assertThat(shown).as("what was recovered").isEqualTo(model(batches.size(), doubt));
      batches.add(doubt);
      synced = batches.size();
    }
    doubt = null;
    return true;
  }

  /** Closes the store; whatever happens, nothing is held afterwards. */
  void close() {
    if (store == null) {
      return;
    }
    Store closing = store;
    store = null;
    attempt(closing::close);
    checkNothingHeld();
  }

  private void checkNothingHeld() {
    assertThat(memory.openFiles()).as("open files").isZero();
    assertThat(budget.usedBytes()).as("bytes held from the budget").isZero();
  }

  /** Writes one batch of so many keys from the given one on. */
  boolean put(Durability durability, int from, int count, int valueBytes) {
    Map<String, String> batch = new TreeMap<>();
    for (int key = from; key < from + count; key++) {
      written++;
      batch.put(key(key), written + "-" + "v".repeat(valueBytes));
    }
    return write(batch, durability);
  }

  /** Deletes so many keys in one batch. */
  boolean delete(Durability durability, int from, int count) {
    Map<String, String> batch = new TreeMap<>();
    for (int key = from; key < from + count; key++) {
      batch.put(key(key), null);
    }
    return write(batch, durability);
  }

  /** Writes a batch. */
  boolean write(Map<String, String> entries, Durability durability) {
    WriteBatch batch = new WriteBatch();
    entries.forEach(
        (key, value) -> {
          if (value == null) {
            batch.delete(bytes(key));
          } else {
            batch.put(bytes(key), bytes(value));
          }
        });
    boolean done = attempt(() -> store.write(batch, durability));
    if (done) {
      assertThat(readOnly).as("a read-only store took a write").isFalse();
      batches.add(entries);
      if (durability == Durability.SYNC) {
        synced = batches.size();
      }
    } else if (last instanceof ReadOnlyException && !readOnly) {
      readOnly = true;
      doubt = entries;
    }
    return done;
  }

  /** Syncs the log. */
  boolean sync() {
    return durable(attempt(() -> store.sync()));
  }

  /** Flushes; what was written is durable then. */
  boolean flush() {
    return durable(attempt(() -> store.flush()));
  }

  private boolean durable(boolean done) {
    if (done) {
      synced = batches.size();
    }
    return done;
  }

  /** Waits for flush and policy. */
  boolean idle() {
    return attempt(() -> store.awaitIdle());
  }

  /** Merges everything. */
  boolean compact() {
    return durable(attempt(() -> store.compact()));
  }

  /** Reads all there is by cursor, forward and backward, and some of it by key. */
  void read() {
    NavigableMap<String, String> model = model(batches.size(), null);
    attempt(() -> assertThat(contents(store)).as("a scan").isEqualTo(model));
    attempt(() -> assertThat(backwards(store)).as("a scan backwards").isEqualTo(model));
    int place = 0;
    for (String key : model.keySet()) {
      if (place++ % 7 == 0) {
        attempt(() -> assertThat(text(store.get(bytes(key)))).isEqualTo(model.get(key)));
      }
    }
    attempt(() -> assertThat(store.get(bytes("absent"))).isNull());
  }

  /** Takes a snapshot, runs the action, and reads what the snapshot saw. */
  void snapshot(Runnable action) {
    NavigableMap<String, String> model = model(batches.size(), null);
    attempt(
        () -> {
          try (Snapshot snapshot = store.snapshot()) {
            action.run();
            NavigableMap<String, String> shown = new TreeMap<>();
            try (Cursor cursor = snapshot.cursor(KeyRange.all())) {
              for (cursor.first(); cursor.valid(); cursor.next()) {
                shown.put(text(cursor.key()), text(cursor.value()));
              }
            }
            assertThat(shown).as("what a snapshot shows").isEqualTo(model);
          }
        });
  }

  /** Runs an operation; false if it threw one of the documented exceptions for the right cause. */
  private boolean attempt(Runnable operation) {
    try {
      operation.run();
      last = null;
      return true;
    } catch (StoreException | UncheckedIOException e) {
      return failed(e);
    } catch (IllegalArgumentException e) {
      assertThat(fault).as("an argument is refused: " + e).isEqualTo(Fault.MEMORY);
      return failed(e);
    } catch (IllegalStateException | OutOfMemoryError e) {
      assertThat(fault).as("thrown: " + e).isEqualTo(Fault.OUT_OF_MEMORY);
      return failed(e);
    }
  }

  private boolean failed(Throwable problem) {
    last = problem;
    failures++;
    checkCause(problem);
    return false;
  }

  private void checkCause(Throwable problem) {
    assertThat(armed && fired()).as("nothing failed, yet: " + problem).isTrue();
    if (problem instanceof CorruptionException) {
      assertThat(fault).as("taken for damage: " + problem).isEqualTo(Fault.SHORT);
    }
    boolean named = problem instanceof DiskFullException && fault == Fault.ENOSPC;
    for (Throwable cause = problem; cause != null; cause = cause.getCause()) {
      named |= cause.getMessage() != null && cause.getMessage().contains(fault.message());
      for (Throwable other : cause.getSuppressed()) {
        named |= other.getMessage() != null && other.getMessage().contains(fault.message());
      }
    }
    if (!named) {
      throw new AssertionError("the cause is not named: " + problem, problem);
    }
  }

  /** Reads under the fault, heals the disk, and looks at everything the store promises. */
  void finish(Random random) throws IOException {
    if (store != null) {
      read();
    }
    MemDisk killed = memory.kill();
    MemDisk crashed = random.nextBoolean() ? memory.crash() : memory.crash(random);
    disk.heal();
    failingBudget.heal();
    checkRecovers(killed, batches.size());
    checkRecovers(crashed, synced);
    if (store != null) {
      readAfterHealing();
      writeAfterHealing();
      close();
    }
    checkRecovers(memory.kill(), batches.size());
  }

  private void readAfterHealing() {
    int before = failures;
    read();
    if (!(firedBeforeOpened && fault == Fault.SHORT)) {
      // What could not be read while the store opened counts as damaged until it is reopened.
      assertThat(failures).as("reads on a healed disk; one threw " + last).isEqualTo(before);
    }
  }

  private void writeAfterHealing() {
    boolean hitWhileOpen = fired() && !firedBeforeOpened;
    boolean syncFailed = hit().startsWith("SYNC") && !hit().endsWith("slots");
    boolean took = put(Durability.SYNC, 0, 3, 20) && flush();
    if (syncFailed && hitWhileOpen) {
      assertThat(took).as("a store took a write after the failure of " + hit()).isFalse();
      assertThat(last).isInstanceOf(ReadOnlyException.class);
    } else if (firedWhileOpening && !took && !isPassing()) {
      assertThat(last).isInstanceOf(ReadOnlyException.class);
    } else if (!hitWhileOpen || isPassing()) {
      assertThat(took).as("a write on a healed disk; it threw " + last).isTrue();
    }
    if (took && !(firedBeforeOpened && fault == Fault.SHORT)) {
      assertThat(compact()).as("a merge on a healed disk; it threw " + last).isTrue();
    }
    readAfterHealing();
  }

  /** True if nothing was lost with the operation that failed, so that the store must go on. */
  private boolean isPassing() {
    return fault == Fault.EMFILE
        || fault == Fault.MEMORY
        || (fault == Fault.ENOSPC && !hit().startsWith("RENAME"));
  }

  /** Opens what is there by other means and compares it with each state that may be found. */
  private void checkRecovers(MemDisk found, int least) throws IOException {
    MemoryBudget memoryOfItsOwn = MemoryBudget.ofMebibytes(16);
    StoreOptions healthy =
        StoreOptions.builder()
            .policy("leveled,l0_trigger=64")
            .memory(memoryOfItsOwn)
            .memtableBytes(256 << 10)
            .name("healed")
            .build();
    try (Store other = Store.open(found, healthy)) {
      NavigableMap<String, String> shown = contents(other);
      for (int prefix = least; prefix <= batches.size(); prefix++) {
        if (shown.equals(model(prefix, null))) {
          return;
        }
      }
      assertThat(shown)
          .as("after reopening, of %d batches %d must be there", batches.size(), least)
          .isEqualTo(model(batches.size(), doubt));
    }
  }

  private NavigableMap<String, String> model(int prefix, Map<String, String> more) {
    NavigableMap<String, String> model = new TreeMap<>();
    for (int i = 0; i < prefix; i++) {
      apply(model, batches.get(i));
    }
    if (more != null) {
      apply(model, more);
    }
    return model;
  }

  private static void apply(NavigableMap<String, String> model, Map<String, String> batch) {
    batch.forEach(
        (key, value) -> {
          if (value == null) {
            model.remove(key);
          } else {
            model.put(key, value);
          }
        });
  }

  private static NavigableMap<String, String> contents(Store store) {
    NavigableMap<String, String> shown = new TreeMap<>();
    try (Cursor cursor = store.cursor(KeyRange.all())) {
      for (cursor.first(); cursor.valid(); cursor.next()) {
        assertThat(shown.put(text(cursor.key()), text(cursor.value()))).isNull();
      }
    }
    return shown;
  }

  private static NavigableMap<String, String> backwards(Store store) {
    NavigableMap<String, String> shown = new TreeMap<>();
    try (Cursor cursor = store.cursor(KeyRange.all())) {
      for (cursor.last(); cursor.valid(); cursor.prev()) {
        assertThat(shown.put(text(cursor.key()), text(cursor.value()))).isNull();
      }
    }
    return shown;
  }

  static String key(int number) {
    return String.format("key%05d", number);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  private static String text(byte[] bytes) {
    return bytes == null ? null : new String(bytes, StandardCharsets.US_ASCII);
  }

  @Override
  public String toString() {
    return Arrays.asList(fault, n, forEver ? "for ever" : "once", "hit " + hit()).toString();
  }
}
