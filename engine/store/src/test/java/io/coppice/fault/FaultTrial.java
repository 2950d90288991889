// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Cursor;
import io.coppice.Family;
import io.coppice.KeyRange;
import io.coppice.Snapshot;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.CorruptionException;
import io.coppice.base.DiskFullException;
import io.coppice.base.Durability;
import io.coppice.base.FailingBudget;
import io.coppice.base.MemoryBudget;
import io.coppice.base.ReadOnlyException;
import io.coppice.base.StoreException;
import io.coppice.base.thread.SeededWorkers;
import io.coppice.io.Disk;
import io.coppice.io.ErrorDisk;
import io.coppice.io.ErrorDisk.Fault;
import io.coppice.io.MemDisk;
import io.coppice.recovery.RepairReport;
import io.coppice.recovery.Repairer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One store on a disk that fails, and a ledger of what it acknowledged. Whatever the store answers
 * is held against the ledger: an operation succeeds and has its effect, or it throws an exception
 * of the documented kinds that names the cause. Of a write that failed it is known that it has no
 * effect, unless it was the one that made the store read-only.
 */
final class FaultTrial {

  /** Steps of a trial on one thread; one that takes more hangs. */
  private static final long MAX_STEPS = 200_000;

  /** Steps in a row that fail, as long as the heap is full. */
  private static final int STEPS_THAT_FAIL = 5;

  private static final int MAX_PAUSE_STEPS = 4;

  /** A batch: value by key, null for a deletion. */
  private final List<Map<String, String>> batches = new ArrayList<>();

  private final MemDisk memory;
  private final ErrorDisk disk;

  /** Where a checkpoint goes. */
  private final MemDisk targetMemory = new MemDisk();

  private final ErrorDisk target = new ErrorDisk(targetMemory);

  /** Milliseconds by which values end. */
  private final AtomicLong now = new AtomicLong(1_000);

  private final StoreOptions options;
  private final FailingBudget failingBudget = new FailingBudget(16 << 20);
  private final MemoryBudget budget = failingBudget.budget();
  private final Fault fault;
  private final int n;
  private final boolean forEver;

  /** Runs all background work on the thread of the trial; null if threads do. */
  private final @Nullable SeededWorkers workers;

  /** Picks when background steps run between operations. */
  private final Random pauses;

  /** Whether steps of workers fail instead of operations. */
  private final boolean failsSteps;

  private Store store;
  private int synced;

  /** Batches that may be in the log: one may be found after reopening. */
  private final List<Map<String, String>> doubts = new ArrayList<>();

  /** Changes of families that may be in the manifest: one may be found after reopening. */
  private final List<Map<String, String>> familyDoubts = new ArrayList<>();

  /** Separates a family's name from its keys in the ledger; alone behind it, that it is there. */
  private static final String FAMILY = "/";

  /** How values begin that the scenario's filter drops whenever it sees them. */
  static final String DROPPED = "dropped,";

  /** How values begin that end; then when, and a comma. */
  private static final String ENDS = "ends,";

  private boolean damaged;

  /** True if a repair had to leave something out. */
  private boolean lossy;

  private boolean readOnly;
  private boolean armed;
  private boolean firedBeforeOpened;

  /** In the opening itself, or in the flush of a recovered log that goes on beside it. */
  private boolean firedWhileOpening;

  private int failures;
  private Throwable last;
  private int written;

  /** Prepares a trial whose n-th operation after {@link #arm} fails. */
  FaultTrial(MemDisk memory, FaultScenario scenario, Fault fault, int n, boolean forEver) {
    this(memory, scenario, fault, n, forEver, null);
  }

  /**
   * How a trial runs on one thread, and whether steps of its workers fail instead of operations.
   */
  record Schedule(long seed, boolean failsSteps) {}

  private FaultTrial(
      MemDisk memory,
      FaultScenario scenario,
      Fault fault,
      int n,
      boolean forEver,
      @Nullable Schedule schedule) {
    this.workers =
        schedule == null ? null : new SeededWorkers(schedule.seed()).outlasting(MAX_STEPS);
    this.pauses = new Random(schedule == null ? 0 : schedule.seed());
    this.failsSteps = schedule != null && schedule.failsSteps();
    this.memory = memory;
    this.disk = new ErrorDisk(memory);
    this.fault = fault;
    this.n = n;
    this.forEver = forEver;
    this.options =
        TestStores.clock(scenario.options(), now::get)
            .memory(budget)
            .memtableBytes(256 << 10)
            .name("trial")
            .build();
  }

