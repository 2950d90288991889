// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How a policy's levels grow: the law by which a level of one store is like another level of a
 * smaller one.
 *
 * @param shape what a level is made of
 * @param factor by how much a level is larger than the one above it; 0 if levels follow no such law
 */
public record Growth(Levels shape, int factor) {

  /** What levels are made of. */
  public enum Levels {
    /** Each level has a target size and hands down tables beyond it, one or a few at a time. */
    TARGETS,
    /** So many whole runs of a level become one run of the next. */
    WHOLE_RUNS,
    /** Whole runs, merged by their sizes. */
    NO_LAW
  }

  private static final String BASE = "base_size";
  private static final String TABLE = "table_size";
  private static final String LAST_LEVELED = "last_level_leveled";

  /** An unset base is as many tables, see the policy's page. */
  private static final int BASE_TABLES = 5;

  /** The law of a policy. */
  public static Growth of(PolicySpec spec) {
    return switch (spec.policyName()) {
      case "leveled", "delayed" -> new Growth(Levels.TARGETS, (int) spec.value("fanout"));
      case "grouped" -> new Growth(Levels.WHOLE_RUNS, (int) spec.value("groups"));
      case "split-forest" -> new Growth(Levels.WHOLE_RUNS, (int) spec.value("fanout"));
      default -> new Growth(Levels.NO_LAW, 0);
    };
  }

  /** Target size of level 1 under {@link Levels#TARGETS}. */
  public static double baseBytes(PolicySpec spec) {
    long base = spec.value(BASE);
    return base == 0 ? (double) BASE_TABLES * spec.tableBytes() : base;
  }

  /**
   * The policy for a store whose level 0 stands for a deeper level.
   *
   * @param spec the policy of the whole store
   * @param levels how much deeper
   * @param tableBytes the size at which that store cuts tables
   * @param baseBytes target size of level 1; ignored where the policy has none
   * @param complete false if deeper levels follow the deepest of this store
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
