// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.spec;

import io.coppice.policy.Policy;
import io.coppice.policy.ReadTerms;
import io.coppice.policy.Thousandths;
import io.coppice.policy.pick.MergeLimits;
import io.coppice.policy.policies.AdaptivePolicy;
import io.coppice.policy.policies.DelayedPolicy;
import io.coppice.policy.policies.GroupedPolicy;
import io.coppice.policy.policies.LazyBinomialPolicy;
import io.coppice.policy.policies.LeveledPolicy;
import io.coppice.policy.policies.ShardedPolicy;
import io.coppice.policy.policies.SplitForestPolicy;
import io.coppice.policy.policies.TieredPolicy;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.ToLongFunction;

/**
 * Registry of Coppice's own policies, apart from any {@link CustomPolicy}: name, own options, and a
 * factory that takes the values. A new policy needs one entry in {@link #ENTRIES}.
 */
public final class PolicyRegistry {

  static final String TABLE_SIZE = "table_size";

  static final String CLEANING_THRESHOLD = "cleaning_threshold";
  static final String MAX_TRANSIENT_SPACE = "max_transient_space";

  private static final String FANOUT = "fanout";
  private static final String L0_TRIGGER = "l0_trigger";
  private static final String BASE_SIZE = "base_size";
  private static final String TRIGGER = "trigger";
  private static final String SIZE_RATIO = "size_ratio";
  private static final String MIN_MERGE_WIDTH = "min_merge_width";
  private static final String MAX_MERGE_WIDTH = "max_merge_width";
  private static final String MAX_SIZE_AMPLIFICATION_PERCENT = "max_size_amplification_percent";
  private static final String GROUPS = "groups";
  private static final String LAST_LEVEL_LEVELED = "last_level_leveled";
  private static final String K = "k";
  private static final String X = "x";
  private static final String VCT = "vct";
  private static final String VSMT = "vsmt";
  private static final String READ_COST = "read_cost";
  private static final String READ_SHARE = "read_share";
  private static final String MAX_PINNED_RATIO = "max_pinned_ratio";
  private static final String MAX_OVERLAP_RATIO = "max_overlap_ratio";

  public static final String ADAPTIVE = "adaptive";
  public static final String RUNG = "rung";
  public static final String SHARDS = "shards";
  public static final String ADAPT = "adapt";
  public static final String WINDOW = "window";
  public static final String DWELL = "dwell";
  public static final String MIN_GAIN = "min_gain";
  public static final String MAX_SPACE_RATIO = "max_space_ratio";
  public static final String MAX_SWITCH_RATIO = "max_switch_ratio";

  // Five tables of 2 MB are the 10 MB target of level 1 in dCompaction's experiments.
  private static final int BASE_TABLES = 5;
  private static final long MAX_BASE_BYTES = 1L << 50;

  private static final PolicyOption BASE =
      new PolicyOption(
          BASE_SIZE,
          PolicyOption.Type.SIZE,
          0,
          MAX_BASE_BYTES,
          0,
          "bytes",
          "Target size of level 1; 0 means " + BASE_TABLES + " tables.",
          false);

  private static final PolicyOption TRANSIENT_SPACE =
      new PolicyOption(
          MAX_TRANSIENT_SPACE,
          PolicyOption.Type.SPACE,
          PolicyOption.WHOLE,
          Long.MAX_VALUE,
          Long.MAX_VALUE,
          "of live bytes, or bytes",
          "Extra disk that merges may use.",
          false);

  /**
   * One policy with a name in policy texts.
   *
   * @param toleratedRuns computes from the values the runs that level 0 may keep
   * @param maker creates a policy from checked values, one for each option by name
   */
  record Entry(
      String name,
      List<PolicyOption> ownOptions,
      ToLongFunction<Map<String, Long>> toleratedRuns,
      BiFunction<Map<String, Long>, PolicyLimits, Policy> maker) {

    /** Returns the options of this policy, then the common ones that the host supports. */
    List<PolicyOption> options(PolicyLimits limits) {
      List<PolicyOption> options = new ArrayList<>(ownOptions);
      options.addAll(commonOptions(limits));
      return List.copyOf(options);
    }
  }