  /** Goes on where another trial, without faults, has left its disk. */
  FaultTrial(FaultTrial prepared, FaultScenario scenario, Fault fault, int n, boolean forEver) {
    this(prepared, scenario, fault, n, forEver, null);
  }

  /** As above, on one thread. */
  FaultTrial(
      FaultTrial prepared,
      FaultScenario scenario,
      Fault fault,
      int n,
      boolean forEver,
      @Nullable Schedule schedule) {
    this(prepared.memory.kill(), scenario, fault, n, forEver, schedule);
    batches.addAll(prepared.batches);
    synced = prepared.synced;
    written = prepared.written;
    now.set(prepared.now.get());
    damaged = prepared.damaged;
  }

  /** From here on operations are counted. */
  void arm() {
    arm(disk);
  }

  /** As {@link #arm}, of operations of the disk that a checkpoint goes to. */
  void armTarget() {
    arm(target);
  }

  private void arm(ErrorDisk failing) {
    armed = true;
    if (failsSteps) {
      workers.fail(n, forEver ? STEPS_THAT_FAIL : 1, n % 2 == 0, this::throwFault);
    } else if (fault != null && fault.ofMemory()) {
      failingBudget.fail(n, forEver, fault == Fault.OUT_OF_MEMORY);
    } else if (fault != null) {
      failing.fail(fault, n, forEver);
    }
  }

  private void throwFault() {
    switch (fault) {
      case HEAP -> throw new OutOfMemoryError(fault.message());
      case STACK -> throw new StackOverflowError(fault.message());
      default -> throw new IllegalStateException(fault.message());
    }
  }

  /** True if the n-th operation was reached. */
  boolean fired() {
    return firedInStore() || target.fired();
  }

  private boolean firedInStore() {
    return disk.fired() || failingBudget.fired() || failsSteps && !workers.hit().isEmpty();
  }

  int operations() {
    int steps = failsSteps ? n - workers.countdown() : 0;
    return disk.passed() + target.passed() + failingBudget.passed() + steps;
  }

  String hit() {
    return disk.hit() + target.hit() + failingBudget.hit() + (failsSteps ? workers.hit() : "");
  }

  /** Lets some background steps run, as threads would. */
  private void background() {
    if (workers != null) {
      for (int i = pauses.nextInt(MAX_PAUSE_STEPS); i > 0; i--) {
        workers.step();
      }
      checkEnds();
    }
  }

  private void checkEnds() {
    if (workers != null && workers.hang() != null) {
      throw new AssertionError("hangs", workers.hang());
    }
  }

  private Store open(Disk of, StoreOptions with) throws IOException {
    return workers == null
        ? TestStores.open(of, with)
        : TestStores.open(of, with, new SeededWorkers(n).outlasting(MAX_STEPS));
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
              memory.reopen();
              store =
                  workers == null
                      ? TestStores.open(disk, options)
                      : TestStores.open(disk, options, workers);
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
    if (doubts.isEmpty() && familyDoubts.isEmpty()) {
      return true;
    }
    NavigableMap<String, String> shown = new TreeMap<>();
    if (!attempt(() -> shown.putAll(contents(store, false)))) {
      return false;
    }
    if (!shown.equals(model(batches.size(), null))) {
      batches.add(foundDoubt(shown, "what was recovered"));
      synced = batches.size();
    }
    doubts.clear();
    familyDoubts.clear();
    return true;
  }

  /** The effect in doubt that is shown beside all batches. */
  private Map<String, String> foundDoubt(NavigableMap<String, String> shown, String what) {
    List<Map<String, String>> logged = new ArrayList<>(doubts);
    logged.add(Map.of());
    List<Map<String, String>> changed = new ArrayList<>(familyDoubts);
    changed.add(Map.of());
    for (Map<String, String> one : logged) {
      for (Map<String, String> other : changed) {
        Map<String, String> both = new TreeMap<>(one);
        both.putAll(other);
        if (shown.equals(model(batches.size(), both))) {
          return both;
        }
      }
    }
    assertThat(shown).as(what + ", doubts " + doubts).isEqualTo(model(batches.size(), null));
    return Map.of();
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
    checkEnds();
    assertThat(workers == null || workers.isIdle()).as("workers ended: %s", workers).isTrue();
    assertThat(memory.openFiles()).as("open files").isZero();
    assertThat(budget.usedBytes()).as("bytes held from the budget").isZero();
  }

