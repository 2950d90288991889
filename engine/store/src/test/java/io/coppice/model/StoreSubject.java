// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

import io.coppice.Cursor;
import io.coppice.Family;
import io.coppice.KeyRange;
import io.coppice.Snapshot;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.base.SearchScheme;
import io.coppice.base.thread.SeededWorkers;
import io.coppice.base.thread.WorkerThreads;
import io.coppice.base.thread.Workers;
import io.coppice.io.Disk;
import io.coppice.io.MemDisk;
import io.coppice.io.PowerDisk;
import io.coppice.io.ReadMode;
import io.coppice.io.ShuffledDisk;
import io.coppice.io.disk.RealDisk;
import io.coppice.io.file.MappingBudget;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.SliceFacts;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.recovery.StoreVerifier;
import io.coppice.recovery.Verification;
import io.coppice.table.NativeCodec;
import io.coppice.table.OpenTables;
import io.coppice.table.TableOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A store that carries out the operations of a load.
 *
 * <p>After a loss of power it must hold what the model held after some operation, at or after the
 * last one that made everything durable; the writes behind that one are then made again. So every
 * answer after a crash is known, whatever a configuration lost.
 */
final class StoreSubject implements Subject {

  /** In the families beside that of the load. */
  private static final byte[] COUNT = {'n'};

  /** Flushes ahead of merges at which a store would begin to slow its writers. */
  private static final int MAX_RUNS = 18;

  /** Background steps after which a store must have settled. */
  private static final int MAX_STEPS = 20_000;

  /** Longest rest of a store between two looks at values that end. */
  private static final long MINUTE_NANOS = 61_000_000_000L;

  /** Lookups in one version after which these go by an index at the latest. */
  private static final long MAX_TO_INDEX = 40;

  /** Hidden entries after which a cursor seeks at the latest. */
  private static final long MAX_PATIENCE = 5;

  private final History history;
  private final Keys keys;
  private final UnaryOperator<Disk> wrapping;
  private final Random random;
  private final Consumer<String> trace;
  private final Snapshot[] snapshots = new Snapshot[SLOTS];
  private final Cursor[] cursors = new Cursor[SLOTS];
  private final WriteBatch batch = new WriteBatch();
  private Config config;
  private MemoryBudget memory;
  private MemDisk disk;
  private Path directory;
  private PowerDisk power;

  /** What does the background work; null if threads do. */
  private SeededWorkers workers;

  private Store store;

  /** The family of the load. */
  private Family family;

  /** Batches that the other families count, by the operations that wrote them. */
  private final TreeSet<Integer> counted = new TreeSet<>();

  private boolean paused;
  private int sinceStep;

  /** The clock of the load, in milliseconds. Merges may run on other threads. */
  private volatile long now;

  /** Operations that no loss of power can undo. */
  private int durable;

  /** True if there are writes that only a flush makes durable. */
  private boolean unlogged;

  StoreSubject(Config config, History history) throws IOException {
    this(config, history, UnaryOperator.identity(), null);
  }

  /**
   * Opens an empty store.
   *
   * @param wrapping puts something between the store and its disk
   * @param trace told of every change to a disk in memory; null for nobody
   */
  StoreSubject(Config config, History history, UnaryOperator<Disk> wrapping, Consumer<String> trace)
      throws IOException {
    this.config = config;
    this.history = history;
    this.keys = history.load().keys();
    this.wrapping = wrapping;
    this.random = new Random(config.seed());
    this.trace = trace;
    if (config.io().equals("memory")) {
      disk = new MemDisk();
    } else {
      directory = Files.createTempDirectory("coppice-model");
    }
    open(0);
  }

