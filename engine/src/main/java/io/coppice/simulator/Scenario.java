// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.MergeRule;
import io.coppice.policy.PolicySpec;

/**
 * One store to simulate: a policy, a load and the sizes that matter.
 *
 * @param policy decides; every plan comes from it
 * @param rule what plans must respect: the engine's order of age, or Cassandra's freedom
 * @param workload the order of keys
 * @param dataBytes bytes of all keys, each once, with their values
 * @param writeBytes bytes that the user writes, overwrites counted again; {@code INSERT} and {@code
 *     SEQUENTIAL} write {@code dataBytes}
 * @param memtableBytes bytes written between two flushes
 * @param entryBytes bytes of a key with its value, at least 1
 * @param filterBits filter bits a key, for reads that filters turn away; 0 for none
 * @param readsPerWrite lookups of keys drawn like the workload's, beside each write; they ask for
 *     merges of virtual segments
 * @param transientBytes the hard limit on transient space, see {@link io.coppice.policy.Budget}
 * @param seed of all that is drawn
 * @param fidelity how closely to look
 */
public record Scenario(
    PolicySpec policy,
    MergeRule rule,
    Workload workload,
    long dataBytes,
    long writeBytes,
    long memtableBytes,
    int entryBytes,
    int filterBits,
    double readsPerWrite,
    long transientBytes,
    long seed,
    Fidelity fidelity) {

  /** Keys of the whole range. */
  public long keys() {
    return dataBytes / entryBytes;
  }

  /** Entries that the user writes. */
  public long operations() {
    return writeBytes / entryBytes;
  }
}
