// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.tuner.LoadSample;
import io.coppice.policy.tuner.RewriteBudget;
import io.coppice.policy.tuner.RungSwitch;
import io.coppice.policy.tuner.Tuner;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which shards a tuner turns, on a clock that stands in the samples. */
class ShardedTunerTest {

  private static final long SECOND = 1_000_000_000L;
  private static final long TABLE_BYTES = 8L << 30;
  private static final int ENTRY_BYTES = 100;
  private static final int FLUSH_ENTRIES = 160_000;

  private final Tuner tuner = new Tuner(new RewriteBudget(() -> 0));
  private final List<RungSwitch> switches = new ArrayList<>();
  private PolicySpec inForce;
  private long seconds;
  private long writes;
  private long scans;
  private long walks = 60_000;
  private final long[] flushed = new long[8];
  private final long[] scanned = new long[8];

  /** So many seconds of writes and walks, shared among shards by weights. */
  private void live(int time, int[] writing, int[] scanning) {
    for (int second = 0; second < time; second++) {
      seconds++;
      writes += 160_000;
      scans += walks;
      int count = writing.length;
      for (int i = 0; i < count; i++) {
        flushed[i] += 16_000_000L * writing[i] / IntStream.of(writing).sum();
        scanned[i] += walks * scanning[i] / IntStream.of(scanning).sum();
      }
      if (seconds % Tuner.sampleSeconds(inForce) == 0) {
        List<LoadSample> shards = new ArrayList<>();
        for (int i = 0; i < Tuner.shards(inForce) && Tuner.shards(inForce) > 1; i++) {
          shards.add(
              LoadSample.ofShard(seconds * SECOND, flushed[i], 0, scanned[i], TABLE_BYTES / count));
        }
        tuner
            .observe(inForce, sample(shards))
            .ifPresent(
                made -> {
                  assertThat(made.again()).isTrue();
                  inForce = made.after();
                  switches.add(made);
                });
      }
    }
  }

  private LoadSample sample(List<LoadSample> shards) {
    long flushes = writes / FLUSH_ENTRIES;
    return new LoadSample(
        seconds * SECOND,
        writes,
        writes * ENTRY_BYTES,
        0,
        0,
        scans,
        scans * 10,
        0,
        flushes,
        flushes * FLUSH_ENTRIES * ENTRY_BYTES,
        flushes * FLUSH_ENTRIES,
        flushes * FLUSH_ENTRIES,
        0,
        0,
        TABLE_BYTES,
        TABLE_BYTES / ENTRY_BYTES,
        shards);
  }

  private String shards() {
    return inForce.texts().get("shards");
  }

  @Test
  void shardsThatAreUsedInDifferentWaysGetRungsOfTheirOwn() {
    inForce = PolicySpec.parse("adaptive,shards=33,window=10,dwell=10");
    live(300, new int[] {9, 1}, new int[] {1, 9});
    assertThat(shards().charAt(0)).as(shards()).isGreaterThan(shards().charAt(1));
    for (int i = 0; i < switches.size(); i++) {
      RungSwitch made = switches.get(i);
      int[] before = AdaptiveRung.ofShards(made.before());
      int[] after = AdaptiveRung.ofShards(made.after());
      assertThat(IntStream.range(0, 2).filter(shard -> before[shard] != after[shard]).count())
          .as("shards of a step, " + made)
          .isOne();
      assertThat(made.reason().sentence()).contains(" of 2");
      if (i > 0) {
        assertThat(made.nanos() - switches.get(i - 1).nanos()).isGreaterThanOrEqualTo(10 * SECOND);
      }
    }
    int settled = switches.size();
    live(300, new int[] {9, 1}, new int[] {1, 9});
    assertThat(switches).hasSize(settled);
  }

