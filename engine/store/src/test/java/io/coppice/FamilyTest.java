// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.ClosedException;
import io.coppice.base.CorruptionException;
import io.coppice.base.DiskFullException;
import io.coppice.base.Durability;
import io.coppice.base.InvalidOptionsException;
import io.coppice.base.MemoryBudget;
import io.coppice.base.ReadOnlyException;
import io.coppice.compaction.Compactor;
import io.coppice.io.ErrorDisk;
import io.coppice.io.MemDisk;
import io.coppice.load.FamilyLoad;
import io.coppice.policy.Backlog;
import io.coppice.policy.Budget;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.Shape;
import io.coppice.policy.observe.Decision;
import io.coppice.policy.spec.CustomPolicy;
import io.coppice.recovery.StoreVerifier;
import io.coppice.recovery.Verification;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class FamilyTest {

  private static final byte[] A = "a".getBytes(UTF_8);
  private static final byte[] B = "b".getBytes(UTF_8);
  private static final byte[] C = "c".getBytes(UTF_8);

  private final MemDisk disk = new MemDisk();

  private Store open() throws IOException {
    return Store.open(disk.reopen(), StoreOptions.defaults());
  }

  @Test
  void familiesKeepTheirKeysApart() throws IOException {
    try (Store store = open()) {
      Family users = store.createFamily("users");
      store.put(A, A);
      users.put(A, B);
      users.put(ByteBuffer.wrap(B), ByteBuffer.wrap(C));
      assertThat(store.get(A)).isEqualTo(A);
      assertThat(store.get(B)).isNull();
      assertThat(users.get(A)).isEqualTo(B);
      assertThat(store.family("default").get(A)).isEqualTo(A);
      users.delete(A);
      assertThat(store.get(A)).isEqualTo(A);
      assertThat(users.getAll(List.of(A, B))).containsExactly(null, C);
      assertThat(FamilyLoad.contents(users.cursor(KeyRange.all())).keySet()).containsExactly(B);
    }
    try (Store store = open()) {
      assertThat(store.get(A)).isEqualTo(A);
      assertThat(store.family("users").get(B)).isEqualTo(C);
      assertThat(store.families().stream().map(Family::name)).containsExactly("default", "users");
    }
  }

  @Test
  void aBatchOverFamiliesIsVisibleInAllOfThem() throws IOException {
    try (Store store = open()) {
      Family users = store.createFamily("users");
      Family orders = store.createFamily("orders");
      store.write(new WriteBatch().put(users, A, A).put(orders, A, B).put(A, C).delete(users, B));
      assertThat(users.get(A)).isEqualTo(A);
      assertThat(orders.get(A)).isEqualTo(B);
      assertThat(store.get(A)).isEqualTo(C);
      try (Snapshot snapshot = store.snapshot()) {
        store.write(new WriteBatch().put(users, A, C).delete(orders, A));
        store.compact();
        assertThat(snapshot.get(users, A)).isEqualTo(A);
        assertThat(snapshot.getAll(orders, List.of(A, B))).containsExactly(B, null);
        assertThat(FamilyLoad.contents(snapshot.cursor(orders, KeyRange.all()))).hasSize(1);
      }
      assertThat(orders.get(A)).isNull();
    }
  }

  @Test
  void compareAndSetLooksAtItsOwnFamily() throws IOException {
    try (Store store = open()) {
      Family users = store.createFamily("users");
      store.put(A, A);
      assertThat(users.compareAndSet(A, A, B)).isFalse();
      assertThat(users.compareAndSet(A, null, B)).isTrue();
      assertThat(users.get(A)).isEqualTo(B);
      assertThat(store.get(A)).isEqualTo(A);
    }
  }

  /** A policy that wants nothing. */
  private abstract static class Resting implements CustomPolicy, Policy {
    @Override
    public Policy policy(long tableBytes, int cleaningThreshold) {
      return this;
    }

    @Override
    public Optional<Plan> next(Shape shape, Budget budget) {
      return Optional.empty();
    }

    @Override
    public Backlog backlog(Shape shape) {
      return Backlog.NONE;
    }

    @Override
    public Optional<Plan> everything(Shape shape, Budget budget) {
      return Optional.empty();
    }

    @Override
    public Optional<Plan> rewrite(Shape shape, Set<Long> slices, Budget budget) {
      return Optional.empty();
    }
  }

  /** Policy that runs an action while it computes its backlog. */
  private static final class Meanwhile extends Resting {
    private Runnable action = () -> {};

    @Override
    public String id() {
      return "meanwhile";
    }

    @Override
    public Backlog backlog(Shape shape) {
      Runnable once = action;
      action = () -> {};
      once.run();
      return Backlog.NONE;
    }
  }

  @Test
  void figuresOfAStoreLeaveOutAFamilyThatIsDroppedWhileTheyAreTaken() throws IOException {
    Meanwhile meanwhile = new Meanwhile();
    StoreOptions options = StoreOptions.builder().customPolicy(meanwhile).build();
    try (Store store = Store.openPaused(disk, options)) {
      store.createFamily("users", "meanwhile");
      store.createFamily("orders");
      meanwhile.action = () -> store.dropFamily("users");
      assertThat(store.stats().families().stream().map(FamilyStats::name))
          .containsExactly("default", "orders");
    }
  }

  @Test
  void aFamilyThatIsDroppedWhileItsFiguresAreTakenIsClosed() throws IOException {
    Meanwhile meanwhile = new Meanwhile();
    StoreOptions options = StoreOptions.builder().customPolicy(meanwhile).build();
    try (Store store = Store.openPaused(disk, options)) {
      Family users = store.createFamily("users", "meanwhile");
      meanwhile.action = () -> store.dropFamily("users");
      assertThatThrownBy(users::stats)
          .isInstanceOf(ClosedException.class)
          .hasMessageContaining("dropped");
    }
  }

  @Test
  void aCompactionPassesOverAFamilyThatIsDroppedBeforeItsTurn() throws IOException {
    try (Store store = open()) {
      Family users = store.createFamily("users");
      Compactor compactor = store.parts().compactor;
      store.dropFamily("users");
      assertThatThrownBy(() -> compactor.everything(users.number()))
          .isInstanceOf(ClosedException.class)
          .hasMessageContaining("dropped");
      store.compact(List.of(users.parts()));
    }
  }

  @Test
  void wrongNamesAreAnsweredWithWhatIsAllowed() throws IOException {
    try (Store store = open()) {
      store.createFamily("users");
      assertThatThrownBy(() -> store.family("usrs"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(
              "there is no family 'usrs', but 'default', 'users'; create it with createFamily, or"
                  + " name it in the options");
      assertThatThrownBy(() -> store.createFamily("users"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("there is a family 'users' already");
      assertThatThrownBy(() -> store.dropFamily("default"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("cannot be dropped");
      assertThatThrownBy(() -> store.createFamily("other", "leveld,fanout=0"))
          .isInstanceOf(InvalidOptionsException.class)
          .hasMessageContaining("leveld");
      assertThat(store.families()).hasSize(2);
    }
  }

  @Test
  void aDroppedFamilyIsGoneWithItsFilesAndItsHandlesAreClosed() throws IOException {
    try (Store store = open()) {
      Family users = store.createFamily("users");
      store.put(A, A);
      users.put(A, A);
      store.flush();
      users.put(B, B);
      store.dropFamily("users");

      for (Runnable use :
          List.<Runnable>of(
              () -> users.get(A),
              () -> users.put(A, A),
              () -> users.cursor(KeyRange.all()),
              users::stats,
              users::compact,
              () -> users.policy("leveled"),
              () -> store.write(new WriteBatch().put(B, B).put(users, A, A)))) {
        assertThatThrownBy(use::run)
            .isInstanceOf(ClosedException.class)
            .hasMessageContaining("dropped");
      }
      assertThat(users.name()).isEqualTo("users");
      assertThat(store.get(B)).as("the other half of a refused batch").isNull();
      store.awaitIdle();
      store.flush();
      assertThat(store.stats().pinnedBytes()).isZero();
      assertThat(store.stats().families()).hasSize(1);
    }
    try (Store store = open()) {
      assertThat(store.get(A)).isEqualTo(A);
      assertThat(disk.list().stream().filter(name -> name.endsWith(".tbl"))).hasSize(1);
    }
  }

  @Test
  void aFamilyThatGetsADroppedOnesNameBeginsEmpty() throws IOException {
    try (Store store = open()) {
      Family old = store.createFamily("users");
      old.put(A, A);
      store.flush();
      old.put(B, B);
      store.dropFamily("users");
      Family users = store.createFamily("users");
      assertThat(users.get(A)).isNull();
      users.put(C, C);
      assertThatThrownBy(() -> old.get(C)).isInstanceOf(ClosedException.class);
    }
    for (MemDisk after : List.of(disk.crash(), disk.kill())) {
      try (Store store = Store.open(after, StoreOptions.defaults())) {
        assertThat(FamilyLoad.contents(store.family("users").cursor(KeyRange.all())))
            .containsOnlyKeys(C);
      }
    }
  }

  @Test
  void whatALogHoldsOfADroppedFamilyIsPassedOver() throws IOException {
    Store store = open();
    Family users = store.createFamily("users");
    store.write(new WriteBatch().put(users, A, A).put(B, B), Durability.SYNC);
    store.dropFamily("users");
    MemDisk after = disk.crash();
    store.close();

    assertThat(StoreVerifier.verify(after.reopen()).damaged()).isFalse();
    try (Store again = Store.openReadOnly(after.reopen(), StoreOptions.defaults())) {
      assertThat(again.get(B)).isEqualTo(B);
      assertThat(again.families()).hasSize(1);
    }
    try (Store again = Store.open(after.reopen(), StoreOptions.defaults())) {
      assertThat(again.get(B)).isEqualTo(B);
      assertThat(again.createFamily("users").get(A)).isNull();
    }
  }

  @Test
  void aStoreForReadingShowsAllFamiliesAndTakesNone() throws IOException {
    Store store = open();
    Family users = store.createFamily("users");
    users.put(A, A);
    store.flush();
    users.put(B, B);
    store.put(C, C);
    MemDisk left = disk.kill();
    store.close();

    try (Store reader = Store.openReadOnly(left, StoreOptions.defaults())) {
      assertThat(reader.family("users").getAll(List.of(A, B, C))).containsExactly(A, B, null);
      assertThat(reader.get(C)).isEqualTo(C);
      assertThatThrownBy(() -> reader.createFamily("more")).isInstanceOf(ReadOnlyException.class);
      assertThatThrownBy(() -> reader.dropFamily("users")).isInstanceOf(ReadOnlyException.class);
      assertThatThrownBy(() -> reader.family("users").policy("leveled"))
          .isInstanceOf(ReadOnlyException.class);
      assertThat(reader.family("users").get(A)).isEqualTo(A);
    }
  }

  @Test
  void aCursorOutlivesItsFamilyAndKeepsItsTables() throws IOException {
    try (Store store = open()) {
      Family users = store.createFamily("users");
      users.put(A, A);
      store.flush();
      users.put(B, B);
      Cursor cursor = users.cursor(KeyRange.all());
      store.dropFamily("users");
      assertThat(store.stats().pinnedBytes()).isPositive();
      assertThat(FamilyLoad.contents(cursor)).containsOnlyKeys(A, B);
      assertThat(store.stats().pinnedBytes()).isZero();
    }
  }

  @Test
  void aLongReadOfOneFamilyKeepsNoTablesOfAnother() throws IOException {
    try (Store store = open()) {
      Family users = store.createFamily("users");
      users.put(A, A);
      store.put(A, A);
      store.flush();
      try (Cursor held = users.cursor(KeyRange.all())) {
        store.put(A, B);
        store.compact();
        assertThat(store.stats().pinnedBytes()).isZero();
        users.put(A, B);
        users.compact();
        assertThat(users.stats().pinnedBytes()).isPositive();
        held.first();
        assertThat(held.value()).isEqualTo(A);
      }
      assertThat(store.stats().pinnedBytes()).isZero();
    }
  }

  @Test
  void anIdleFamilyTakesNoMemory() throws IOException {
    MemoryBudget memory = MemoryBudget.ofMebibytes(128);
    try (Store store = Store.open(disk, StoreOptions.builder().memory(memory).build())) {
      for (int i = 0; i < 200; i++) {
        store.createFamily("f" + i, "leveled");
      }
      store.put(A, A);
      store.flush();
      long before = memory.usedBytes();
      assertThat(before).isLessThan(12 << 20);
      Family busy = store.family("f7");
      busy.put(A, A);
      assertThat(busy.stats().memtableBytes()).isPositive();
      store.flush();
      assertThat(busy.stats().memtableBytes()).isZero();
      assertThat(busy.stats().flushedBytes()).isPositive();
    }
    assertThat(memory.usedBytes()).isZero();
  }

  @Test
  void aPolicyIsOfOneFamilyAndOutlivesTheStore() throws IOException {
    try (Store store = open()) {
      Family users = store.createFamily("users", "leveled,fanout=7");
      Family orders = store.createFamily("orders");
      assertThat(users.policy()).startsWith("leveled,").contains("fanout=7");
      users.policy("tiered,trigger=4,table_size=1MiB");
      assertThat(users.policy()).startsWith("tiered,");
      assertThat(orders.policy()).isEqualTo(store.family("default").policy());
      users.put(A, A);
      store.flush();
      store.awaitIdle();
      assertThat(
              store.decisions().stream()
                  .filter(decision -> decision.family().equals("users"))
                  .map(decision -> decision.policy().policyName()))
          .contains("tiered");
    }
    StoreOptions options =
        StoreOptions.builder().family("orders", "grouped").family("more", "delayed").build();
    try (Store store = Store.open(disk.reopen(), options)) {
      assertThat(store.family("users").policy()).startsWith("tiered,");
      assertThat(store.family("orders").policy()).startsWith("grouped,");
      assertThat(store.family("more").policy()).startsWith("delayed,");
      assertThat(store.stats().families())
          .extracting(FamilyStats::name)
          .containsExactly("default", "users", "orders", "more");
    }
  }

  @Test
  void wrongFamiliesInTheOptionsAreAllNamed() {
    assertThatThrownBy(
            () ->
                StoreOptions.builder()
                    .family("", "leveled")
                    .family("default", "leveled")
                    .family("orders", "leveled,fanout=x")
                    .build())
        .isInstanceOf(InvalidOptionsException.class)
        .hasMessageContaining("family name '' of 0 bytes must have 1 to 255")
        .hasMessageContaining("family 'default' gets its policy by policy(text)")
        .hasMessageContaining("family 'orders': fanout (x) must be");
  }

  @Test
  void familiesOfAnotherStoreAreRefused() throws IOException {
    try (Store store = open();
        Store other = Store.open(new MemDisk(), StoreOptions.defaults());
        Snapshot snapshot = store.snapshot()) {
      Family users = store.createFamily("users");
      Family strange = other.createFamily("users");
      assertThatThrownBy(() -> store.write(new WriteBatch().put(strange, A, A)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("another store");
      assertThatThrownBy(() -> new WriteBatch().put(users, A, A).put(strange, A, A))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("another store");
      assertThatThrownBy(() -> snapshot.get(strange, A))
          .isInstanceOf(IllegalArgumentException.class);
      WriteBatch batch = new WriteBatch().put(users, A, A);
      batch.clear();
      other.write(batch.put(strange, A, A).put(B, B));
      assertThat(other.get(B)).isEqualTo(B);
      assertThat(strange.get(A)).isEqualTo(A);
    }
  }

  @Test
  void verifyReadsTheTablesOfAllFamilies() throws IOException {
    try (Store store = open()) {
      store.createFamily("users").put(A, A);
      store.put(B, B);
      store.flush();
    }
    Verification sound = StoreVerifier.verify(disk.reopen());
    assertThat(sound.damaged()).isFalse();
    assertThat(sound.tables()).isEqualTo(2);
    for (String name : List.copyOf(disk.list())) {
      if (name.endsWith(".tbl")) {
        MemDisk damaged = disk.crash();
        byte[] bytes = damaged.bytes(name);
        bytes[60] ^= 1;
        damaged.setBytes(name, bytes);
        assertThat(StoreVerifier.verify(damaged).damages()).as(name).hasSize(1);
      }
    }
  }

  @Test
  void aFullDiskKeepsFamiliesFromComingAndGoingAndHarmsNothing() throws IOException {
    ErrorDisk failing = new ErrorDisk(disk);
    try (Store store = Store.open(failing, StoreOptions.defaults())) {
      Family users = store.createFamily("users");
      users.put(A, A);
      failing.fail(ErrorDisk.Fault.ENOSPC, 1, true);
      assertThatThrownBy(() -> store.createFamily("orders")).isInstanceOf(DiskFullException.class);
      assertThatThrownBy(() -> store.dropFamily("users")).isInstanceOf(DiskFullException.class);
      assertThat(users.get(A)).isEqualTo(A);
      failing.heal();
      users.put(B, B);
      users.compact();
      store.createFamily("orders").put(C, C);
      store.dropFamily("users");
      assertThat(store.families()).hasSize(2);
    }
  }

  @Test
  void afterAFailedDropTheStoreIsReadOnlyAndWhatIsFoundIsWhole() throws IOException {
    ErrorDisk failing = new ErrorDisk(disk);
    try (Store store = Store.open(failing, StoreOptions.defaults())) {
      Family users = store.createFamily("users");
      users.put(A, A);
      store.put(A, A);
      store.flush();
      failing.fail(ErrorDisk.Operation.SYNC, 1, true);
      assertThatThrownBy(() -> store.dropFamily("users"))
          .isInstanceOfAny(ReadOnlyException.class, UncheckedIOException.class);
      assertThatThrownBy(() -> store.put(B, B)).isInstanceOf(ReadOnlyException.class);
      assertThat(store.get(A)).isEqualTo(A);
    }
    try (Store store = Store.open(disk.crash(), StoreOptions.defaults())) {
      assertThat(store.get(A)).isEqualTo(A);
      if (store.families().size() > 1) {
        assertThat(store.family("users").get(A)).isEqualTo(A);
      }
    }
  }

  @Test
  void damageInOneFamilyKeepsNoOtherFromItsMerges() throws IOException {
    String policy = "tiered,trigger=4,table_size=4KiB";
    StoreOptions options = StoreOptions.builder().policy(policy).family("users", policy).build();
    MemDisk damaged;
    try (Store store = Store.openPaused(disk, options)) {
      for (int i = 0; i < 2; i++) {
        store.family("users").put(A, A);
        store.flush();
      }
      damaged = disk.kill();
    }
    for (String name : List.copyOf(damaged.list())) {
      if (name.endsWith(".tbl")) {
        byte[] bytes = damaged.bytes(name);
        bytes[60] ^= 1;
        damaged.setBytes(name, bytes);
      }
    }
    try (Store store = Store.open(damaged, options)) {
      assertThatThrownBy(() -> store.family("users").compact())
          .isInstanceOf(CorruptionException.class);
      store.put(A, A);
      store.flush();
      store.put(A, B);
      store.family("default").compact();
      assertThat(store.family("default").stats().mergeSteps()).isPositive();
      assertThat(store.family("users").stats().failedPlans()).isPositive();
      assertThat(store.get(A)).isEqualTo(B);
    }
  }

  @Test
  void everyDecisionNamesItsFamily() throws IOException {
    StoreOptions options =
        StoreOptions.builder()
            .policy("leveled,l0_trigger=2,table_size=4KiB")
            .family("users", "tiered,trigger=4,table_size=4KiB")
            .build();
    try (Store store = Store.open(disk, options)) {
      for (int i = 0; i < 6; i++) {
        store.put(A, A);
        store.family("users").put(A, A);
        store.flush();
      }
      store.awaitIdle();
      assertThat(store.decisions())
          .allMatch(
              decision ->
                  decision
                      .policy()
                      .policyName()
                      .equals(decision.family().equals("users") ? "tiered" : "leveled"))
          .extracting(Decision::family)
          .contains("users", "default");
    }
  }

  /** Counts how often it is asked, and wants nothing. */
  private static final class Asked extends Resting {
    private final AtomicInteger times = new AtomicInteger();

    @Override
    public String id() {
      return "asked";
    }

    @Override
    public Optional<Plan> next(Shape shape, Budget budget) {
      times.incrementAndGet();
      return super.next(shape, budget);
    }
  }

  @Test
  void aPolicyIsNotAskedAgainWhileItsFamilyHasNoTable() throws IOException {
    Asked asked = new Asked();
    try (Store store =
        Store.open(
            disk, StoreOptions.builder().customPolicy(asked).family("idle", "asked").build())) {
      store.awaitIdle();
      int before = asked.times.get();
      for (int i = 0; i < 20; i++) {
        store.put(A, A);
        store.flush();
        store.awaitIdle();
      }
      assertThat(asked.times.get()).as("changes of another family").isEqualTo(before);
      store.family("idle").put(A, A);
      store.flush();
      store.awaitIdle();
      assertThat(asked.times.get()).isGreaterThan(before);
      before = asked.times.get();
      store.put(A, A);
      store.flush();
      store.awaitIdle();
      assertThat(asked.times.get()).as("with a table").isGreaterThan(before);
    }
  }
}
