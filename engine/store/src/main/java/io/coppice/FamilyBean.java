// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.StoreException;
import io.coppice.base.bytes.NameText;
import io.coppice.compaction.FamilyCompactionStatus;
import io.coppice.policy.observe.CountedStrategyBean;
import io.coppice.policy.observe.JmxStrategySnapshot;
import io.coppice.policy.observe.JmxTableMap;
import io.coppice.policy.observe.StrategyMXBean;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.spec.PolicySpecException;
import io.coppice.read.stats.ReadTotals;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.management.StandardMBean;

/**
 * JMX bean of one family. Each call delays the closing of the store until it returns, and throws
 * {@link IllegalStateException} once the store is closed. Safe to share between threads.
 */
final class FamilyBean extends CountedStrategyBean {

  private final Store store;
  private final FamilyParts family;
  private final long openedNanos = System.nanoTime();

  private FamilyBean(Store store, FamilyParts family) {
    super(family.counts().sums());
    this.store = store;
    this.family = family;
  }

  /** Returns the bean of a family, ready for registration. */
  static StandardMBean of(Store store, FamilyParts family) {
    return new StandardMBean(new FamilyBean(store, family), StrategyMXBean.class, true);
  }

  private <T> T call(Supplier<T> question) {
    try {
      store.beginCall();
      try {
        store.checkOpen(family);
        return question.get();
      } finally {
        store.endCall();
      }
    } catch (StoreException e) {
      // A JMX client lacks the store's exception classes.
      throw new IllegalStateException(e.getMessage());
    }
  }

  private FamilyCompactionStatus status() {
    return store.parts().compactor.status(family.number());
  }

  private PolicySpec inForce() {
    return store.parts().families.inForce(family.number());
  }

  private PolicySpec configured() {
    return store.parts().families.policy(family.number());
  }

  @Override
  public String getPolicy() {
    return call(() -> inForce().toString());
  }

  @Override
  public String getConfiguredPolicy() {
    return call(() -> configured().toString());
  }

  @Override
  public String getConfiguration() {
    return getConfiguredPolicy();
  }

  @Override
  public List<Integer> getRunsPerLevel() {
    return perLevel(StoreStats.LevelStats::runs);
  }

  @Override
  public List<Integer> getTablesPerLevel() {
    return perLevel(StoreStats.LevelStats::segments);
  }

  private List<Integer> perLevel(Function<StoreStats.LevelStats, Integer> count) {
    return call(() -> store.stats(family).levels().stream().map(count).toList());
  }

  @Override
  public int getPendingPlans() {
    return call(() -> status().backlog().plans());
  }

  @Override
  public long getBacklogBytes() {
    return call(() -> status().backlog().bytes());
  }

  @Override
  public JmxStrategySnapshot snapshot() {
    return call(
        () -> {
          ReadTotals reads = store.parts().searching.figures();
          FamilySnapshotBuilder view = new FamilySnapshotBuilder(name(), status(), family, reads);
          return new JmxStrategySnapshot(
              view.snapshot(
                  inForce(),
                  configured(),
                  store.options().maxTransientSpace,
                  freeBytes(),
                  openedNanos));
        });
  }

  private long freeBytes() {
    try {
      return store.parts().disk.freeBytes();
    } catch (IOException e) {
      return -1;
    }
  }

  private String name() {
    return store.options().name + "/" + NameText.pathPart(family.name());
  }

  @Override
  public JmxTableMap tableMap() {
    return call(
        () -> {
          ReadTotals reads = store.parts().searching.figures();
          return new JmxTableMap(
              new FamilySnapshotBuilder(name(), status(), family, reads).tableMap());
        });
  }

  @Override
  public boolean stopMerge(String id) {
    return call(() -> store.parts().compactor.stopMerge(family.number(), id));
  }

  @Override
  public List<String> validate(String options) {
    return call(
        () -> {
          try {
            inForce().with(options);
            return List.of();
          } catch (PolicySpecException e) {
            return e.errors();
          }
        });
  }

  @Override
  public String apply(String options, String expected) {
    try {
      return call(
          () ->
              store
                  .parts()
                  .lifecycle
                  .tune(
                      family,
                      before -> {
                        if (!expected.isBlank() && !expected.equals(before.toString())) {
                          throw new IllegalArgumentException(
                              ("the active policy is %s, but '%s' was expected; "
                                      + "read the policy, then decide again")
                                  .formatted(before, expected));
                        }
                        return before.with(options);
                      })
                  .toString());
    } catch (PolicySpecException e) {
      throw new IllegalArgumentException(e.getMessage());
    }
  }

  @Override
  public String revert() {
    return call(() -> store.parts().lifecycle.tune(family, before -> configured()).toString());
  }

  /** Returns the milliseconds since a value of {@link System#nanoTime}. */
  static long millisSince(long nanos) {
    return (System.nanoTime() - nanos) / 1_000_000;
  }
}
