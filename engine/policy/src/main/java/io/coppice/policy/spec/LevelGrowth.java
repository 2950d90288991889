// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.spec;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Growth law of a policy's levels. It lets a level of one store represent another level of a
 * smaller store.
 *
 * @param shape the composition of a level
 * @param factor size of a level divided by that of the level above it; 0 if levels follow no such
 *     law
 */
public record LevelGrowth(Levels shape, int factor) {

  /** Composition of the levels below level 0. */
  public enum Levels {
    /**
     * Levels with target sizes: each passes the tables beyond its target down, one or a few at a
     * time.
     */
    TARGETS,
    /** Levels of whole runs: {@code factor} runs of a level become one run of the next. */
    WHOLE_RUNS,
    /** Whole runs that are merged by size, without a law for the level sizes. */
    NO_LAW
  }

  private static final String BASE = "base_size";
  private static final String TABLE = "table_size";
  private static final String LAST_LEVELED = "last_level_leveled";

  /** Tables in the default {@code base_size}, see the policy's page. */
  private static final int BASE_TABLES = 5;

  /** Returns the growth law of a policy. */
  public static LevelGrowth of(PolicySpec spec) {
    return switch (spec.policyName()) {
      case "leveled", "delayed" -> new LevelGrowth(Levels.TARGETS, (int) spec.value("fanout"));
      case "grouped" -> new LevelGrowth(Levels.WHOLE_RUNS, (int) spec.value("groups"));
      case "split-forest" -> new LevelGrowth(Levels.WHOLE_RUNS, (int) spec.value("fanout"));
      default -> new LevelGrowth(Levels.NO_LAW, 0);
    };
  }

  /** Returns whether segments of the policy gather slices of several tables. */
  public static boolean gathersSlices(PolicySpec spec) {
    return spec.policyName().equals("delayed");
  }

  /**
   * Returns the target size of level 1 under {@link Levels#TARGETS}, in bytes.
   *
   * @throws IllegalArgumentException if the policy has no target sizes
   */
  public static double baseBytes(PolicySpec spec) {
    long base = spec.value(BASE);
    return base == 0 ? (double) BASE_TABLES * spec.tableBytes() : base;
  }

  /**
   * Returns the policy for a store whose level 0 represents a deeper level.
   *
   * @param spec the policy of the whole store
   * @param levels number of levels that the smaller store omits
   * @param tableBytes table size of the smaller store in bytes
   * @param baseBytes target size of level 1 in bytes; ignored by policies without targets
   * @param complete whether the deepest level of the smaller store is the deepest of all
   * @throws PolicySpecException if a scaled option is out of its range
   */
  public static PolicySpec scaled(
      PolicySpec spec, int levels, double tableBytes, double baseBytes, boolean complete) {
    PolicyLimits limits = spec.limits();
    PolicyLimits wide =
        new PolicyLimits(
            limits.defaultTableBytes(),
            1,
            Long.MAX_VALUE / 4,
            Math.max(1, limits.maxLevel() - levels),
            limits.stepwise(),
            limits.entryBytes(),
            limits.ownSpace());
    Map<String, String> values = new LinkedHashMap<>();
    for (PolicyOption option : spec.options()) {
      long value =
          switch (option.name()) {
            case TABLE -> (long) tableBytes;
            case BASE -> (long) baseBytes;
            case LAST_LEVELED -> complete ? spec.value(LAST_LEVELED) : 0;
            default -> spec.value(option.name());
          };
      values.put(option.name(), option.format(value));
    }
    return PolicySpec.of(spec.policyName(), values, wide);
  }
}