  /** Opens the store; the power fails before that many operations of the disk, unless it is 0. */
  private void open(int cutBefore) throws IOException {
    memory = MemoryBudget.ofMebibytes(24);
    StoreOptions options = options(memory);
    Disk bare;
    if (disk != null) {
      power = new PowerDisk(disk, trace);
      if (cutBefore > 0) {
        power.cutBefore(cutBefore);
      }
      bare = power;
    } else {
      ReadMode mode = config.io().equals("mmap") ? ReadMode.MMAP : ReadMode.READ;
      bare = RealDisk.open(directory, mode, MappingBudget.ofProcess());
    }
    workers = config.threads() ? null : new SeededWorkers(random.nextLong());
    Workers work = workers == null ? new WorkerThreads() : workers;
    Disk seen = wrapping.apply(bare);
    if (config.reader().equals("shuffled")) {
      seen = new ShuffledDisk(seen, config.seed(), 30 + (int) Math.floorMod(config.seed(), 71L));
    }
    store = TestStores.open(seen, options, work);
    family = family(store);
    TestStores.reader(family).indexAfter(1 + (int) Math.floorMod(config.seed(), MAX_TO_INDEX));
    TestStores.reader(family).cursorPatience(1 + (int) Math.floorMod(config.seed(), MAX_PATIENCE));
    paused = false;
    if (config.slots() == 0) {
      TestStores.compactor(store).pause();
    }
  }

  private StoreOptions options(MemoryBudget budget) {
    long tableBytes = PolicySpec.parse(config.policy()).tableBytes();
    StoreOptions.Builder builder = StoreOptions.builder();
    for (int i = 1; i < config.families(); i++) {
      builder.family("f" + i, config.otherPolicy(i)).mergeOperator("f" + i, KindsModel.APPEND);
    }
    TestStores.tables(builder, new TableOptions(config.block(), config.restart()));
    TestStores.warmBytes(builder, config.cold() ? 0 : OpenTables.WARM_BYTES);
    return TestStores.clock(builder, () -> now)
        .policy(config.policy())
        .memory(budget)
        .memtableBytes(config.memtable())
        .filterBits(config.filter())
        .blockCacheBytes(config.cache())
        .search(any() ? SearchScheme.ADAPTIVE : scheme(config.search()))
        .searchWidth(1 + (int) Math.floorMod(config.seed(), 20L))
        .compactionSlots(Math.max(1, config.slots()))
        .maxTransientSpace(config.room() == 0 ? Long.MAX_VALUE : config.room() * tableBytes)
        .io(config.io().equals("mmap") ? "mmap" : "read")
        .directReads((config.seed() & 1) == 0)
        .compression(NativeCodec.orLz4(config.codecs()))
        .durability(Durability.BUFFERED)
        .mergeOperator(KindsModel.APPEND)
        .build();
  }

  private Family family(Store opened) {
    int last = config.families() - 1;
    return opened.family(last == 0 ? "default" : "f" + last);
  }

  private boolean any() {
    return config.search().equals("any");
  }

  private static SearchScheme scheme(String name) {
    return SearchScheme.valueOf(name.toUpperCase(Locale.ROOT));
  }