  /** Writes a batch of {@code count} keys that begins at number {@code from}. */
  boolean put(Durability durability, int from, int count, int valueBytes) {
    return write(batch(from, count, () -> ++written + "-" + "v".repeat(valueBytes)), durability);
  }

  /** Deletes {@code count} keys in one batch, from number {@code from} on. */
  boolean delete(Durability durability, int from, int count) {
    return write(batch(from, count, () -> null), durability);
  }

  /** Returns a batch of {@code count} keys that begins at number {@code from}. */
  private static Map<String, String> batch(int from, int count, Supplier<String> value) {
    Map<String, String> batch = new TreeMap<>();
    for (int key = from; key < from + count; key++) {
      batch.put(key(key), value.get());
    }
    return batch;
  }

  /** Writes a batch. */
  boolean write(Map<String, String> entries, Durability durability) {
    return write(
        entries,
        durability,
        batch ->
            entries.forEach(
                (key, value) -> {
                  Family family = store.family(familyOf(key));
                  if (value == null) {
                    batch.delete(family, bytes(inFamily(key)));
                  } else {
                    batch.put(family, bytes(inFamily(key)), bytes(value));
                  }
                }));
  }

  /** Writes a batch that is made as told, and has the effect of these entries. */
  private boolean write(
      Map<String, String> entries, Durability durability, Consumer<WriteBatch> making) {
    WriteBatch batch = new WriteBatch();
    making.accept(batch);
    boolean done = attempt(() -> store.write(batch, durability));
    if (done) {
      assertThat(readOnly).as("a read-only store took a write").isFalse();
      batches.add(entries);
      if (durability != Durability.NONE) {
        // What a failed write left was cut off first.
        doubts.clear();
      }
      if (durability == Durability.SYNC) {
        synced = batches.size();
      }
    } else if (last instanceof ReadOnlyException && !readOnly) {
      readOnly = true;
      doubts.add(entries);
    } else if (last instanceof Error) {
      doubts.add(entries);
    }
    return done;
  }

  /** Writes so many keys of a family; false if it is not there. */
  boolean put(String family, Durability durability, int from, int count, int valueBytes) {
    if (!model(batches.size(), null).containsKey(family + FAMILY)) {
      return false;
    }
    Map<String, String> batch = new TreeMap<>();
    for (int key = from; key < from + count; key++) {
      written++;
      batch.put(key(key), written + "-both");
      batch.put(family + FAMILY + key(key), written + "-" + "v".repeat(valueBytes));
    }
    return write(batch, durability);
  }

  /** Writes keys whose values end after so many milliseconds, or which the filter drops. */
  boolean putPassing(Durability durability, int from, int count, int millis) {
    String begin = millis == 0 ? DROPPED : ENDS + (now.get() + millis) + ",";
    Map<String, String> batch = batch(from, count, () -> begin + ++written);
    return write(
        batch,
        durability,
        made ->
            batch.forEach(
                (key, value) -> {
                  if (millis == 0) {
                    made.put(bytes(key), bytes(value));
                  } else {
                    Instant end = Instant.ofEpochMilli(now.get() + millis);
                    made.putUntil(bytes(key), bytes(value), end);
                  }
                }));
  }

  /** Deletes a range of so many keys. */
  boolean deleteRange(Durability durability, int from, int count) {
    return write(
        batch(from, count, () -> null),
        durability,
        made -> made.deleteRange(bytes(key(from)), bytes(key(from + count))));
  }

  /** Lets time pass. */
  void pass(int millis) {
    now.addAndGet(millis);
  }

  /** Makes a family, unless it is there; what was written before is durable then too. */
  boolean createFamily(String name) {
    if (model(batches.size(), null).containsKey(name + FAMILY)) {
      return false;
    }
    Map<String, String> effect = new TreeMap<>(Map.of(name + FAMILY, ""));
    return changeFamilies(effect, () -> store.createFamily(name));
  }

  /** Drops a family, if it is there, with all its keys. */
  boolean dropFamily(String name) {
    Map<String, String> effect = new TreeMap<>();
    model(batches.size(), null).keySet().stream()
        .filter(key -> key.startsWith(name + FAMILY))
        .forEach(key -> effect.put(key, null));
    return !effect.isEmpty() && changeFamilies(effect, () -> store.dropFamily(name));
  }

