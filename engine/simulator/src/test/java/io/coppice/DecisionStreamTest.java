// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.entry.EntryBatch;
import io.coppice.io.MemDisk;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.Plan;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.observe.Decision;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.read.FamilyReader;
import io.coppice.simulator.SimulatedDecisions;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One load, planned by the engine and by the simulator. The plans must be the same, with the
 * numbers of their reasons and costs, and with the runs of the shapes they were made from. The load
 * deletes single keys; deletions of ranges are left out, because the simulator does not know them.
 */
class DecisionStreamTest {

  private static final int FLUSHES = 1000;
  private static final int KEYS = 1_000_000;
  private static final int MAX_KEYS_PER_FLUSH = 60;
  private static final byte[] VALUE = new byte[100];

  @ParameterizedTest
  @ValueSource(
      strings = {
        "leveled,fanout=4,table_size=8KiB,cleaning_threshold=1",
        "split-forest,fanout=3,table_size=8KiB,cleaning_threshold=2",
        "tiered,trigger=8,table_size=8KiB",
        "grouped,table_size=8KiB",
        "lazy-binomial,table_size=8KiB",
        "delayed,fanout=4,table_size=8KiB"
      })
  void engineAndSimulatorMakeTheSamePlans(String policy) throws IOException {
    List<String> plans = samePlans(policy, FLUSHES);
    assertThat(plans).filteredOn(plan -> plan.startsWith("Merge")).hasSizeGreaterThan(200);
    assertThat(plans).filteredOn(plan -> plan.contains("deletions")).hasSizeGreaterThan(20);
    // grouped merges a whole group at a time, never a part of it that lies apart.
    int moves = policy.startsWith("grouped") ? 0 : 50;
    assertThat(plans)
        .filteredOn(plan -> plan.startsWith("Move"))
        .hasSizeGreaterThanOrEqualTo(moves);
    if (policy.startsWith("delayed")) {
      assertThat(plans).filteredOn(plan -> plan.startsWith("Delay")).hasSizeGreaterThan(100);
      assertThat(plans).filteredOn(plan -> plan.contains("because read-")).hasSizeGreaterThan(20);
    }
  }

  private static List<String> samePlans(String policy, int flushCount) throws IOException {
    long seed = Long.getLong("seed", 1);
    List<int[]> flushes = load(new Random(seed), flushCount);
    List<int[]> lookups = lookups(new Random(seed), flushes);
    List<String> engine = engine(policy, flushes, lookups);
    List<String> simulated = simulated(policy, flushes, lookups);
    int common = Math.min(engine.size(), simulated.size());
    for (int i = 0; i < common; i++) {
      assertThat(simulated.get(i)).as("plan " + i + ", seed " + seed).isEqualTo(engine.get(i));
    }
    assertThat(simulated).as("plans, seed " + seed).hasSameSizeAs(engine);
    return engine;
  }

  /**
   * Flushes that overlap everything, some that overlap a little, and some in a row at the end. From
   * the middle of the load on, some keys are deleted, see {@link SimulatedDecisions#run}: an eighth
   * of those that a flush writes, or all keys that some earlier flush wrote.
   */
  private static List<int[]> load(Random random, int count) {
    List<int[]> flushes = new ArrayList<>();
    int end = KEYS;
    for (int i = 0; i < count; i++) {
      boolean deletes = 2 * i >= count;
      if (deletes && random.nextInt(4) == 0) {
        int[] earlier = flushes.get(random.nextInt(i));
        flushes.add(Arrays.stream(earlier).map(key -> ~SimulatedDecisions.written(key)).toArray());
        continue;
      }
      int keys = 1 + random.nextInt(MAX_KEYS_PER_FLUSH);
      int kind = random.nextInt(4);
      if (kind < 2) {
        flushes.add(even(random.ints(keys, 0, KEYS)));
      } else if (kind == 2) {
        int from = random.nextInt(KEYS);
        flushes.add(even(random.ints(keys, from, from + 10 * keys)));
      } else {
        flushes.add(even(IntStream.range(end, end + keys)));
        end += keys;
      }
      if (deletes) {
        int[] flush = flushes.get(i);
        Arrays.setAll(flush, j -> random.nextInt(8) == 0 ? ~flush[j] : flush[j]);
      }
    }
    return flushes;
  }

  private static int[] even(IntStream keys) {
    return keys.map(key -> 2 * key).toArray();
  }

  /** After each flush as many as it has; of keys written before, and of others. */
  private static List<int[]> lookups(Random random, List<int[]> flushes) {
    List<int[]> lookups = new ArrayList<>();
    for (int[] flush : flushes) {
      int[] keys = even(random.ints(flush.length, 0, KEYS));
      for (int i = 0; i < keys.length; i += 2) {
        int[] earlier = flushes.get(random.nextInt(lookups.size() + 1));
        keys[i] = SimulatedDecisions.written(earlier[random.nextInt(earlier.length)]);
      }
      lookups.add(keys);
    }
    return lookups;
  }