  @Override
  public void apply(int index, Op op, Answer answer) throws Exception {
    if (any() && random.nextInt(10) == 0) {
      store.search(SearchScheme.values()[random.nextInt(SearchScheme.values().length)]);
    }
    if (!config.extra().equals("none") && random.nextInt(config.odds()) == 0) {
      extra(index);
    }
    if (workers != null && random.nextInt(config.every()) == 0) {
      for (int i = random.nextInt(6); i >= 0; i--) {
        workers.step();
      }
    }
    switch (op.kind()) {
      case WRITE -> {
        keepUp();
        write(index, op, op.durability());
        durable = op.durability() == Durability.SYNC && !unlogged ? index + 1 : durable;
      }
      case GET -> {
        if (readable(op.slot())) {
          byte[] key = keys.of(op.key());
          Snapshot snapshot = op.slot() == Op.NONE ? null : snapshots[op.slot()];
          answer.value(snapshot == null ? family.get(key) : snapshot.get(family, key));
        }
      }
      case WALK -> {
        if (readable(op.slot())) {
          try (Cursor cursor = cursor(op.slot(), op)) {
            walk(cursor, op, answer);
          }
        }
      }
      case SCAN -> {
        if (readable(op.slot())) {
          scan(op, answer);
        }
      }
      case SNAPSHOT -> {
        if (snapshots[op.slot()] == null) {
          snapshots[op.slot()] = store.snapshot();
        }
      }
      case RELEASE -> {
        if (snapshots[op.slot()] != null) {
          snapshots[op.slot()].close();
          snapshots[op.slot()] = null;
        }
      }
      case OPEN -> {
        int snapshot = (int) op.number();
        if (cursors[op.slot()] == null && readable(snapshot)) {
          cursors[op.slot()] = cursor(snapshot, op);
        }
      }
      case MOVE -> {
        if (cursors[op.slot()] != null) {
          walk(cursors[op.slot()], op, answer);
        }
      }
      case CLOSE -> {
        if (cursors[op.slot()] != null) {
          cursors[op.slot()].close();
          cursors[op.slot()] = null;
        }
      }
      case FLUSH -> flush(index + 1);
      case COMPACT -> compact(index + 1);
      case SYNC -> {
        store.sync();
        durable = unlogged ? durable : index + 1;
      }
      case STEP -> step((int) op.number());
      case SETTLE -> settle();
      case PAUSE -> {
        if (op.number() == 0) {
          TestStores.compactor(store).pause();
        } else {
          TestStores.compactor(store).cancel();
        }
        paused = true;
      }
      case RESUME -> {
        paused = false;
        if (config.slots() > 0) {
          TestStores.compactor(store).resume();
        }
      }
      case POLICY -> family.policy(config.otherPolicy(op.number()));
      case REOPEN -> reopen(index + 1);
      case OPTIONS -> {
        config = config.reopenedWith(op.number());
        reopen(index + 1);
      }
      case TIME -> {
        makeDurable(index + 1);
        now += op.number();
      }
      case READ_ONLY -> readOnly(index + 1);
      case CHECKPOINT -> checkpoint(index + 1);
      case KILL -> kill(index + 1);
      case CRASH -> crash(index, op.number());
      case GET_ALL -> {
        if (readable(op.slot())) {
          List<byte[]> wanted = op.changes().stream().map(c -> keys.of(c.key())).toList();
          (op.slot() == Op.NONE
                  ? family.getAll(wanted)
                  : snapshots[op.slot()].getAll(family, wanted))
              .forEach(answer::value);
        }
      }
      case CAS -> {
        keepUp();
        boolean set = compareAndSet(op);
        answer.truth(set);
        durable = set && op.durability() == Durability.SYNC && !unlogged ? index + 1 : durable;
      }
    }
  }

  /** A failed comparison writes nothing, so nothing is synced by it either. */
  private boolean compareAndSet(Op op) {
    Change change = op.changes().get(0);
    byte[] key = keys.of(change.key());
    byte[] expected = Op.expected(op.number(), family.get(key));
    byte[] update = change.value() == null ? null : change.value().bytes();
    boolean set = family.compareAndSet(key, expected, update, op.durability());
    unlogged |= set && op.durability() == Durability.NONE;
    return set;
  }

  private boolean readable(int slot) {
    return slot == Op.NONE || snapshots[slot] != null;
  }

  private void write(int index, Op op, Durability durability) {
    List<Change> changes = op.changes();
    Change first = changes.isEmpty() ? null : changes.get(0);
    if (changes.size() == 1 && durability == Durability.BUFFERED && first.millis() == Op.NONE) {
      write(first);
      return;
    }
    batch.clear();
    changes.forEach(this::add);
    count(index);
    store.write(batch, durability);
    unlogged |= durability == Durability.NONE && batch.count() > 0;
  }

  /** Lets the other families tell, by the batch itself, which operation wrote it. */
  private void count(int index) {
    for (Family other : store.families()) {
      if (other != family && batch.count() > 0) {
        batch.put(other, COUNT, ByteBuffer.allocate(Integer.BYTES).putInt(index).array());
        counted.add(index);
      }
    }
  }

  /** Holds that all other families count the same batches: the last before some operation. */
  private void checkCounts(Store shown, int least, int most) {
    Set<Integer> found = new HashSet<>();
    for (Family other : shown.families()) {
      if (!other.name().equals(family.name())) {
        byte[] value = other.get(COUNT);
        found.add(value == null ? -1 : ByteBuffer.wrap(value).getInt());
      }
    }
    for (int one : found) {
      if (found.size() > 1 || one < before(least) || one > before(most)) {
        throw new AssertionError(
            String.format(
                "other families tell of batches of operations %s, not of %d to %d",
                found, before(least), before(most)));
      }
      counted.tailSet(one, false).clear();
    }
  }