  private static final List<Entry> ENTRIES =
      List.of(
          new Entry(
              "leveled",
              List.of(
                  integer(FANOUT, 2, 32, 10, "times", "How much larger each level is."),
                  integer(L0_TRIGGER, 1, 64, 4, "runs", "Runs in level 0 that start a merge."),
                  BASE),
              values -> values.get(L0_TRIGGER),
              PolicyRegistry::leveled),
          new Entry(
              "tiered",
              List.of(
                  integer(TRIGGER, 2, 64, 12, "runs", "Number of runs at which merges start."),
                  integer(
                      SIZE_RATIO,
                      0,
                      1000,
                      1,
                      "percent",
                      "By how much the next run may exceed the newer ones of a merge."),
                  integer(MIN_MERGE_WIDTH, 2, 64, 2, "runs", "Least runs merged by size ratio."),
                  integer(
                      MAX_MERGE_WIDTH,
                      0,
                      1000,
                      0,
                      "runs",
                      "Most runs merged by size ratio or count; 0 means no limit."),
                  integer(
                      MAX_SIZE_AMPLIFICATION_PERCENT,
                      0,
                      100_000,
                      200,
                      "percent",
                      "Newer bytes the oldest run bears before all are merged.")),
              values -> values.get(TRIGGER),
              PolicyRegistry::tiered),
          new Entry(
              "delayed",
              List.of(
                  integer(FANOUT, 2, 32, 10, "times", "How much larger each level is."),
                  integer(L0_TRIGGER, 1, 64, 4, "runs", "Runs in level 0 that start a merge."),
                  BASE,
                  integer(
                      VCT,
                      0,
                      64,
                      12,
                      "tables",
                      "Merges of fewer tables are deferred; 0 defers none."),
                  integer(
                      VSMT,
                      2,
                      64,
                      2,
                      "tables",
                      "A read that reaches a segment of this many tables requests its merge."),
                  new PolicyOption(
                      READ_COST,
                      PolicyOption.Type.SIZE,
                      1,
                      1L << 30,
                      16L << 10,
                      "bytes",
                      "Bytes that a lookup is taken to read in each further table; a requested"
                          + " merge waits until lookups have read as much as it reads.",
                      false),
                  decimal(
                      READ_SHARE,
                      0,
                      100 * Thousandths.ONE,
                      Thousandths.ONE * 2 / 25,
                      "of bytes read",
                      "Bytes that requested merges may read, besides as many as are flushed."),
                  decimal(
                      MAX_PINNED_RATIO,
                      0,
                      100 * Thousandths.ONE,
                      Thousandths.ONE / 4,
                      "of live bytes",
                      "Bytes on disk that no segment uses before tables are freed."),
                  decimal(
                      MAX_OVERLAP_RATIO,
                      0,
                      100 * Thousandths.ONE,
                      Thousandths.ONE * 2 / 5,
                      "of the largest run",
                      "Bytes of tables that overlap the largest run, as a share of it, above which"
                          + " they merge with it. Cassandra only; 0 turns this off.")),
              values -> values.get(L0_TRIGGER),
              PolicyRegistry::delayed),
          new Entry(
              "grouped",
              List.of(
                  integer(GROUPS, 2, 16, 4, "groups", "Groups of a level that become one."),
                  flag(LAST_LEVEL_LEVELED, 0, "Whether the deepest level is kept as one run.")),
              values -> values.get(GROUPS),
              PolicyRegistry::grouped),
          new Entry(
              "split-forest",
              List.of(integer(FANOUT, 2, 32, 4, "trees", "Trees of a stage that become one.")),
              values -> values.get(FANOUT),
              PolicyRegistry::splitForest),
          new Entry(
              "lazy-binomial",
              List.of(
                  integer(K, 1, 64, 8, "trees", "Most trees over the base."),
                  decimal(
                      X,
                      0,
                      10 * Thousandths.ONE,
                      Thousandths.ONE / 2,
                      "of the base",
                      "Bytes over the base before all are merged with it; 0 means no base.")),
              values -> 0,
              PolicyRegistry::lazyBinomial),
          new Entry(
              ADAPTIVE,
              List.of(
                  integer(
                      RUNG,
                      0,
                      AdaptiveRung.LADDER.size() - 1,
                      4,
                      "of the ladder",
                      "Which policy decides, from cheap reads to cheap writes; the tuner"
                          + " changes it."),
                  new PolicyOption(
                      SHARDS,
                      PolicyOption.Type.RUNGS,
                      PolicyOption.NO_RUNGS,
                      166_666_666,
                      PolicyOption.NO_RUNGS,
                      "rungs",
                      "A rung for each shard of the keys, from the lowest on, in the place of the"
                          + " one for all.",
                      false),
                  flag(ADAPT, 1, "Whether the tuner may change the rung."),
                  integer(WINDOW, 1, 86_400, 60, "seconds", "Time over which loads are averaged."),
                  integer(DWELL, 1, 86_400, 60, "seconds", "Least time between two switches."),
                  decimal(
                      MIN_GAIN,
                      0,
                      Thousandths.ONE,
                      Thousandths.ONE / 10,
                      "of the cost",
                      "Least saving of a switch."),
                  decimal(
                      MAX_SPACE_RATIO,
                      Thousandths.ONE,
                      100 * Thousandths.ONE,
                      5 * Thousandths.ONE,
                      "of live bytes",
                      "Most bytes on disk that a rung may lead to where keys are overwritten."),
                  decimal(
                      MAX_SWITCH_RATIO,
                      0,
                      10 * Thousandths.ONE,
                      2 * Thousandths.ONE / 5,
                      "of live bytes",
                      "Bytes that merges may read to bring tables into another form after a"
                          + " switch.")),
              PolicyRegistry::adaptiveRuns,
              PolicyRegistry::adaptive));

