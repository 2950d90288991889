// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.CompactionFilter;
import io.coppice.base.CompactionFilter.Verdict;
import io.coppice.base.Durability;
import io.coppice.base.InvalidOptionsException;
import io.coppice.base.MemoryBudget;
import io.coppice.base.MergeOperator;
import io.coppice.base.UserCodeException;
import io.coppice.io.MemDisk;
import io.coppice.model.KindsModel;
import io.coppice.policy.observe.Decision;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.recovery.StoreVerifier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** Cases of operands, range deletions, filters and values that end, made by hand. */
class StoreKindsTest {

  private final AtomicLong now = new AtomicLong(1_000_000);
  private MemDisk disk = new MemDisk();

  private StoreOptions.Builder options() {
    return StoreOptions.builder()
        .policy("leveled,fanout=2,l0_trigger=2,table_size=4KiB,cleaning_threshold=1")
        .memory(MemoryBudget.ofMebibytes(32))
        .memtableBytes(1 << 20)
        .durability(Durability.BUFFERED)
        .clock(now::get);
  }

  /** Returns options with which no merge begins before {@code compact()}. */
  private StoreOptions.Builder unhurried() {
    return options().policy("leveled,fanout=2,l0_trigger=64,table_size=4KiB,cleaning_threshold=1");
  }

  private Store open() throws IOException {
    return Store.open(disk, options().mergeOperator(KindsModel.APPEND).build());
  }