  private int before(int operations) {
    Integer last = counted.lower(operations);
    return last == null ? -1 : last;
  }

  private void write(Change change) {
    byte[] key = keys.of(change.key());
    switch (change.type()) {
      case PUT -> family.put(key, change.value().bytes());
      case DELETE -> family.delete(key);
      case MERGE -> family.merge(key, change.value().bytes());
      case CLEAR -> {
        byte[] to = keys.of(change.to());
        if (Arrays.compareUnsigned(key, to) < 0) {
          family.deleteRange(key, to);
        }
      }
    }
  }

  private void add(Change change) {
    byte[] key = keys.of(change.key());
    switch (change.type()) {
      case PUT -> {
        if (change.millis() == Op.NONE) {
          batch.put(family, key, change.value().bytes());
        } else {
          Instant end = Instant.ofEpochMilli(now + change.millis());
          batch.putUntil(family, key, change.value().bytes(), end);
        }
      }
      case DELETE -> batch.delete(family, key);
      case MERGE -> batch.merge(family, key, change.value().bytes());
      case CLEAR -> {
        byte[] to = keys.of(change.to());
        if (Arrays.compareUnsigned(key, to) < 0) {
          batch.deleteRange(family, key, to);
        }
      }
    }
  }

  /** Where nothing runs by itself, merges are made so that flushes need not wait for them. */
  private void keepUp() {
    if (config.slots() == 0 && !paused && ++sinceStep >= config.every()) {
      step(1);
    }
    if ((config.slots() == 0 || paused) && levelZeroRuns() > MAX_RUNS) {
      step(2 * MAX_RUNS);
    }
  }

  private void step(int count) {
    sinceStep = 0;
    for (int i = 0; i < count && TestStores.compactor(store).carryOutNext(); i++) {
      assert i >= 0;
    }
  }

  /** Lets background work end. A limit of space may forbid merges, a pause does. */
  private void settle() {
    if (paused || config.threads() || config.room() > 0) {
      return;
    }
    for (int round = 0; round < 2; round++) {
      workers.pass(MINUTE_NANOS);
      int steps = 0;
      while (workers.step()
          || (config.slots() == 0 && TestStores.compactor(store).carryOutNext())) {
        if (++steps == MAX_STEPS) {
          throw new AssertionError(
              "merges never end: the store works on after " + steps + " steps");
        }
      }
    }
    checkEnded();
  }

  /** Holds that no slice of the load's family is mostly past its end. */
  private void checkEnded() {
    for (LevelFacts level :
        TestStores.compactor(store).shape(TestStores.versions(family).number()).levels()) {
      for (RunFacts run : level.runs()) {
        for (SegmentFacts segment : run.segments()) {
          for (SliceFacts slice : segment.slices()) {
            if (slice.ended() > 0 && 2 * slice.ended() >= slice.bytes()) {
              throw new AssertionError("ended values stay in a store at rest: " + slice);
            }
          }
        }
      }
    }
  }

  private void flush(int operations) {
    store.flush();
    unlogged = false;
    durable = operations;
  }

  private void compact(int operations) {
    TestStores.compactor(store).resume();
    store.compact();
    unlogged = false;
    durable = operations;
    if (config.slots() == 0 || paused) {
      TestStores.compactor(store).pause();
    }
  }

  private Cursor cursor(int slot, Op op) {
    byte[] from = op.from() == Op.NONE ? null : keys.of(op.from());
    byte[] to = op.to() == Op.NONE ? null : keys.of(op.to());
    if (from != null && to != null && Arrays.compareUnsigned(from, to) > 0) {
      to = from;
    }
    KeyRange range = from == null ? KeyRange.all() : KeyRange.from(from);
    // A second, larger end changes nothing.
    range = to == null ? range : range.to(to).to(Arrays.copyOf(to, to.length + 1));
    return slot == Op.NONE ? family.cursor(range) : snapshots[slot].cursor(family, range);
  }

  private void scan(Op op, Answer answer) {
    try (Cursor cursor = cursor(op.slot(), op)) {
      for (cursor.first(); cursor.valid(); cursor.next()) {
        answer.key(cursor.key());
        answer.value(cursor.value());
      }
      answer.end();
    }
  }

