// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

import io.coppice.bench.report.LabeledConstant;
import io.coppice.policy.spec.NameSuggestion;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.spec.PolicySpecException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A store under test: Coppice with one policy, or another store. A value.
 *
 * @param label typed and displayed name, such as {@code rocksdb} or {@code split-forest:fanout=8}
 * @param policy text of the compaction policy; empty for a store other than Coppice
 */
public record StoreSpec(String label, Kind kind, String policy) {

  /** Kinds of stores that the benchmarks know. */
  public enum Kind implements LabeledConstant {
    COPPICE,
    ROCKSDB,
    ROCKSDB_UNIVERSAL,
    LMDB,
    MVSTORE,
    XODUS,
    LEVELDB,
    MAPDB;
  }

  /** Returns Coppice with a policy. */
  public static StoreSpec ours(String policy) {
    return new StoreSpec(policy.replace(',', ':'), Kind.COPPICE, policy);
  }

  /** Returns the store of the given kind, which is not Coppice. */
  public static StoreSpec peer(Kind kind) {
    return new StoreSpec(kind.label(), kind, "");
  }

  /** Returns whether the store is Coppice. */
  public boolean isOurs() {
    return kind == Kind.COPPICE;
  }

  /** Returns whether the store supports a benchmark. */
  public boolean has(Benchmark benchmark) {
    return switch (benchmark) {
      case READREVERSE, COMPACT -> kind != Kind.LEVELDB;
      case SWITCHPOLICY -> isOurs();
      default -> true;
    };
  }

  /** Returns all names that {@link #parse} accepts. */
  public static List<String> names() {
    List<String> names = new ArrayList<>(PolicySpec.policyNames());
    Arrays.stream(Kind.values()).map(Kind::label).forEach(names::add);
    return List.copyOf(names);
  }

  /**
   * Returns the store of a label. A label is the name of a store, {@code coppice} for the run's
   * policy, or a policy text of Coppice with colons in place of commas.
   *
   * @param policy policy that {@code coppice} stands for
   * @param faults receives the faults of the label; the result has no meaning then
   */
  public static StoreSpec parse(String label, String policy, List<String> faults) {
    for (Kind kind : Kind.values()) {
      if (kind.label().equals(label)) {
        return kind == Kind.COPPICE ? new StoreSpec(label, kind, policy) : peer(kind);
      }
    }
    String text = label.replace(':', ',');
    String name = text.replaceFirst(",.*", "");
    if (!PolicySpec.policyNames().contains(name)) {
      faults.add(
          "--stores (" + label + ") is not known; nearest is " + NameSuggestion.to(label, names()));
      return ours(policy);
    }
    try {
      PolicySpec.parse(text);
    } catch (PolicySpecException e) {
      e.errors().forEach(error -> faults.add("--stores (" + label + "): " + error));
    }
    return ours(text);
  }
}