  private Store reopen(Store store) throws IOException {
    store.close();
    disk = disk.reopen();
    return open();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static byte[] key(int number) {
    return bytes(String.format("key%06d", number));
  }

  private static String get(Store store, String key) {
    byte[] value = store.get(bytes(key));
    return value == null ? null : new String(value, UTF_8);
  }

  private static List<String> keys(Cursor cursor) {
    List<String> keys = new ArrayList<>();
    try (cursor) {
      for (cursor.first(); cursor.valid(); cursor.next()) {
        keys.add(new String(cursor.key(), UTF_8));
      }
      int i = keys.size();
      for (cursor.last(); cursor.valid(); cursor.prev()) {
        assertThat(new String(cursor.key(), UTF_8)).isEqualTo(keys.get(--i));
      }
      assertThat(i).isZero();
    }
    return keys;
  }

  private static void assertSound(MemDisk closed) throws IOException {
    assertThat(StoreVerifier.verify(closed.reopen()).damages()).isEmpty();
  }

  @Test
  void aRangeEndsBeforeItsEnd() throws IOException {
    try (Store store = open()) {
      for (String key : List.of("a", "b", "b\0", "c", "c\0", "d")) {
        store.put(bytes(key), bytes("1"));
      }
      store.deleteRange(bytes("b"), bytes("c"));
      assertThat(keys(store.cursor(KeyRange.all()))).containsExactly("a", "c", "c\0", "d");
      store.flush();
      assertThat(keys(store.cursor(KeyRange.all()))).containsExactly("a", "c", "c\0", "d");
      store.compact();
      assertThat(keys(store.cursor(KeyRange.all()))).containsExactly("a", "c", "c\0", "d");
      assertThat(get(store, "b\0")).isNull();
      assertThat(get(store, "c")).isEqualTo("1");
    }
  }

  @Test
  void aRangeWithoutKeysIsRefused() throws IOException {
    try (Store store = open()) {
      assertThatThrownBy(() -> store.deleteRange(bytes("b"), bytes("b")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("must sort before");
      assertThatThrownBy(() -> store.deleteRange(bytes("b"), bytes("a")))
          .isInstanceOf(IllegalArgumentException.class);
      store.deleteRange(new byte[0], bytes("a"));
      assertThat(keys(store.cursor(KeyRange.all()))).isEmpty();
    }
  }

  @Test
  void writesOfABatchCountInTheirOrder() throws IOException {
    try (Store store = open()) {
      store.write(
          new WriteBatch()
              .put(bytes("a"), bytes("1"))
              .put(bytes("b"), bytes("1"))
              .deleteRange(bytes("a"), bytes("c"))
              .merge(bytes("b"), bytes("2")));
      assertThat(get(store, "a")).isNull();
      assertThat(get(store, "b")).isEqualTo("2");
      store.compact();
      assertThat(get(store, "b")).isEqualTo("2");
    }
  }

  @Test
  void aRangeDeletionIsCutWhereTablesAre() throws IOException {
    Store store = open();
    byte[] value = new byte[200];
    for (int i = 0; i < 400; i++) {
      store.put(key(i), value);
    }
    store.compact();
    try (Snapshot before = store.snapshot()) {
      store.deleteRange(key(50), key(350));
      for (int i = 0; i < 400; i += 100) {
        store.put(key(i), bytes("new"));
      }
      store.compact();
      assertThat(store.stats().levels().stream().mapToInt(StoreStats.LevelStats::segments).sum())
          .as("tables, each with a part of the range deletion")
          .isGreaterThan(10);
      assertThat(keys(store.cursor(KeyRange.all()))).hasSize(103);
      assertThat(keys(before.cursor(KeyRange.all()))).hasSize(400);
      for (int i = 0; i < 400; i++) {
        boolean there = i < 50 || i >= 350 || i % 100 == 0;
        assertThat(store.get(key(i)) != null).as("key %d", i).isEqualTo(there);
        assertThat(before.get(key(i))).isEqualTo(value);
      }
    }
    store.compact();
    assertThat(keys(store.cursor(KeyRange.all()))).hasSize(103);
    store = reopen(store);
    assertThat(keys(store.cursor(KeyRange.all()))).hasSize(103);
    store.close();
    assertSound(disk);
  }

  @Test
  void whatARangeDeletionCoversGoesAndSoDoesItself() throws IOException {
    Store store = open();
    for (int i = 0; i < 1000; i++) {
      store.put(key(i), new byte[50]);
    }
    store.compact();
    store.deleteRange(key(0), key(2000));
    store.compact();
    assertThat(store.stats().tableBytes()).isZero();
    store.close();
    assertSound(disk);
  }

  @Test
  void aTableMayHoldRangeDeletionsAlone() throws IOException {
    Store store = open();
    store.put(bytes("b"), bytes("1"));
    store.put(bytes("y"), bytes("1"));
    store.flush();
    store.deleteRange(bytes("a"), bytes("x"));
    store.deleteRange(bytes("z"), bytes("zz"));
    store.flush();
    assertThat(keys(store.cursor(KeyRange.all()))).containsExactly("y");
    store = reopen(store);
    assertThat(keys(store.cursor(KeyRange.all()))).containsExactly("y");
    assertThat(get(store, "b")).isNull();
    assertThat(store.getAll(List.of(bytes("y"), bytes("b")))).containsExactly(bytes("1"), null);
    store.close();
    assertSound(disk);
  }

  @Test
  void rangesThatNestHideWhatIsOlderThanTheNewest() throws IOException {
    Store store = open();
    List<Snapshot> snapshots = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      store.put(key(i), bytes("v" + i));
      store.put(key(100 + i), bytes("w" + i));
      if (i > 0) {
        store.deleteRange(key(0), key(i));
      }
      snapshots.add(store.snapshot());
    }
    store.compact();
    for (int i = 0; i < 20; i++) {
      assertThat(keys(snapshots.get(i).cursor(KeyRange.all())))
          .as("snapshot %d", i)
          .hasSize(1 + i + 1)
          .startsWith(new String(key(i), UTF_8));
    }
    store = reopen(store);
    assertThat(keys(store.cursor(KeyRange.all()))).hasSize(21);
    store.close();
  }

  @Test
  void manyRangeDeletionsInOneMemtableAreFlushedInTime() throws IOException {
    Store store = open();
    for (int i = 1; i <= 5_000; i++) {
      store.put(key(i), bytes("v"));
      store.deleteRange(key(0), key(i));
    }
    // Two began by themselves, though they need not be done yet.
    store.flush();
    assertThat(store.stats().flushes()).isGreaterThanOrEqualTo(3);
    assertThat(keys(store.cursor(KeyRange.all()))).hasSize(1);
    store.close();
  }

  @Test
  void operandsOfOneKeyStayInOneTable() throws IOException {
    Store store = open();
    StringBuilder expected = new StringBuilder("base");
    store.put(bytes("a"), bytes("0"));
    store.put(bytes("k"), bytes("base"));
    store.put(bytes("z"), bytes("0"));
    store.flush();
    List<Snapshot> snapshots = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      String operand = "[" + i + "-".repeat(60) + "]";
      store.merge(bytes("k"), bytes(operand));
      expected.append(operand);
      if (i % 10 == 0) {
        snapshots.add(store.snapshot());
      }
      if (i == 150) {
        store.flush();
      }
    }
    store.compact();
    assertThat(get(store, "k")).isEqualTo(expected.toString());
    assertThat(keys(store.cursor(KeyRange.all()))).containsExactly("a", "k", "z");
    int length = "base".length();
    for (int i = 0; i < 300; i++) {
      length += ("[" + i + "-".repeat(60) + "]").length();
      if (i % 10 == 0) {
        assertThat(snapshots.get(i / 10).get(bytes("k")))
            .isEqualTo(bytes(expected.substring(0, length)));
      }
    }
    snapshots.forEach(Snapshot::close);
    store = reopen(store);
    store.compact();
    assertThat(get(store, "k")).isEqualTo(expected.toString());
    store.close();
    assertSound(disk);
  }

  @Test
  void operandsWithoutABaseBecomeAValueAtTheBottom() throws IOException {
    Store store = open();
    store.merge(bytes("k"), bytes("1"));
    store.flush();
    store.merge(bytes("k"), bytes("2"));
    store.compact();
    store.close();
    disk = disk.reopen();
    try (Store without = Store.open(disk, options().build())) {
      assertThat(get(without, "k")).isEqualTo("12");
    }
  }

  @Test
  void anotherOperatorIsRefused() throws IOException {
    Store store = open();
    store.merge(bytes("k"), bytes("1"));
    store.close();
    disk = disk.reopen();
    assertThatThrownBy(
            () -> Store.open(disk, options().mergeOperator(operator("sum", null)).build()))
        .isInstanceOf(InvalidOptionsException.class)
        .hasMessageContaining("mergeOperator (sum)")
        .hasMessageContaining("append");
  }

  @Test
  void withoutTheOperatorOperandsAreKeptAndCannotBeRead() throws IOException {
    Store store = open();
    store.put(bytes("k"), bytes("0"));
    store.merge(bytes("k"), bytes("1"));
    store.close();
    disk = disk.reopen();
    store = Store.open(disk, options().build());
    Store closed = store;
    assertThatThrownBy(() -> get(closed, "k"))
        .isInstanceOf(UserCodeException.class)
        .hasMessageContaining("without a merge operator");
    assertThatThrownBy(() -> closed.merge(bytes("k"), bytes("2")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'default'");
    store.put(bytes("other"), bytes("1"));
    store.compact();
    store = reopen(store);
    assertThat(get(store, "k")).isEqualTo("01");
    store.close();
  }

  @Test
  void anOperatorThatThrowsFailsTheReadAndTheMergeAndLosesNothing() throws IOException {
    AtomicReference<RuntimeException> thrown = new AtomicReference<>();
    Store store = Store.open(disk, unhurried().mergeOperator(operator("moody", thrown)).build());
    store.put(bytes("k"), bytes("0"));
    store.flush();
    store.merge(bytes("k"), bytes("1"));
    thrown.set(new IllegalStateException("not today"));
    assertThatThrownBy(() -> store.get(bytes("k")))
        .isInstanceOf(UserCodeException.class)
        .hasMessageContaining("moody")
        .hasMessageContaining("not today");
    try (Cursor cursor = store.cursor(KeyRange.all())) {
      assertThatThrownBy(cursor::first).isInstanceOf(UserCodeException.class);
      assertThat(cursor.valid()).isFalse();
      assertThatThrownBy(cursor::last).isInstanceOf(UserCodeException.class);
      assertThat(cursor.valid()).isFalse();
    }
    assertThatThrownBy(store::compact)
        .isInstanceOf(UserCodeException.class)
        .hasMessageContaining("moody");
    store.put(bytes("other"), bytes("still writable"));
    thrown.set(null);
    store.compact();
    assertThat(get(store, "k")).isEqualTo("01");
    store.close();
    assertSound(disk);
  }

  private static MergeOperator operator(String name, AtomicReference<RuntimeException> thrown) {
    return new MergeOperator() {
      @Override
      public String name() {
        return name;
      }

      @Override
      public byte[] merge(byte[] key, byte[] base, List<byte[]> operands) {
        if (thrown != null && thrown.get() != null) {
          throw thrown.get();
        }
        return KindsModel.APPEND.merge(key, base, operands);
      }
    };
  }

  /** An operand must count once, also while its memtable turns into tables and these are merged. */
  @Test
  void readersCountEveryOperandOnceDuringFlushesAndMerges() throws Exception {
    Store store =
        Store.open(disk, options().memtableBytes(2 << 10).mergeOperator(KindsModel.SUM).build());
    AtomicLong acknowledged = new AtomicLong();
    AtomicLong begun = new AtomicLong();
    AtomicBoolean done = new AtomicBoolean();
    AtomicReference<Throwable> problem = new AtomicReference<>();
    byte[] counter = bytes("counter");
    List<Thread> readers = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      boolean byCursor = i == 1;
      Thread reader =
          new Thread(
              () -> {
                try {
                  while (!done.get()) {
                    long least = acknowledged.get();
                    long seen =
                        byCursor ? throughCursor(store, counter) : count(store.get(counter));
                    assertThat(seen).isBetween(least, begun.get());
                  }
                } catch (Throwable e) {
                  problem.compareAndSet(null, e);
                }
              });
      readers.add(reader);
      reader.start();
    }
    byte[] one = ByteBuffer.allocate(8).putLong(1).array();
    for (int i = 1; i <= 6_000 && problem.get() == null; i++) {
      begun.set(i);
      store.merge(counter, one);
      acknowledged.set(i);
      if (i % 7 == 0) {
        store.put(key(i), new byte[20]);
      }
    }
    done.set(true);
    for (Thread reader : readers) {
      reader.join();
    }
    assertThat(problem.get()).isNull();
    assertThat(store.stats().flushes()).isGreaterThan(10);
    store.close();
  }

  private static long throughCursor(Store store, byte[] key) {
    try (Cursor cursor = store.cursor(KeyRange.from(key))) {
      cursor.first();
      return cursor.valid() && cursor.key().length == key.length ? count(cursor.value()) : 0;
    }
  }

  private static long count(byte[] value) {
    return value == null ? 0 : ByteBuffer.wrap(value).getLong();
  }

  @Test
  void aFilterRemovesReplacesAndKeepsAndNothingOlderComesBack() throws IOException {
    CompactionFilter filter =
        filter(
            (key, value) ->
                switch (value) {
                  case "old" -> Verdict.REMOVE;
                  case "long" -> Verdict.replaceWith(bytes("short"));
                  default -> Verdict.KEEP;
                });
    Store store = Store.open(disk, options().compactionFilter(filter).build());
    for (String key : List.of("a", "b", "c")) {
      store.put(bytes(key), bytes("first"));
    }
    store.flush();
    store.awaitIdle();
    store.put(bytes("a"), bytes("old"));
    store.put(bytes("b"), bytes("long"));
    store.put(bytes("d"), bytes("old"));
    store.compact();
    assertThat(keys(store.cursor(KeyRange.all()))).containsExactly("b", "c");
    assertThat(get(store, "a")).isNull();
    assertThat(get(store, "b")).isEqualTo("short");
    assertThat(get(store, "c")).isEqualTo("first");
    store.close();
    assertSound(disk);
  }

  @Test
  void aFilterDoesNotTouchWhatASnapshotSees() throws IOException {
    CompactionFilter filter = filter((key, value) -> Verdict.REMOVE);
    Store store = Store.open(disk, options().compactionFilter(filter).build());
    store.put(bytes("a"), bytes("seen"));
    store.put(bytes("c"), bytes("seen"));
    store.flush();
    try (Snapshot snapshot = store.snapshot()) {
      store.put(bytes("b"), bytes("unseen"));
      store.compact();
      assertThat(keys(store.cursor(KeyRange.all()))).containsExactly("a", "c");
      assertThat(keys(snapshot.cursor(KeyRange.all()))).containsExactly("a", "c");
    }
    store.put(bytes("b"), bytes("unseen"));
    store.compact();
    assertThat(keys(store.cursor(KeyRange.all()))).isEmpty();
    store.close();
  }

  @Test
  void aFilterThatThrowsFailsTheMergeAndLosesNothing() throws IOException {
    AtomicBoolean fails = new AtomicBoolean(true);
    CompactionFilter filter =
        filter(
            (key, value) -> {
              if (fails.get()) {
                throw new IllegalStateException("cannot decide");
              }
              return Verdict.KEEP;
            });
    Store store = Store.open(disk, unhurried().compactionFilter(filter).build());
    store.put(bytes("a"), bytes("1"));
    store.put(bytes("c"), bytes("1"));
    store.flush();
    store.put(bytes("b"), bytes("1"));
    assertThatThrownBy(store::compact)
        .isInstanceOf(UserCodeException.class)
        .hasMessageContaining("by-text")
        .hasMessageContaining("cannot decide");
    assertThat(keys(store.cursor(KeyRange.all()))).containsExactly("a", "b", "c");
    fails.set(false);
    store.compact();
    assertThat(keys(store.cursor(KeyRange.all()))).containsExactly("a", "b", "c");
    store.close();
  }

  private interface Rule {
    Verdict judge(String key, String value);
  }

  private static CompactionFilter filter(Rule rule) {
    return new CompactionFilter() {
      @Override
      public String name() {
        return "by-text";
      }

      @Override
      public Verdict filter(byte[] key, byte[] value) {
        return rule.judge(new String(key, UTF_8), new String(value, UTF_8));
      }
    };
  }

  @Test
  void aValueEndsForReadsCursorsAndSnapshots() throws IOException {
    try (Store store = open()) {
      store.put(bytes("a"), bytes("1"), Duration.ofMillis(10));
      store.put(bytes("b"), bytes("2"), Duration.ofDays(1_000_000_000L));
      store.write(
          new WriteBatch().putUntil(bytes("c"), bytes("3"), Instant.ofEpochMilli(now.get() + 20)));
      try (Snapshot snapshot = store.snapshot()) {
        assertThat(keys(snapshot.cursor(KeyRange.all()))).containsExactly("a", "b", "c");
        assertThat(get(store, "a")).isEqualTo("1");
        now.addAndGet(10);
        assertThat(get(store, "a")).isNull();
        ByteBuffer target = ByteBuffer.allocate(8);
        assertThat(store.getInto(bytes("a"), target)).isEqualTo(-1);
        assertThat(store.getInto(bytes("c"), target)).isEqualTo(1);
        assertThat(target.get(0)).isEqualTo((byte) '3');
        assertThat(keys(store.cursor(KeyRange.all()))).containsExactly("b", "c");
        store.flush();
        assertThat(keys(snapshot.cursor(KeyRange.all()))).containsExactly("b", "c");
        assertThat(store.getInto(bytes("c"), target)).isEqualTo(1);
        now.addAndGet(10);
        store.compact();
        assertThat(keys(snapshot.cursor(KeyRange.all()))).containsExactly("b");
        assertThat(get(store, "b")).isEqualTo("2");
      }
    }
  }

  @Test
  void anEndBehindAllTimesIsNever() throws IOException {
    try (Store store = open()) {
      store.write(new WriteBatch().putUntil(bytes("k"), bytes("1"), Instant.MAX));
      store.flush();
      now.addAndGet(Long.MAX_VALUE / 2);
      store.compact();
      assertThat(get(store, "k")).isEqualTo("1");
    }
  }

  @Test
  void whatEndedOnceDoesNotComeBackWithTheClock() throws IOException {
    Store store = open();
    store.put(bytes("k"), bytes("older"));
    store.flush();
    store.put(bytes("k"), bytes("1"), Duration.ofMillis(10));
    store.put(bytes("other"), bytes("1"), Duration.ofMillis(20));
    now.addAndGet(15);
    store.compact();
    assertThat(get(store, "k")).isNull();
    now.addAndGet(-15);
    assertThat(get(store, "k")).isNull();
    store = reopen(store);
    assertThat(get(store, "k")).isNull();
    assertThat(get(store, "other")).isEqualTo("1");
    // By a clock that went back this would live on; the time of the merge still counts.
    store.put(bytes("late"), bytes("1"), Duration.ofMillis(5));
    now.addAndGet(19);
    assertThat(get(store, "late")).isEqualTo("1");
    now.addAndGet(1);
    assertThat(get(store, "late")).isNull();
    assertThat(get(store, "other")).isNull();
    store.close();
    disk = disk.reopen();
    try (Store again = Store.openReadOnly(disk, options().build())) {
      assertThat(get(again, "k")).isNull();
    }
  }

  @Test
  void whatOperandsOnAValueThatEndsAmountToDoesNotDependOnMerges() throws IOException {
    for (int merged = 0; merged < 4; merged++) {
      disk = new MemDisk();
      now.set(1_000_000);
      try (Store store = open()) {
        store.put(bytes("k"), bytes("0"), Duration.ofMillis(10));
        store.merge(bytes("k"), bytes("1"));
        if ((merged & 1) != 0) {
          store.compact();
        }
        assertThat(get(store, "k")).isEqualTo("01");
        now.addAndGet(10);
        if ((merged & 2) != 0) {
          store.compact();
        }
        store.merge(bytes("k"), bytes("2"));
        assertThat(get(store, "k")).as("merged %d", merged).isEqualTo("12");
        store.compact();
        assertThat(get(store, "k")).as("merged %d", merged).isEqualTo("12");
      }
    }
  }

  @Test
  void anEndIsCheckedWhenItIsGiven() throws IOException {
    WriteBatch batch = new WriteBatch();
    assertThatThrownBy(() -> batch.put(bytes("k"), bytes("1"), Duration.ofMillis(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("timeToLive (PT-0.001S)");
    assertThatThrownBy(() -> batch.putUntil(bytes("k"), bytes("1"), Instant.MIN))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> batch.putUntil(bytes("k"), bytes("1"), Instant.ofEpochMilli(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    try (Store store = open()) {
      store.put(bytes("k"), bytes("1"), Duration.ZERO);
      assertThat(get(store, "k")).isNull();
    }
  }

  @Test
  void familiesHaveOperatorsAndRangesOfTheirOwn() throws IOException {
    StoreOptions options =
        options()
            .family("users", "tiered,trigger=4,table_size=4KiB")
            .mergeOperator("users", KindsModel.APPEND)
            .build();
    try (Store store = Store.open(disk, options)) {
      Family users = store.family("users");
      for (int i = 0; i < 10; i++) {
        store.put(key(i), bytes("1"));
        users.put(key(i), bytes("2"));
      }
      users.merge(key(9), bytes("3"));
      users.put(key(8), bytes("4"), Duration.ofMillis(5));
      store.write(
          new WriteBatch()
              .deleteRange(users, key(0), key(5))
              .deleteRange(key(7), key(9))
              .merge(users, key(9), bytes("5")));
      now.addAndGet(5);
      for (int round = 0; round < 2; round++) {
        assertThat(keys(users.cursor(KeyRange.all()))).hasSize(4);
        assertThat(keys(store.cursor(KeyRange.all()))).hasSize(8);
        assertThat(users.get(key(9))).isEqualTo(bytes("235"));
        assertThatThrownBy(() -> store.merge(key(9), bytes("1"))).hasMessageContaining("default");
        store.compact();
      }
    }
  }

  private static long tableBytes(Store store) {
    store.awaitIdle();
    return store.stats().tableBytes();
  }

  /** Everything lies in one run already. */
  @Test
  void aCompactionLetsGoOfValuesThatHaveEnded() throws IOException {
    try (Store store = open()) {
      for (int i = 0; i < 200; i++) {
        store.put(key(i), new byte[100], Duration.ofMillis(10));
      }
      store.compact();
      long written = store.stats().mergedBytes();
      assertThat(tableBytes(store)).isPositive();
      store.compact();
      assertThat(store.stats().mergedBytes()).as("nothing has ended yet").isEqualTo(written);

      now.addAndGet(10);
      store.compact();
      assertThat(tableBytes(store)).isZero();
    }
    assertSound(disk);
  }

  @Test
  void aCompactionLetsGoOfWhatOnlyASnapshotKept() throws IOException {
    try (Store store = open()) {
      for (int i = 0; i < 100; i++) {
        store.put(key(i), new byte[100]);
      }
      try (Snapshot before = store.snapshot()) {
        for (int i = 0; i < 100; i++) {
          store.put(key(i), new byte[50]);
        }
        try (Snapshot between = store.snapshot()) {
          store.deleteRange(key(0), key(50));
          for (int i = 50; i < 90; i++) {
            store.delete(key(i));
          }
          store.compact();
          assertThat(before.get(key(3))).hasSize(100);
          assertThat(between.get(key(60))).hasSize(50);
        }
      }
      store.compact();
      assertThat(tableBytes(store)).isLessThan(2_000);
      assertThat(keys(store.cursor(KeyRange.all()))).hasSize(10);
      long written = store.stats().mergedBytes();
      store.compact();
      assertThat(store.stats().mergedBytes()).as("nothing is left to go").isEqualTo(written);
      store.deleteRange(key(0), key(100));
      store.compact();
      assertThat(tableBytes(store)).isZero();
    }
    assertSound(disk);
  }

  @Test
  void aCompactionShowsTheFilterWhatLiesInOneRun() throws IOException {
    try (Store store = open()) {
      for (int i = 0; i < 200; i++) {
        store.put(key(i), new byte[100]);
      }
      store.compact();
    }
    disk = disk.reopen();
    CompactionFilter filter =
        filter((key, value) -> key.compareTo("key000150") < 0 ? Verdict.REMOVE : Verdict.KEEP);
    StoreOptions options =
        options().mergeOperator(KindsModel.APPEND).compactionFilter(filter).build();
    try (Store store = Store.open(disk, options)) {
      long before = tableBytes(store);
      store.compact();
      assertThat(keys(store.cursor(KeyRange.all()))).hasSize(50).first().isEqualTo("key000150");
      assertThat(tableBytes(store)).isLessThan(before / 2);
    }
    assertSound(disk);
  }

  /** Tables from which nothing would go stay as they are, between others that are rewritten. */
  @Test
  void aCompactionRewritesOnlyTablesFromWhichSomethingGoes() throws IOException {
    try (Store store = open()) {
      for (int i = 0; i < 300; i++) {
        if (i / 100 == 1) {
          store.put(key(i), new byte[100], Duration.ofMillis(10));
        } else {
          store.put(key(i), new byte[100]);
        }
      }
      store.compact();
      now.addAndGet(10);
      StoreStats before = store.stats();
      store.compact();
      StoreStats after = store.stats();
      assertThat(after.mergeReadBytes() - before.mergeReadBytes())
          .isBetween(before.tableBytes() / 4, before.tableBytes() * 2 / 3);
      assertThat(keys(store.cursor(KeyRange.all()))).hasSize(200);
      assertThat(store.decisions())
          .anyMatch(decision -> decision.question() == Decision.Question.REWRITE);
      assertThat(DecisionJournal.replay(store.decisions(), PolicySpec::policy)).isEmpty();
    }
    assertSound(disk);
  }
}