  private void walk(Cursor cursor, Op op, Answer answer) {
    switch (op.place()) {
      case FIRST -> cursor.first();
      case LAST -> cursor.last();
      case SEEK -> cursor.seek(keys.of(op.key()));
      case BEFORE -> cursor.seekForPrev(keys.of(op.key()));
      case HERE -> {}
    }
    boolean on = show(cursor, answer);
    for (int i = 0; i < op.moves().length() && on; i++) {
      if (op.moves().charAt(i) == 'n') {
        cursor.next();
      } else {
        cursor.prev();
      }
      on = show(cursor, answer);
    }
  }

  private static boolean show(Cursor cursor, Answer answer) {
    if (!cursor.valid()) {
      answer.end();
      return false;
    }
    answer.key(cursor.key());
    answer.value(cursor.value());
    return true;
  }

  /** What must not show, beside the load. */
  private void extra(int index) throws IOException {
    boolean held =
        Stream.concat(Arrays.stream(snapshots), Arrays.stream(cursors)).anyMatch(x -> x != null);
    switch (config.extra()) {
      case "flush" -> flush(index);
      case "compact" -> compact(index);
      case "step" -> step(1);
      case "switch" -> turnRung();
      case "reopen" -> {
        if (!held) {
          reopen(index);
        }
      }
      case "kill" -> {
        if (!held) {
          kill(index);
        }
      }
      case "crash" -> {
        if (!held) {
          store.sync();
          durable = unlogged ? durable : index;
          crash(index, random.nextInt(1 << 20));
        }
      }
      default -> throw new IllegalArgumentException("extra=" + config.extra());
    }
  }

  /** Does what the store does once its tuner has chosen, if its policy is one to tune. */
  private void turnRung() {
    int rung = random.nextInt(Config.RUNGS);
    String shards = "";
    for (int shard = random.nextInt(4); shard > 0; shard--) {
      shards += random.nextInt(Config.RUNGS);
    }
    String turned = "rung=" + rung + ",shards=" + (shards.isEmpty() ? "none" : shards);
    TestStores.tune(
        family,
        inForce -> inForce.policyName().equals("adaptive") ? inForce.with(turned) : inForce);
  }

  private void letGo() {
    Arrays.fill(snapshots, null);
    Arrays.fill(cursors, null);
  }

  private void reopen(int operations) throws IOException {
    letGo();
    store.close();
    unlogged = false;
    durable = operations;
    checkMemory();
    if (disk != null) {
      disk = disk.kill();
      Verification verification = StoreVerifier.verify(disk);
      if (verification.damaged()) {
        throw new AssertionError("verify after close: " + verification.damages());
      }
      disk.reopen();
    }
    open(0);
    checkCounts(store, operations, operations);
  }

  private void checkMemory() {
    if (memory.usedBytes() != 0) {
      throw new AssertionError(memory.usedBytes() + " off-heap bytes are left after close");
    }
  }

  private void makeDurable(int operations) {
    if (unlogged) {
      flush(operations);
    } else {
      store.sync();
      durable = operations;
    }
  }

  /** What another process would read if this one died now. */
  private void readOnly(int operations) throws IOException {
    if (disk == null || unlogged) {
      return;
    }
    try (Store reader =
        TestStores.openReadOnly(disk.kill(), options(MemoryBudget.ofMebibytes(24)))) {
      if (contents(reader) != history.contentsAfter(operations)) {
        throw new AssertionError("a store opened for reading shows something else");
      }
      checkCounts(reader, operations, operations);
    }
  }

  private void checkpoint(int operations) throws IOException {
    if (disk == null) {
      return;
    }
    MemDisk target = new MemDisk();
    TestStores.checkpoint(store, target);
    unlogged = false;
    durable = operations;
    try (Store copy = TestStores.open(target.crash(), options(MemoryBudget.ofMebibytes(24)))) {
      if (contents(copy) != history.contentsAfter(operations)) {
        throw new AssertionError("a checkpoint shows something else");
      }
      checkCounts(copy, operations, operations);
    }
  }

