// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.Durability;
import io.coppice.policy.Backlog;
import io.coppice.policy.Budget;
import io.coppice.policy.Plan;
import io.coppice.policy.Policy;
import io.coppice.policy.Shape;
import io.coppice.policy.observe.StrategyMXBean;
import io.coppice.policy.observe.StrategySnapshot;
import io.coppice.policy.observe.TableMap;
import io.coppice.policy.spec.CustomPolicy;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.stream.LongStream;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FamilyBeanTest {

  private static final MBeanServer AGENT = ManagementFactory.getPlatformMBeanServer();

  @TempDir Path directory;

  private static StoreOptions.Builder options(String name) {
    return StoreOptions.builder()
        .name(name)
        .jmx(true)
        .policy("leveled,table_size=16KiB,fanout=4")
        .memtableBytes(64 << 10)
        .durability(Durability.NONE);
  }

  private static Set<ObjectName> beans(String store) throws Exception {
    return AGENT.queryNames(new ObjectName("io.coppice:type=Store,name=" + store + ",*"), null);
  }

  private static StrategyMXBean bean(String store, String family) throws Exception {
    return JMX.newMXBeanProxy(
        AGENT,
        new ObjectName("io.coppice:type=Store,name=" + store + ",family=" + family),
        StrategyMXBean.class);
  }

  private static void fill(Store store, int entries) {
    for (int i = 0; i < entries; i++) {
      store.put(("key" + (i * 7919L % entries)).getBytes(), new byte[100]);
    }
    store.flush();
    store.awaitIdle();
  }

  @Test
  void eachFamilyHasABeanWhileTheStoreIsOpen() throws Exception {
    try (Store store = Store.open(directory, options("one").family("more", "tiered").build())) {
      assertThat(beans("one")).hasSize(2);
      store.createFamily("third");
      assertThat(beans("one")).hasSize(3);
      store.dropFamily("third");
      assertThat(beans("one")).hasSize(2);
    }
    assertThat(beans("one")).isEmpty();
  }

  @Test
  void withoutTheOptionThereIsNone() throws Exception {
    try (Store store = Store.open(directory, options("none").jmx(false).build())) {
      assertThat(store.families()).hasSize(1);
      assertThat(beans("none")).isEmpty();
    }
  }

  @Test
  void aNameThatIsTakenKeepsNoStoreFromOpening() throws Exception {
    try (Store first = Store.open(directory.resolve("a"), options("same").build())) {
      try (Store second = Store.open(directory.resolve("b"), options("same").build())) {
        second.put(new byte[] {1}, new byte[] {1});
        assertThat(first.get(new byte[] {1})).isNull();
      }
      assertThat(beans("same")).hasSize(1);
    }
  }

  @Test
  void theSnapshotTellsWhatTheStatsTell() throws Exception {
    try (Store store = Store.open(directory, options("told").build())) {
      fill(store, 5000);
      StrategySnapshot snapshot = bean("told", "default").snapshot().snapshot();
      FamilyStats stats = store.family("default").stats();
      assertThat(snapshot.name()).isEqualTo("told/default");
      assertThat(snapshot.policy()).isEqualTo(stats.policy());
      assertThat(snapshot.backlog().liveBytes()).isEqualTo(stats.tableBytes());
      assertThat(snapshot.amplification().write()).isEqualTo(stats.writeAmplification());
      assertThat(snapshot.counter("FlushedBytes")).isEqualTo(stats.flushedBytes());
      assertThat(snapshot.counter("Flushes")).isEqualTo(store.stats().flushes());
      assertThat(snapshot.decisions()).isNotEmpty();
      assertThat(snapshot.runs().stream().mapToLong(StrategySnapshot.Run::bytes).sum())
          .isEqualTo(stats.levels().stream().mapToLong(StoreStats.LevelStats::bytes).sum());
    }
  }

  @Test
  void theMapHasEveryTableInItsRunAndOrder() throws Exception {
    try (Store store = Store.open(directory, options("map").build())) {
      fill(store, 5000);
      TableMap map = bean("map", "default").tableMap().map();
      FamilyStats stats = store.family("default").stats();
      assertThat(map.size())
          .isEqualTo(stats.levels().stream().mapToInt(StoreStats.LevelStats::segments).sum());
      for (int i = 1; i < map.size(); i++) {
        if (map.level()[i] == map.level()[i - 1] && map.run()[i] == map.run()[i - 1]) {
          assertThat(map.low()[i]).isGreaterThan(map.high()[i - 1]);
        }
      }
      assertThat(map.lowKeys()).allMatch(key -> key.startsWith("key"));
      assertThat(map.merge()).containsOnly(TableMap.FREE);
      assertThat(map.deletions()).containsOnly(0);
      store.delete("key7".getBytes());
      store.flush();
      assertThat(LongStream.of(bean("map", "default").tableMap().map().deletions()).sum())
          .isEqualTo(1);
    }
  }

  @Test
  void optionsTunedLiveEndWithTheStoreOrWithRevert() throws Exception {
    String configured;
    try (Store store = Store.open(directory, options("live").build())) {
      StrategyMXBean bean = bean("live", "default");
      configured = bean.getPolicy();
      String tuned = bean.apply("fanout=8", configured);
      assertThat(tuned).contains("fanout=8");
      assertThat(store.family("default").policy()).isEqualTo(tuned);
      assertThat(bean.getConfiguredPolicy()).isEqualTo(configured);
      assertThatThrownBy(() -> bean.apply("fanout=6", configured))
          .hasMessageContaining("was expected; read the policy");
      assertThatThrownBy(() -> bean.apply("fanout=99", ""))
          .hasMessageContaining("fanout (99) must be in 2..32");
      assertThat(bean.validate("fanout=99,none=1")).hasSize(2);
      assertThat(bean.revert()).isEqualTo(configured);
      bean.apply("fanout=8", "");
    }
    try (Store store = Store.open(directory, options("live").build())) {
      assertThat(store.family("default").policy()).isEqualTo(configured);
    }
  }

  @Test
  void aPolicyThatIsSetForGoodEndsWhatWasTuned() throws Exception {
    try (Store store = Store.open(directory, options("good").build())) {
      StrategyMXBean bean = bean("good", "default");
      bean.apply("fanout=8", "");
      store.policy("leveled,fanout=5");
      assertThat(bean.getPolicy()).contains("fanout=5").isEqualTo(bean.getConfiguredPolicy());
    }
  }

  @Test
  void aStoreThatIsOnlyReadIsSeenButNotTuned() throws Exception {
    try (Store store = Store.open(directory, options("read").build())) {
      fill(store, 1000);
    }
    try (Store store = Store.openReadOnly(directory, options("read").build())) {
      StrategyMXBean bean = bean("read", "default");
      assertThat(bean.tableMap().map().size()).isPositive();
      assertThatThrownBy(() -> bean.apply("fanout=8", "")).hasMessageContaining("read");
      assertThat(store.family("default").policy()).contains("fanout=4");
    }
  }

  @Test
  void aMergeThatIsNotThereIsNotStopped() throws Exception {
    try (Store store = Store.open(directory, options("stop").build())) {
      fill(store, 1000);
      assertThat(bean("stop", "default").stopMerge("1.1")).isFalse();
    }
  }

  @Test
  void keysThatAreNoTextAreShownInHexadecimal() {
    assertThat(FamilySnapshotBuilder.text("user1".getBytes())).isEqualTo("user1");
    assertThat(FamilySnapshotBuilder.text(new byte[] {0, (byte) 0xFF})).isEqualTo("0x00ff");
    assertThat(FamilySnapshotBuilder.text(new byte[100])).startsWith("0x00").endsWith("…");
  }

  @Test
  void writersAndReadersDoNotWaitForALook() throws Exception {
    Halting halting = new Halting();
    StoreOptions options =
        options("look").customPolicy(halting).policy("halting,table_size=16KiB").build();
    try (Store store = Store.open(directory, options)) {
      fill(store, 2000);
      StrategyMXBean bean = bean("look", "default");
      halting.looking = new Thread(bean::snapshot);
      halting.looking.start();
      halting.inside.await();
      // The look holds what it holds, and goes on only when all of this is done.
      byte[] key = "written meanwhile".getBytes();
      for (int i = 0; i < 100; i++) {
        store.put(key, new byte[i]);
      }
      assertThat(store.get(key)).hasSize(99);
      assertThat(store.get("key0".getBytes())).hasSize(100);
      halting.done.countDown();
      halting.looking.join();
    }
  }

  /** Merges nothing, and waits in the midst of a look of one thread. */
  private static final class Halting implements CustomPolicy, Policy {
    private final CountDownLatch inside = new CountDownLatch(1);
    private final CountDownLatch done = new CountDownLatch(1);
    private volatile Thread looking;

    @Override
    public String id() {
      return "halting";
    }

    @Override
    public Policy policy(long tableBytes, int cleaningThreshold) {
      return this;
    }

    @Override
    public int toleratedRuns() {
      return 1000;
    }

    @Override
    public Optional<Plan> next(Shape shape, Budget budget) {
      return Optional.empty();
    }

    @Override
    public Backlog backlog(Shape shape) {
      if (Thread.currentThread() == looking) {
        inside.countDown();
        try {
          done.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }
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
}