  private PolicyRegistry() {}

  static Optional<Entry> find(String name) {
    return ENTRIES.stream().filter(entry -> entry.name.equals(name)).findFirst();
  }

  static List<String> names() {
    return ENTRIES.stream().map(Entry::name).toList();
  }

  /**
   * Returns the options of all policies, to check the option names of a text whose policy is
   * unknown.
   */
  static List<PolicyOption> allOptions(PolicyLimits limits) {
    Map<String, PolicyOption> all = new LinkedHashMap<>();
    for (Entry entry : ENTRIES) {
      for (PolicyOption option : entry.options(limits)) {
        all.putIfAbsent(option.name(), option);
      }
    }
    return List.copyOf(all.values());
  }

  private static List<PolicyOption> commonOptions(PolicyLimits limits) {
    PolicyOption tableSize =
        new PolicyOption(
            TABLE_SIZE,
            PolicyOption.Type.SIZE,
            limits.minTableBytes(),
            limits.maxTableBytes(),
            limits.defaultTableBytes(),
            "bytes",
            "Size at which a merge cuts its output tables.",
            true);
    PolicyOption cleaningThreshold =
        integer(
            CLEANING_THRESHOLD,
            0,
            1000,
            10,
            "tables",
            "Output tables after which a merge releases the inputs it has consumed; 0 means at its"
                + " end.");
    List<PolicyOption> options = new ArrayList<>(List.of(tableSize));
    if (limits.stepwise()) {
      options.add(cleaningThreshold);
    }
    if (limits.ownSpace()) {
      options.add(TRANSIENT_SPACE);
    }
    return options;
  }

  private static PolicyOption integer(
      String name, int min, int max, int defaultValue, String unit, String effect) {
    return new PolicyOption(
        name, PolicyOption.Type.INTEGER, min, max, defaultValue, unit, effect, false);
  }

  private static PolicyOption flag(String name, int defaultValue, String effect) {
    return new PolicyOption(
        name, PolicyOption.Type.FLAG, 0, 1, defaultValue, "flag", effect, false);
  }