  private void kill(int operations) throws IOException {
    if (disk == null || unlogged) {
      reopen(operations);
      return;
    }
    turnOff();
    disk = disk.kill();
    open(0);
    if (contents(store) != history.contentsAfter(operations)) {
      throw new AssertionError("after a kill the store does not hold what was written");
    }
    checkCounts(store, operations, operations);
    durable = operations;
  }

  /** Switches the disk off, and gives back what the store held. */
  private void turnOff() {
    letGo();
    if (!power.off()) {
      power.cutBefore(0);
    }
    try {
      store.close();
    } catch (RuntimeException e) {
      // The disk is off, so it cannot be closed cleanly.
    }
    checkMemory();
  }

  /**
   * Loses power after so many operations: at once, or at some operation of the disk while the
   * background works, and now and then again while the store opens.
   */
  private void crash(int operations, long seed) throws IOException {
    if (disk == null || unlogged) {
      reopen(operations);
      return;
    }
    Random dice = new Random(seed);
    if (dice.nextInt(3) > 0) {
      workUntilOff(1 + dice.nextInt(1 + dice.nextInt(60)));
    }
    turnOff();
    for (int depth = dice.nextInt(3); depth > 0; depth--) {
      disk = lost(dice);
      if (!opens(1 + dice.nextInt(30))) {
        continue;
      }
      turnOff();
    }
    disk = lost(dice);
    open(0);
    long found = contents(store);
    int kept = operations;
    while (kept >= durable && history.contentsAfter(kept) != found) {
      kept--;
    }
    if (kept < durable) {
      throw new AssertionError(
          "after a loss of power the store holds what it held after none of the operations "
              + durable
              + " to "
              + operations
              + lost(found));
    }
    checkCounts(store, durable, kept);
    durable = kept;
    for (int i = kept; i < operations; i++) {
      Op lost = history.load().ops().get(i);
      if (lost.writes() && history.contentsAfter(i) != history.contentsAfter(i + 1)) {
        keepUp();
        again(i, lost);
      }
    }
  }

  private MemDisk lost(Random dice) {
    return dice.nextInt(4) == 0 ? disk.crash() : disk.crash(dice);
  }

  /** Flushes and merges until the disk goes off at its n-th operation, or nothing is left to do. */
  private void workUntilOff(int n) {
    power.cutBefore(n);
    try {
      store.flush();
      for (int i = 0; i < n && !power.off(); i++) {
        if (!TestStores.compactor(store).carryOutNext() && (workers == null || !workers.step())) {
          return;
        }
      }
    } catch (RuntimeException e) {
      if (!power.off()) {
        throw e;
      }
    }
  }

  /** Opens the store; false if the power failed meanwhile. */
  private boolean opens(int cutBefore) throws IOException {
    try {
      open(cutBefore);
      return true;
    } catch (IOException | RuntimeException e) {
      if (!power.off()) {
        throw e;
      }
      return false;
    }
  }

  /** What an operation wrote, whose effect is known. */
  private void again(int index, Op lost) {
    batch.clear();
    lost.changes().forEach(this::add);
    count(index);
    store.write(batch, Durability.BUFFERED);
  }

  private String lost(long found) {
    for (int i = durable - 1; i >= 0; i--) {
      if (history.contentsAfter(i) == found) {
        return "; it holds what it held after " + i;
      }
    }
    return "";
  }

  private long contents(Store shown) {
    Tally tally = new Tally();
    try (Cursor cursor = family(shown).cursor(KeyRange.all())) {
      for (cursor.first(); cursor.valid(); cursor.next()) {
        tally.add(cursor.key(), cursor.value());
      }
    }
    return tally.sum();
  }

  @Override
  public void close() throws IOException {
    try {
      store.close();
      checkMemory();
    } finally {
      if (directory != null) {
        try (Stream<Path> files = Files.walk(directory)) {
          files.sorted(Comparator.reverseOrder()).forEach(StoreSubject::delete);
        }
      }
    }
  }

  private static void delete(Path path) {
    try {
      Files.delete(path);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Flushes that wait to be merged, in the family that has the most. */
  private int levelZeroRuns() {
    int most = 0;
    for (Family one : store.families()) {
      most = Math.max(most, TestStores.versions(one).current().levels().get(0).runs().size());
    }
    return most;
  }
}