  @Test
  void shardsThatAreUsedAlikeGoTogether() {
    inForce = PolicySpec.parse("adaptive,shards=0000,window=10,dwell=10");
    PolicySpec one = PolicySpec.parse("adaptive,rung=0,window=10,dwell=10");
    live(300, new int[] {5, 5, 5, 5}, new int[] {1, 1, 1, 1});
    ShardedTunerTest whole = new ShardedTunerTest();
    whole.inForce = one;
    whole.live(300, new int[] {1}, new int[] {1});
    assertThat(switches).hasSameSizeAs(whole.switches);
    assertThat(shards()).isEqualTo(("" + whole.inForce.value("rung")).repeat(4));
  }

  @Test
  void theyTurnAsTheirLoadsDo() {
    inForce = PolicySpec.parse("adaptive,shards=33,window=10,dwell=10,min_gain=0.02");
    live(300, new int[] {9, 1}, new int[] {1, 9});
    assertThat(shards().charAt(0)).as(shards()).isGreaterThan(shards().charAt(1));
    live(300, new int[] {1, 9}, new int[] {9, 1});
    assertThat(shards().charAt(0)).as(shards()).isLessThan(shards().charAt(1));
    walks = 0;
    live(600, new int[] {1, 1}, new int[] {1, 1});
    assertThat(IntStream.of(AdaptiveRung.ofShards(inForce)).min().orElseThrow())
        .as(shards())
        .isGreaterThan(4);
  }

  @Test
  void aLoadThatTurnsToAndFroWithinTheDwellTurnsOneShardADwellAtMost() {
    for (int period : new int[] {4, 10, 30, 60, 119}) {
      ShardedTunerTest each = new ShardedTunerTest();
      each.inForce = PolicySpec.parse("adaptive,shards=33,window=1,dwell=120");
      for (int second = 0; second < 3600; second++) {
        boolean first = second % period < period / 2;
        each.live(1, first ? new int[] {9, 1} : new int[] {1, 9}, new int[] {1, 1});
      }
      assertThat(each.switches.size()).as("period " + period).isLessThanOrEqualTo(30);
      for (int i = 1; i < each.switches.size(); i++) {
        long apart = each.switches.get(i).nanos() - each.switches.get(i - 1).nanos();
        assertThat(apart).isGreaterThanOrEqualTo(120 * SECOND);
      }
    }
  }

  @Test
  void whereShardsWereNotToldApartForATimeNothingIsDecidedBeforeTheyAreKnownAgain() {
    inForce = PolicySpec.parse("adaptive,shards=33,window=40,dwell=40,min_gain=0.02");
    live(600, new int[] {9, 1}, new int[] {1, 9});
    String settled = shards();
    assertThat(settled.charAt(0)).as(settled).isGreaterThan(settled.charAt(1));
    int before = switches.size();
    for (int i = 0; i < 20; i++) {
      assertThat(tuner.observe(inForce, sample(List.of()))).isEmpty();
      live(60, new int[] {9, 1}, new int[] {1, 9});
    }
    assertThat(switches).as("after " + settled).hasSize(before);
  }

  @Test
  void asLongAsNoFlushTellsWhereKeysAreWrittenShardsAreLeftAsTheyAre() {
    inForce = PolicySpec.parse("adaptive,shards=60,window=10,dwell=10,min_gain=0.02");
    for (int second = 0; second < 300; second++) {
      seconds++;
      writes += 160_000;
      scans += walks;
      scanned[1] += walks;
      List<LoadSample> shards = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        shards.add(LoadSample.ofShard(seconds * SECOND, 0, 0, scanned[i], TABLE_BYTES / 2));
      }
      assertThat(tuner.observe(inForce, sample(shards))).isEmpty();
    }
    live(60, new int[] {1, 9}, new int[] {9, 1});
    assertThat(switches).isNotEmpty();
  }

  @Test
  void whatIsNotCountedByShardLeavesThemAsTheyAre() {
    inForce = PolicySpec.parse("adaptive,shards=06,window=10,dwell=10");
    for (int i = 0; i < 100; i++) {
      seconds += 5;
      writes += 1_000_000;
      assertThat(tuner.observe(inForce, sample(List.of()))).isEmpty();
    }
  }
}
