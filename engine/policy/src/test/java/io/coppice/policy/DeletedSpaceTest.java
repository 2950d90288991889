// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.policy.check.PlanCheck;
import io.coppice.policy.spec.AdaptiveRung;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.testing.Seeds;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Bound on the space that deleted data takes: at rest, after any mix of writes and deletions of 0
 * to 99 percent of the keys, the tables have at most a factor of the live bytes, plus eight tables
 * and one memtable. The factor is that of the policy's page.
 */
class DeletedSpaceTest {

  private static final int ENTRY_BYTES = 100;
  private static final int TABLE_ENTRIES = 64;
  private static final int TABLE_BYTES = TABLE_ENTRIES * ENTRY_BYTES;
  private static final int MEMTABLE_ENTRIES = 512;
  private static final int KEYS = 10_000;
  private static final int MAX_LEVEL = 8;

  private static final long SLACK_BYTES = 8L * TABLE_BYTES + MEMTABLE_ENTRIES * ENTRY_BYTES;

  /** Most bytes on disk per live byte, as each page states. */
  private static final Map<String, Double> FACTORS =
      Map.of(
          "leveled", 1.3,
          "delayed", 1.3,
          "lazy-binomial", 1.6,
          "lazy-binomial,x=0", 2.0,
          "delayed,max_overlap_ratio=0", 1.3,
          "adaptive", 1.6,
          "split-forest", 2.0,
          "grouped", 2.0,
          "tiered", 2.0);

  static Stream<Arguments> mixes() {
    return Seeds.many(Integer.getInteger("seeds", 3))
        .boxed()
        .flatMap(
            seed ->
                FACTORS.keySet().stream()
                    .sorted()
                    .flatMap(
                        policy ->
                            Stream.of(MergeRule.values())
                                .map(rule -> Arguments.of(policy, rule, seed))));
  }

  @ParameterizedTest
  @MethodSource("mixes")
  void deletedDataGoes(String name, MergeRule rule, long seed) {
    Random random = new Random(seed);
    PolicyLimits limits = new PolicyLimits(TABLE_BYTES, 1, Long.MAX_VALUE >> 20, MAX_LEVEL, false);
    Policy policy = PolicySpec.parse(name, limits).policy();
    ShapeStore store = new ShapeStore(rule, TABLE_BYTES, ENTRY_BYTES).purging();
    double share = new double[] {0, 0.1, 0.5, 0.9, 0.99}[random.nextInt(5)];
    boolean interleaved = random.nextBoolean();
    boolean ordered = random.nextInt(3) == 0;
    List<Integer> keys = new ArrayList<>(IntStream.range(0, KEYS).boxed().toList());
    if (!ordered) {
      Collections.shuffle(keys, random);
    }
    int deleted = (int) (KEYS * share);
    String mix = share + (interleaved ? " interleaved" : "") + (ordered ? " ordered" : "");
    long seen = 0;
    int written = 0;
    int dropped = 0;
    while (written < KEYS || dropped < deleted) {
      List<Integer> put = new ArrayList<>();
      List<Integer> delete = new ArrayList<>();
      while (put.size() + delete.size() < MEMTABLE_ENTRIES
          && (written < KEYS || dropped < deleted)) {
        boolean next = written == KEYS || interleaved && random.nextDouble() < share / (1 + share);
        if (next && dropped < Math.min(deleted, written)) {
          delete.add(keys.get(dropped++));
        } else {
          put.add(keys.get(written++));
        }
      }
      store.flush(put, delete);
      if (random.nextInt(4) > 0) {
        settle(policy, store);
        seen++;
      }
    }
    settle(policy, store);
    double factor = FACTORS.get(name);
    if (Boolean.getBoolean("show")) {
      System.out.printf(
          "%s %s %s: %.2f times live, wa %.2f, live %d, disk %d, slack %d %s%n",
          name,
          rule,
          mix,
          (double) store.diskBytes() / store.liveBytes(),
          store.writeAmplification(),
          store.liveBytes(),
          store.diskBytes(),
          SLACK_BYTES,
          store.diskBytes() <= factor * store.liveBytes() + SLACK_BYTES ? "" : "FAIL");
    }
    assertThat(store.diskBytes())
        .as("bytes on disk, %s deleted, seed %d, rests %d", mix, seed, seen)
        .isLessThanOrEqualTo((long) (factor * store.liveBytes()) + SLACK_BYTES);
    assertThat(store.wrongKeys()).isEmpty();
  }

