// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.thread.SeededWorkers;
import io.coppice.base.thread.Workers;
import io.coppice.io.MemDisk;
import io.coppice.load.TunerTestBase;
import io.coppice.model.Config;
import io.coppice.policy.observe.Decision;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.tuner.RungSwitch;
import io.coppice.read.FamilyReader;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

/** A store turns its rung by itself, on a clock and in an order that a seed decides. */
class StoreAdaptiveTest extends TunerTestBase {

  private byte[] key() {
    return String.format("key%06d", random.nextInt(KEYS)).getBytes(US_ASCII);
  }

  /** A second of writing, with as much of the background as wants to be done in it. */
  private void write(int entries) {
    for (int i = 0; i < entries; i++) {
      byte[] key = key();
      if (random.nextInt(10) == 0) {
        model.remove(key);
        store.delete(key);
      } else {
        byte[] value = new byte[VALUE_BYTES];
        random.nextBytes(value);
        model.put(key, value);
        store.put(key, value);
      }
    }
    settle();
  }

  /** A second of walking ranges and looking keys up. */
  private void read(int scans) {
    for (int i = 0; i < scans; i++) {
      byte[] key = key();
      try (Cursor cursor = store.cursor(KeyRange.from(key))) {
        cursor.first();
        assertThat(cursor.valid()).isEqualTo(model.ceilingKey(key) != null);
        for (int j = 0; j < 5 && cursor.valid(); j++) {
          cursor.next();
        }
      }
      assertThat(store.get(key)).isEqualTo(model.get(key));
    }
    settle();
  }

  private long rung() {
    return PolicySpec.parse(store.family("default").policy()).value("rung");
  }

  private List<RungSwitch> switches() {
    return store.switches().stream().map(DecisionJournal.FamilySwitch::made).toList();
  }

  @Test
  void theRungFollowsALoadThatTurnsFromWritesToReadsAndBack() throws IOException {
    open("adaptive,rung=3,window=3,dwell=3,table_size=64KiB");
    for (int second = 0; second < 14; second++) {
      write(2500);
    }
    long written = rung();
    assertThat(written).as("write-heavy").isGreaterThanOrEqualTo(5);
    int first = switches().size();
    for (int second = 0; second < 14; second++) {
      read(1200);
    }
    assertThat(rung()).as("scan-heavy").isLessThanOrEqualTo(2);
    assertThat(switches()).hasSizeGreaterThan(first);
    for (int second = 0; second < 14; second++) {
      write(2500);
    }
    assertThat(rung()).as("write-heavy again").isGreaterThanOrEqualTo(5);

    List<RungSwitch> made = switches();
    assertThat(made).allMatch(RungSwitch::again);
    for (int i = 1; i < made.size(); i++) {
      assertThat(made.get(i).nanos() - made.get(i - 1).nanos()).isGreaterThanOrEqualTo(3 * SECOND);
      assertThat(made.get(i).before()).isEqualTo(made.get(i - 1).after());
    }
    assertThat(made.get(made.size() - 1).after().toString())
        .isEqualTo(store.family("default").policy());
    assertThat(made.get(0).reason().sentence()).contains("are write-heavy and").contains("rung 3");
    assertThat(store.parts().families.defaultOne().counts().sums().rungSwitches())
        .isEqualTo(made.size());
    assertThat(DecisionJournal.replay(store.decisions(), PolicySpec::policy)).isEmpty();
    noMergeReadMoreThanItMight();
  }

  /** Unless level 0 was over what it may keep, as nobody is to wait for a change of form. */
  private void noMergeReadMoreThanItMight() {
    int bounded = 0;
    for (Decision decision : store.decisions()) {
      long rewrite = decision.budget().rewriteBytes();
      bounded += rewrite < Long.MAX_VALUE ? 1 : 0;
      long flushes =
          decision.shape().levels().get(0).runs().stream()
              .filter(run -> !run.segments().isEmpty())
              .count();
      if (decision.plan().isPresent() && flushes <= decision.policy().toleratedRuns()) {
        assertThat(decision.plan().get().reason().cost().readBytes()).isLessThanOrEqualTo(rewrite);
      }
    }
    assertThat(bounded).isPositive();
  }