  private boolean changeFamilies(Map<String, String> effect, Operation change) {
    boolean done = attempt(change);
    if (done) {
      batches.add(effect);
      synced = batches.size();
    } else if (!readOnly && !isWithoutEffect()) {
      familyDoubts.add(effect);
      readOnly = !fault.isThrown() || last instanceof ReadOnlyException;
    }
    return done;
  }

  /** True if it is promised that nothing was changed. */
  private boolean isWithoutEffect() {
    return last instanceof DiskFullException || fault == Fault.EMFILE || fault.ofMemory();
  }

  /** Makes a store of what this one shows, on the disk for that; it must show the same. */
  void checkpoint() {
    if (attempt(() -> TestStores.checkpoint(store, target))) {
      synced = batches.size();
      try {
        checkRecovers(targetMemory.crash(), batches.size());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** Opens the store to read it, reads all of it, and closes it; nothing of it may change. */
  void readOnlyView() {
    MemDisk before = memory.kill();
    Store[] view = new Store[1];
    boolean opened =
        attempt(
            () -> {
              memory.reopen();
              view[0] = TestStores.openReadOnly(disk, options);
            });
    if (opened) {
      NavigableMap<String, String> model = model(batches.size(), null);
      attempt(() -> assertThat(contents(view[0], false)).as("a view").isEqualTo(model));
      attempt(view[0]::close);
    }
    checkNothingHeld();
    memory.reopen();
    assertThat(memory.list()).as("files").isEqualTo(before.list());
    try {
      for (String name : before.list()) {
        assertThat(memory.bytes(name)).as(name).isEqualTo(before.bytes(name));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Removes what names the manifest, and spoils filters and reserve: all of it can be mended. */
  void damage() {
    memory.reopen();
    memory.delete("CURRENT");
    for (String name : List.of("filters.slots", "RESERVE")) {
      memory.setBytes(name, new byte[100]);
    }
    damaged = true;
  }

  /** Repairs the store. */
  boolean repair() {
    boolean done =
        attempt(
            () -> {
              memory.reopen();
              checkRepaired(Repairer.repair(disk));
            });
    checkNothingHeld();
    return done;
  }

  private void checkRepaired(RepairReport repair) {
    assertThat(!repair.after().damaged() || fault == Fault.SHORT).as("%s", repair).isTrue();
    // A file that ends too early is damaged, and set aside.
    lossy |= !repair.losses().isEmpty() && fault == Fault.SHORT;
    assertThat(repair.losses().isEmpty() || lossy).as("%s", repair).isTrue();
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
    attempt(() -> assertThat(contents(store, false)).as("a scan").isEqualTo(model));
    attempt(() -> assertThat(contents(store, true)).as("a scan backwards").isEqualTo(model));
    int place = 0;
    for (String key : model.keySet()) {
      if (place++ % 7 == 0) {
        String inside = inFamily(key);
        if (!inside.isEmpty()) {
          attempt(
              () ->
                  assertThat(text(store.family(familyOf(key)).get(bytes(inside))))
                      .isEqualTo(model.get(key)));
        }
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
                note(cursor, "", shown);
              }
            }
            assertThat(shown).as("what a snapshot shows").isEqualTo(model);
          }
        });
  }

  /** Operation under test. */
  private interface Operation {
    void run() throws IOException;
  }

  /** Runs an operation; false if it threw one of the documented exceptions for the right cause. */
  private boolean attempt(Operation operation) {
    boolean done = attemptNow(operation);
    checkEnds();
    if (store != null) {
      background();
    }
    return done;
  }

  private boolean attemptNow(Operation operation) {
    try {
      operation.run();
      last = null;
      return true;
    } catch (StoreException | UncheckedIOException e) {
      return failed(e);
    } catch (IOException e) {
      return failed(new UncheckedIOException(e));
    } catch (IllegalArgumentException e) {
      assertThat(fault).as("an argument is refused: " + e).isEqualTo(Fault.MEMORY);
      return failed(e);
    } catch (IllegalStateException | VirtualMachineError e) {
      assertThat(fault == Fault.OUT_OF_MEMORY || fault.isThrown()).as("thrown: " + e).isTrue();
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
    if (workers != null) {
      finishOnce(random);
      return;
    }
    MemDisk killed = memory.kill();
    List<MemDisk> crashed =
        List.of(memory.crash(), memory.crash(random), memory.crash(random), memory.crash(random));
    disk.heal();
    failingBudget.heal();
    checkRecovers(killed, batches.size());
    for (MemDisk each : crashed) {
      checkRecovers(each, synced);
    }
    if (store != null) {
      readAfterHealing();
      writeAfterHealing();
      close();
    }
    checkRecovers(memory.kill(), batches.size());
  }

  /**
   * As {@link #finish}, but either the process ends in one of the ways in which it may, or the
   * store goes on.
   */
  private void finishOnce(Random random) throws IOException {
    boolean goesOn = store != null && random.nextBoolean();
    boolean kills = random.nextInt(3) == 0;
    if (!goesOn) {
      MemDisk found =
          kills ? memory.kill() : random.nextBoolean() ? memory.crash() : memory.crash(random);
      heal();
      checkRecovers(found, kills ? batches.size() : synced);
      close();
    } else {
      heal();
      readAfterHealing();
      if (random.nextBoolean()) {
        writeToFamilies();
        checkRecovers(memory.kill(), batches.size());
      }
      writeAfterHealing();
      close();
      checkRecovers(memory.kill(), batches.size());
    }
  }

  /** Writes what a drop that is recovered although it failed would take away. */
  private void writeToFamilies() {
    for (String key : model(batches.size(), null).keySet()) {
      if (key.endsWith(FAMILY)) {
        put(familyOf(key), Durability.SYNC, 700, 2, 20);
      }
    }
    put(Durability.SYNC, 700, 2, 20);
  }

  private void heal() {
    disk.heal();
    target.heal();
    failingBudget.heal();
    if (workers != null) {
      workers.heal();
    }
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
    boolean hitWhileOpen = firedInStore() && !firedBeforeOpened;
    boolean syncFailed =
        disk.hit().startsWith("SYNC") && !disk.hit().endsWith("slots") && !fault.isThrown();
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
    return fault == Fault.EMFILE || failsSteps || fault == Fault.MEMORY || fault == Fault.ENOSPC;
  }

  /** Opens what is there by other means and compares it with each state that may be found. */
  private void checkRecovers(MemDisk found, int least) throws IOException {
    MemoryBudget memoryOfItsOwn = MemoryBudget.ofMebibytes(16);
    StoreOptions healthy =
        TestStores.clock(StoreOptions.builder(), now::get)
            .policy("leveled,l0_trigger=64")
            .memory(memoryOfItsOwn)
            .memtableBytes(256 << 10)
            .name("healed")
            .build();
    if (damaged) {
      checkRepaired(Repairer.repair(found));
      found.reopen();
    }
    if (lossy) {
      open(found, healthy).close();
      return;
    }
    try (Store other = open(found, healthy)) {
      NavigableMap<String, String> shown = contents(other, false);
      for (int prefix = least; prefix <= batches.size(); prefix++) {
        if (shown.equals(model(prefix, null))) {
          return;
        }
      }
      foundDoubt(
          shown, "after reopening, of " + batches.size() + " batches " + least + " must be there");
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
    model.values().removeIf(this::isGone);
    return model;
  }

  /** True for a value that has ended, or that the filter may have dropped. */
  private boolean isGone(String value) {
    return value.startsWith(DROPPED)
        || (value.startsWith(ENDS) && Long.parseLong(value.split(",")[1]) <= now.get());
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

  private static NavigableMap<String, String> contents(Store store, boolean backwards) {
    NavigableMap<String, String> shown = new TreeMap<>();
    for (Family family : store.families()) {
      String prefix = prefix(family);
      if (!prefix.isEmpty()) {
        shown.put(prefix, "");
      }
      try (Cursor cursor = family.cursor(KeyRange.all())) {
        if (backwards) {
          cursor.last();
        } else {
          cursor.first();
        }
        while (cursor.valid()) {
          note(cursor, prefix, shown);
          if (backwards) {
            cursor.prev();
          } else {
            cursor.next();
          }
        }
      }
    }
    return shown;
  }

  /** Notes an entry, unless the filter may drop it at any time. */
  private static void note(Cursor cursor, String prefix, NavigableMap<String, String> shown) {
    String value = text(cursor.value());
    if (!value.startsWith(DROPPED)) {
      assertThat(shown.put(prefix + text(cursor.key()), value)).isNull();
    }
  }

  private static String prefix(Family family) {
    return family.name().equals("default") ? "" : family.name() + FAMILY;
  }

  private static String familyOf(String key) {
    int end = key.indexOf(FAMILY);
    return end < 0 ? "default" : key.substring(0, end);
  }

  private static String inFamily(String key) {
    return key.substring(key.indexOf(FAMILY) + 1);
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