  /** Cassandra keeps deletions until their grace period ends; the values below them go at once. */
  @ParameterizedTest
  @MethodSource("youngDeletions")
  void planningEndsWhileDeletionsCannotGo(String name, long seed) {
    Random random = new Random(seed);
    PolicyLimits limits = new PolicyLimits(TABLE_BYTES, 1, Long.MAX_VALUE >> 20, MAX_LEVEL, false);
    Policy policy = PolicySpec.parse(name, limits).policy();
    ShapeStore store = new ShapeStore(MergeRule.FREE, TABLE_BYTES, ENTRY_BYTES).keepingDeletions();
    List<Integer> keys = new ArrayList<>(IntStream.range(0, KEYS).boxed().toList());
    if (random.nextBoolean()) {
      Collections.shuffle(keys, random);
    }
    for (int at = 0; at < KEYS; at += MEMTABLE_ENTRIES) {
      store.flush(keys.subList(at, Math.min(KEYS, at + MEMTABLE_ENTRIES)), List.of());
      settle(policy, store);
    }
    int deleted = KEYS / 10 * (1 + random.nextInt(9));
    for (int at = 0; at < deleted; at += MEMTABLE_ENTRIES) {
      store.flush(List.of(), keys.subList(at, Math.min(deleted, at + MEMTABLE_ENTRIES)));
      if (random.nextBoolean()) {
        settle(policy, store);
      }
    }
    settle(policy, store);
    long kept = (long) (FACTORS.get(name) * (store.liveBytes() + deleted * ENTRY_BYTES / 5L));
    assertThat(store.diskBytes())
        .as("bytes on disk with %d deletions, seed %d", deleted, seed)
        .isLessThanOrEqualTo(kept + SLACK_BYTES);
  }

  static Stream<Arguments> youngDeletions() {
    return Seeds.many(Integer.getInteger("seeds", 2))
        .boxed()
        .flatMap(seed -> FACTORS.keySet().stream().sorted().map(name -> Arguments.of(name, seed)));
  }

  @ParameterizedTest
  @MethodSource("adaptiveRungs")
  void deletionsNeedNoRewriteBudget(int from, int to) {
    PolicyLimits limits = new PolicyLimits(TABLE_BYTES, 1, Long.MAX_VALUE >> 20, MAX_LEVEL, false);
    Policy before = PolicySpec.parse("adaptive,rung=" + from, limits).policy();
    ShapeStore store = new ShapeStore(MergeRule.ADJACENT, TABLE_BYTES, ENTRY_BYTES).purging();
    List<Integer> keys = new ArrayList<>(IntStream.range(0, KEYS).boxed().toList());
    Collections.shuffle(keys, new Random(from));
    for (int at = 0; at < KEYS; at += MEMTABLE_ENTRIES) {
      store.flush(keys.subList(at, Math.min(KEYS, at + MEMTABLE_ENTRIES)), List.of());
      settle(before, store);
    }
    // The tuner switches, and nothing that is flushed pays for a new arrangement.
    Policy after = PolicySpec.parse("adaptive,rung=" + to, limits).policy();
    int deleted = KEYS / 10 * 9;
    for (int at = 0; at < deleted; at += MEMTABLE_ENTRIES) {
      store.flush(List.of(), keys.subList(at, Math.min(deleted, at + MEMTABLE_ENTRIES)));
    }
    Budget none = new Budget(1, Long.MAX_VALUE, 0);
    long most = 40L * (store.slices() + 10);
    Optional<Plan> plan = after.next(store.shape(), none);
    for (long plans = 0; plan.isPresent(); plans++) {
      assertThat(plans).as("plans without rest, now %s", plan.get()).isLessThan(most);
      store.apply(plan.get());
      plan = after.next(store.shape(), none);
    }
    assertThat(store.diskBytes())
        .as("bytes on disk after a switch from rung %d to %d", from, to)
        .isLessThanOrEqualTo(2 * store.liveBytes() + SLACK_BYTES);
    assertThat(store.wrongKeys()).isEmpty();
  }

  static Stream<Arguments> adaptiveRungs() {
    int rungs = AdaptiveRung.LADDER.size();
    return IntStream.range(0, rungs).mapToObj(from -> Arguments.of(from, (from + 3) % rungs));
  }

  private static void settle(Policy policy, ShapeStore store) {
    long most = 40L * (store.slices() + 10);
    Optional<Plan> plan = policy.next(store.shape(), Budget.unlimited());
    for (long plans = 0; plan.isPresent(); plans++) {
      assertThat(plans).as("plans without rest, now %s", plan.get()).isLessThan(most);
      PlanCheck.check(store.shape(), plan.get(), Budget.unlimited(), MAX_LEVEL);
      store.apply(plan.get());
      plan = policy.next(store.shape(), Budget.unlimited());
    }
    assertThat(policy.backlog(store.shape())).isEqualTo(Backlog.NONE);
  }
}