  @Test
  void aLoadThatFlapsSwitchesOnceADwellAtMost() throws IOException {
    open("adaptive,rung=3,window=1,dwell=10,table_size=64KiB");
    for (int second = 0; second < 64; second++) {
      if (second / 4 % 2 == 0) {
        write(1800);
      } else {
        read(800);
      }
    }
    List<RungSwitch> made = switches();
    assertThat(made).hasSizeBetween(2, 6);
    for (int i = 1; i < made.size(); i++) {
      assertThat(made.get(i).nanos() - made.get(i - 1).nanos()).isGreaterThanOrEqualTo(10 * SECOND);
    }
  }

  /** From each rung to each other, while level 0 is as full as any of them leaves it. */
  @Test
  void aSwitchHoldsNoWriterBack() throws IOException {
    open("adaptive,rung=0,adapt=false,table_size=64KiB");
    FamilyParts family = store.parts().families.defaultOne();
    int most = 0;
    for (int before = 0; before < Config.RUNGS; before++) {
      for (int after = 0; after < Config.RUNGS; after++) {
        String from = "rung=" + before;
        String to = "rung=" + after;
        store.parts().lifecycle.tune(family, spec -> spec.with(from));
        write(2000);
        final long stalls = store.stats().stalls();
        store.parts().lifecycle.tune(family, spec -> spec.with(to));
        boolean more = true;
        while (more) {
          most = Math.max(most, store.stats().levels().get(0).runs());
          byte[] key = key();
          model.put(key, new byte[1]);
          store.put(key, new byte[1]);
          assertThat(store.stats().writeDelayNanosPerByte())
              .as("seed %d, from rung %d to %d", seed, before, after)
              .isZero();
          more = workers.step();
        }
        assertThat(store.stats().stalls())
            .as("seed %d, from rung %d to %d", seed, before, after)
            .isEqualTo(stalls);
      }
    }
    assertThat(most).as("runs of level 0 at a switch").isGreaterThan(4);
  }

  @Test
  void equalSeedsMakeEqualSwitches() throws IOException {
    List<RungSwitch> first = lifeOf(new SeededWorkers(seed), new Random(seed));
    List<RungSwitch> second = lifeOf(new SeededWorkers(seed), new Random(seed));
    assertThat(first).isNotEmpty().isEqualTo(second);
    open("leveled");
  }

  private List<RungSwitch> lifeOf(SeededWorkers work, Random draws) throws IOException {
    open(new MemDisk(), "adaptive,rung=2,window=2,dwell=2,table_size=64KiB", work);
    for (int second = 0; second < 12; second++) {
      for (int i = 0; i < 2500; i++) {
        byte[] key = ("key" + draws.nextInt(KEYS)).getBytes(US_ASCII);
        store.put(key, new byte[VALUE_BYTES]);
        store.get(key);
      }
      boolean more = true;
      while (more) {
        more = work.step();
      }
      work.pass(SECOND - work.nanoTime() % SECOND);
    }
    List<RungSwitch> made = switches();
    store.close();
    return made;
  }

  @Test
  void afterReopeningTheConfiguredRungDecides() throws IOException {
    String policy = "adaptive,rung=1,window=2,dwell=4,table_size=64KiB";
    open(policy);
    String configured = store.family("default").policy();
    for (int second = 0; second < 10; second++) {
      write(2500);
    }
    assertThat(rung()).isGreaterThan(1);
    store.close();
    open(disk.kill(), policy, workers);
    assertThat(store.family("default").policy()).isEqualTo(configured);
    assertThat(store.switches()).isEmpty();
    write(2500);
    assertThat(rung()).as("within the dwell").isOne();
    for (int second = 0; second < 10; second++) {
      write(2500);
    }
    assertThat(rung()).isGreaterThan(1);
  }

  @Test
  void aRungThatAPersonChoseStaysForADwellOrWithoutAdaptForGood() throws IOException {
    open("adaptive,rung=6,window=2,dwell=10,table_size=64KiB");
    write(2500);
    FamilyParts family = store.parts().families.defaultOne();
    store.parts().lifecycle.tune(family, before -> before.with("rung=0"));
    for (int second = 0; second < 9; second++) {
      write(2500);
    }
    assertThat(rung()).isZero();
    for (int second = 0; second < 4; second++) {
      write(2500);
    }
    assertThat(rung()).isPositive();
    store.parts().lifecycle.tune(family, before -> before.with("rung=0,adapt=false"));
    for (int second = 0; second < 15; second++) {
      write(1000);
    }
    assertThat(rung()).isZero();
  }