  /**
   * Returns an option of type DECIMAL.
   *
   * @param min the least value in thousandths, inclusive
   * @param max the greatest value in thousandths, inclusive
   * @param defaultValue the default in thousandths
   */
  static PolicyOption decimal(
      String name, long min, long max, long defaultValue, String unit, String effect) {
    return new PolicyOption(
        name, PolicyOption.Type.DECIMAL, min, max, defaultValue, unit, effect, false);
  }

  private static MergeLimits limits(Map<String, Long> values, PolicyLimits limits) {
    int threshold = limits.stepwise() ? values.get(CLEANING_THRESHOLD).intValue() : 0;
    return new MergeLimits(
        values.get(TABLE_SIZE), threshold, limits.maxLevel(), limits.entryBytes());
  }

  private static Policy leveled(Map<String, Long> values, PolicyLimits limits) {
    return leveled(values, 0, limits);
  }

  private static Policy delayed(Map<String, Long> values, PolicyLimits limits) {
    return new DelayedPolicy(
        leveled(values, values.get(VCT).intValue(), limits),
        values.get(VSMT).intValue(),
        new ReadTerms(values.get(READ_COST), values.get(READ_SHARE)),
        values.get(MAX_PINNED_RATIO),
        values.get(MAX_OVERLAP_RATIO));
  }

  private static LeveledPolicy leveled(Map<String, Long> values, int vct, PolicyLimits limits) {
    long baseBytes = values.get(BASE_SIZE);
    return new LeveledPolicy(
        values.get(FANOUT).intValue(),
        values.get(L0_TRIGGER).intValue(),
        baseBytes == 0 ? BASE_TABLES * values.get(TABLE_SIZE) : baseBytes,
        vct,
        limits(values, limits));
  }

  private static Policy tiered(Map<String, Long> values, PolicyLimits limits) {
    TieredPolicy.Rules rules =
        new TieredPolicy.Rules(
            values.get(TRIGGER).intValue(),
            values.get(SIZE_RATIO).intValue(),
            values.get(MIN_MERGE_WIDTH).intValue(),
            values.get(MAX_MERGE_WIDTH).intValue(),
            values.get(MAX_SIZE_AMPLIFICATION_PERCENT).intValue());
    return new TieredPolicy(rules, limits(values, limits));
  }

  private static Policy grouped(Map<String, Long> values, PolicyLimits limits) {
    return new GroupedPolicy(
        values.get(GROUPS).intValue(), values.get(LAST_LEVEL_LEVELED) != 0, limits(values, limits));
  }

  private static Policy splitForest(Map<String, Long> values, PolicyLimits limits) {
    return new SplitForestPolicy(values.get(FANOUT).intValue(), limits(values, limits));
  }

  private static Policy lazyBinomial(Map<String, Long> values, PolicyLimits limits) {
    return new LazyBinomialPolicy(values.get(K).intValue(), values.get(X), limits(values, limits));
  }

  private static Policy adaptive(Map<String, Long> values, PolicyLimits limits) {
    List<Policy> policies = new ArrayList<>();
    int[] rungs = AdaptiveRung.ofShards(values.get(RUNG), values.get(SHARDS));
    for (int i = 0; i < rungs.length; i++) {
      policies.add(
          i > 0 && rungs[i] == rungs[i - 1]
              ? policies.get(i - 1)
              : new AdaptivePolicy(
                  AdaptiveRung.LADDER.get(rungs[i]).make(values, limits),
                  AdaptiveRung.maxToleratedRuns()));
    }
    return AdaptiveRung.ranges(rungs) == 1 ? policies.get(0) : new ShardedPolicy(policies);
  }

  /**
   * Returns the number of runs that level 0 may keep: the maximum over all rungs, times the number
   * of key ranges.
   */
  private static long adaptiveRuns(Map<String, Long> values) {
    return AdaptiveRung.maxToleratedRuns()
        * AdaptiveRung.ranges(AdaptiveRung.ofShards(values.get(RUNG), values.get(SHARDS)));
  }
}