  /** The keys of a load have even numbers; an odd one stands for what may lie behind a key. */
  private static byte[] key(int number) {
    return ByteBuffer.allocate(Integer.BYTES + number % 2).putInt(number / 2).array();
  }

  private static List<String> engine(String policy, List<int[]> flushes, List<int[]> lookups)
      throws IOException {
    StoreOptions options =
        StoreOptions.builder()
            .policy(policy)
            .memory(MemoryBudget.ofMebibytes(32))
            .memtableBytes(1 << 20)
            .filterBits(0)
            .build();
    Stream stream = new Stream();
    StoreParts parts = StoreOpener.open(new MemDisk(), options);
    try {
      parts.compactor.pause();
      for (int i = 0; i < flushes.size(); i++) {
        EntryBatch batch = new EntryBatch();
        for (int number : flushes.get(i)) {
          byte[] key = key(SimulatedDecisions.written(number));
          if (number < 0) {
            batch.delete(key, 0, key.length);
          } else {
            batch.put(key, 0, key.length, VALUE, 0, VALUE.length);
          }
        }
        parts.writes().commit(batch, Durability.NONE);
        parts.writes().flush();
        for (int number : lookups.get(i)) {
          parts.reader().get(key(number), FamilyReader.NEWEST);
        }
        while (parts.compactor.carryOutNext()) {
          List<Decision> decisions = parts.decisions();
          Decision last = decisions.get(decisions.size() - 1);
          stream.add(last.shape(), last.plan().orElseThrow());
        }
      }
    } finally {
      parts.close();
    }
    return stream.plans;
  }

  private static List<String> simulated(String policy, List<int[]> flushes, List<int[]> lookups) {
    Stream stream = new Stream();
    SimulatedDecisions.run(
        PolicySpec.parse(policy), DecisionStreamTest::key, VALUE, flushes, lookups, stream::add);
    return stream.plans;
  }

  /**
   * Plans in words, with an outline of the shape each was made from; names count tables and runs by
   * age.
   */
  private static final class Stream {

    final List<String> plans = new ArrayList<>();
    private final Map<Long, Integer> tables = new TreeMap<>();
    private final Map<Object, Integer> files = new HashMap<>();
    private final Map<Long, String> groups = new HashMap<>();
    private final Map<Long, Integer> runs = new TreeMap<>();

    void add(Shape shape, Plan plan) {
      name(shape);
      StringBuilder text = new StringBuilder(plan.getClass().getSimpleName());
      plan.slices().forEach(slice -> text.append(" t").append(tables.get(slice)));
      if (plan instanceof Plan.Placing placing) {
        text.append(" -> L").append(placing.target().level());
        text.append(placing.target().isNew() ? " new" : " r" + runs.get(placing.target().run()));
        text.append(" from ").append(names(placing.target().sources()));
      }
      Map<String, Object> numbers = new TreeMap<>(plan.reason().numbers());
      numbers.computeIfPresent("table", (word, number) -> "t" + files.get(number));
      text.append(" because ").append(plan.reason().code()).append(numbers);
      text.append(plan.reason().cost());
      for (int i = 0; i < shape.levels().size(); i++) {
        for (RunFacts run : shape.levels().get(i).runs()) {
          text.append("\n  L").append(i).append(" r").append(runs.get(run.id()));
          text.append(" from ").append(names(run.sources()));
          text.append(": ").append(run.segments().size()).append(" tables, ");
          text.append(run.bytes()).append(" bytes");
        }
      }
      if (!shape.requests().isEmpty()) {
        text.append("\n  reads ask for ");
        shape.requests().stream().sorted().forEach(group -> text.append(groups.get(group)));
      }
      plans.add(text.toString());
    }

    private List<Integer> names(Iterable<Long> ids) {
      TreeSet<Integer> names = new TreeSet<>();
      ids.forEach(id -> names.add(runs.get(id)));
      return List.copyOf(names);
    }

    /** Ids grow in both, so the new ones of a shape are named in the order in which they came. */
    private void name(Shape shape) {
      TreeSet<Long> newTables = new TreeSet<>();
      TreeSet<Long> newRuns = new TreeSet<>();
      TreeSet<Long> newFiles = new TreeSet<>();
      TreeSet<Long> newGroups = new TreeSet<>();
      for (LevelFacts level : shape.levels()) {
        for (RunFacts run : level.runs()) {
          newRuns.add(run.id());
          for (SegmentFacts segment : run.segments()) {
            newGroups.add(segment.group());
            segment.slices().forEach(slice -> newTables.add(slice.slice()));
            segment.slices().forEach(slice -> newFiles.add(slice.table()));
          }
        }
      }
      newGroups.forEach(group -> groups.putIfAbsent(group, " g" + groups.size()));
      newFiles.forEach(file -> files.putIfAbsent(file, files.size()));
      newTables.forEach(table -> tables.putIfAbsent(table, tables.size()));
      newRuns.forEach(run -> runs.putIfAbsent(run, runs.size()));
    }
  }
}