  @Test
  void familiesAreTunedEachForItselfAndDroppedAtAnyTime() throws IOException {
    open("leveled,table_size=64KiB");
    for (int life = 0; life < 3; life++) {
      Family family = store.createFamily("users", "adaptive,rung=0,window=1,dwell=1");
      for (int second = 0; second < 6; second++) {
        for (int i = 0; i < 3000; i++) {
          family.put(key(), new byte[VALUE_BYTES]);
        }
        settle();
      }
      assertThat(PolicySpec.parse(family.policy()).value("rung")).isPositive();
      assertThat(family.parts().counts().sums().decisions())
          .anyMatch(decision -> decision.kind().equals("switch"));
      // The drop waits for merges, and lets the tuner and all others work meanwhile.
      workers.pass(5 * SECOND);
      store.dropFamily("users");
      settle();
    }
    assertThat(store.switches()).hasSizeGreaterThanOrEqualTo(3);
    assertThat(store.switches()).allMatch(one -> one.family().equals("users"));
  }

  @Test
  void anExceptionInTuningEndsItAndNothingElse() throws IOException {
    BrokenClock broken = new BrokenClock();
    open(disk, "adaptive,rung=1,window=1,dwell=1,table_size=64KiB", broken);
    broken.breaks = true;
    for (int second = 0; second < 4; second++) {
      write(3000);
    }
    assertThat(broken.calls).isOne();
    assertThat(rung()).isOne();
    assertThat(store.switches()).isEmpty();
    store.policy("adaptive,rung=5");
    write(1000);
    assertThat(rung()).isEqualTo(5);
    store.awaitIdle();
  }

  /** Works as the test's workers do, but for the clock of whoever tunes. */
  private final class BrokenClock implements Workers {
    private boolean tuning;
    private boolean breaks;
    private int calls;

    @Override
    public Worker start(String name, Task task) {
      Task watched =
          () -> {
            tuning = true;
            try {
              return task.step();
            } finally {
              tuning = false;
            }
          };
      return workers.start(name, name.endsWith("-tune") ? watched : task);
    }

    @Override
    public Condition condition(ReentrantLock lock) {
      return workers.condition(lock);
    }

    @Override
    public void giveWay() {
      workers.giveWay();
    }

    @Override
    public long nanoTime() {
      if (tuning && breaks) {
        calls++;
        throw new IllegalStateException("planted");
      }
      return workers.nanoTime();
    }
  }

  @Test
  void whatIsReadAndWrittenIsCountedForItsFamily() throws IOException {
    open("tiered");
    Family other = store.createFamily("other");
    other.put(new byte[] {1}, new byte[] {2, 3});
    other.delete(new byte[] {1});
    assertThat(other.get(new byte[] {1})).isNull();
    assertThat(other.getAll(List.of(new byte[] {1}, new byte[] {2}))).containsOnlyNulls();
    other.put(new byte[] {1}, new byte[] {2, 3});
    assertThat(other.get(new byte[] {1})).isNotNull();
    try (Cursor cursor = other.cursor(KeyRange.all())) {
      cursor.first();
      cursor.next();
      cursor.last();
      cursor.prev();
    }
    store.flush();
    FamilyParts parts = other.parts();
    assertThat(parts.reader().load().lookups()).isEqualTo(4);
    assertThat(parts.reader().load().misses()).isEqualTo(3);
    assertThat(parts.reader().load().scans()).isEqualTo(2);
    assertThat(parts.reader().load().scannedEntries()).isEqualTo(2);
    assertThat(parts.writeState().writtenEntries()).isEqualTo(3);
    assertThat(parts.writeState().writtenBytes()).isEqualTo(7);
    assertThat(parts.writeState().sealedEntries()).isEqualTo(3);
    assertThat(parts.writeState().flushedEntries()).isOne();
    FamilyParts main = store.parts().families.defaultOne();
    assertThat(main.reader().load().lookups()).isZero();
    assertThat(main.writeState().writtenEntries()).isZero();
  }

  @Test
  void hotKeysAreSeenInTheSampleOfLookups() throws IOException {
    open("tiered");
    byte[] hot = {1};
    long[] hashes = new long[300];
    for (int i = 0; i < 64 * 300; i++) {
      store.get(i % 2 == 0 ? hot : key());
    }
    FamilyReader reader = store.parts().families.defaultOne().reader();
    int found = reader.sampleKeys(hashes);
    assertThat(found).isEqualTo(256);
    assertThat(reader.sampleKeys(hashes)).isZero();
    for (int i = 0; i < 640; i++) {
      store.get(hot);
    }
    assertThat(reader.sampleKeys(hashes)).isEqualTo(10);
    assertThat(Arrays.stream(hashes, 0, 10).distinct().count()).isOne();
  }
}
