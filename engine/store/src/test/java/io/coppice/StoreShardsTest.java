// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.load.TunerTestBase;
import io.coppice.policy.Plan;
import io.coppice.policy.Shape;
import io.coppice.policy.observe.Decision;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.tuner.RungSwitch;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A store gives ranges of keys rungs of their own, on a clock and in an order of a seed. */
class StoreShardsTest extends TunerTestBase {

  /** Of ten keys those of the other half. */
  private int others = 1;

  /** A key, mostly of one half. */
  private byte[] key(boolean lower) {
    boolean inLower = random.nextInt(10) >= others == lower;
    int number = random.nextInt(KEYS / 2) + (inLower ? 0 : KEYS / 2);
    return String.format("key%06d", number).getBytes(US_ASCII);
  }

  /** A second of writing to one half and of walks in the other. */
  private void live(int entries, int walks, boolean lower) {
    for (int i = 0; i < entries; i++) {
      byte[] key = key(lower);
      byte[] value = new byte[VALUE_BYTES];
      random.nextBytes(value);
      model.put(key, value);
      store.put(key, value);
    }
    for (int i = 0; i < walks; i++) {
      byte[] key = key(!lower);
      try (Cursor cursor = store.cursor(KeyRange.from(key))) {
        cursor.first();
        assertThat(cursor.valid()).isEqualTo(model.ceilingKey(key) != null);
      }
      assertThat(store.get(key)).isEqualTo(model.get(key));
    }
    settle();
  }

  private String shards() {
    return PolicySpec.parse(store.family("default").policy()).texts().get("shards");
  }

  @Test
  void aSkewedLoadGivesEachHalfItsRung() throws IOException {
    open("adaptive,shards=33,window=3,dwell=3,table_size=64KiB");
    for (int second = 0; second < 25; second++) {
      live(2000, 2500, true);
    }
    assertThat(shards().charAt(0)).as(shards()).isGreaterThan(shards().charAt(1));
    List<RungSwitch> made =
        store.switches().stream().map(DecisionJournal.FamilySwitch::made).toList();
    assertThat(made).isNotEmpty().allMatch(RungSwitch::again);
    assertThat(made.get(made.size() - 1).reason().sentence()).contains(" of 2");
    assertThat(store.decisions())
        .anyMatch(
            decision ->
                decision.plan().isPresent()
                    && decision.plan().get() instanceof Plan.Delay delay
                    && delay.stays());
    assertThat(DecisionJournal.replay(store.decisions(), PolicySpec::policy)).isEmpty();
    for (int second = 0; second < 25; second++) {
      live(2000, 2500, false);
    }
    assertThat(shards().charAt(0)).as(shards()).isLessThan(shards().charAt(1));
  }

  @Test
  void rangesOfAStoreThatIsOpenedAgainAreRight() throws IOException {
    String policy = "adaptive,shards=6063,adapt=false,table_size=64KiB";
    open(policy);
    for (int second = 0; second < 10; second++) {
      live(2000, 100, true);
    }
    store.close();
    disk = disk.kill();
    open(policy);
    for (int second = 0; second < 5; second++) {
      live(1000, 100, false);
    }
    store.compact();
    live(1000, 100, true);
  }

  @Test
  void aHalfAtRestKeepsNoEmptyRunsOfTheOther() throws IOException {
    open("adaptive,rung=0,adapt=false,table_size=64KiB");
    live(10_000, 0, true);
    live(10_000, 0, false);
    store.family("default").policy("adaptive,shards=60,adapt=false,table_size=64KiB");
    others = 0;
    for (int second = 0; second < 40; second++) {
      live(2000, 0, false);
    }
    List<Decision> decisions = store.decisions();
    Shape shape = decisions.get(decisions.size() - 1).shape();
    long runs = shape.levels().stream().mapToInt(level -> level.runs().size()).sum();
    assertThat(runs - shape.nonEmptyRunCount()).as("seed %d: %s", seed, shape).isLessThan(5);
  }
}
