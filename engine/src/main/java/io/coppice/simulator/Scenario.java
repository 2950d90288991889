// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.MergeRule;
import io.coppice.policy.PolicySpec;
import java.util.ArrayList;
import java.util.List;

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

  private static final long MAX_EXACT_OPERATIONS = 100_000_000;

  /** Ranks are ints. */
  private static final long MAX_EXACT_KEYS = Integer.MAX_VALUE;

  private static final int MAX_FILTER_BITS = 64;

  /** The process of reads asks for merges only; more reads change nothing. */
  private static final double MAX_READS_PER_WRITE = 1000;

  /** Keys of the whole range. */
  public long keys() {
    return dataBytes / entryBytes;
  }

  /** Entries that the user writes. */
  public long operations() {
    return writeBytes / entryBytes;
  }

  /** Why it cannot be simulated, each fault a sentence without a period; empty if it can. */
  public List<String> faults() {
    List<String> faults = new ArrayList<>();
    if (entryBytes < 1) {
      faults.add("entryBytes (" + entryBytes + ") must be at least 1");
    } else {
      checkSizes(faults);
    }
    if (filterBits < 0 || filterBits > MAX_FILTER_BITS) {
      faults.add("filterBits (" + filterBits + ") must be from 0 to " + MAX_FILTER_BITS);
    }
    if (!(readsPerWrite >= 0 && readsPerWrite <= MAX_READS_PER_WRITE)) {
      faults.add("readsPerWrite (" + readsPerWrite + ") must be from 0 to " + MAX_READS_PER_WRITE);
    }
    if (transientBytes < 0) {
      faults.add("transientBytes (" + transientBytes + ") must not be negative");
    }
    if (faults.isEmpty() && fidelity == Fidelity.CLASSES) {
      ClassFidelity.fault(this).ifPresent(faults::add);
    }
    return faults;
  }

  /**
   * Does nothing if it can be simulated.
   *
   * @throws IllegalArgumentException naming every fault
   */
  void check() {
    List<String> faults = faults();
    if (!faults.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", faults));
    }
  }

  private void checkSizes(List<String> faults) {
    checkAtLeast("dataBytes", dataBytes, entryBytes, "an entry", faults);
    checkAtLeast("writeBytes", writeBytes, entryBytes, "an entry", faults);
    checkAtLeast("memtableBytes", memtableBytes, entryBytes, "an entry", faults);
    checkAtLeast("the policy's table_size", policy.tableBytes(), entryBytes, "an entry", faults);
    boolean once =
        workload.kind() == Workload.Kind.INSERT || workload.kind() == Workload.Kind.SEQUENTIAL;
    if (once && writeBytes != dataBytes) {
      faults.add(
          "writeBytes ("
              + writeBytes
              + ") must equal dataBytes ("
              + dataBytes
              + "), as "
              + workload
              + " writes every key once");
    }
    if (fidelity == Fidelity.EXACT
        && (operations() > MAX_EXACT_OPERATIONS || keys() > MAX_EXACT_KEYS)) {
      faults.add(
          operations()
              + " operations on "
              + keys()
              + " keys are too many to look at each; at most "
              + MAX_EXACT_OPERATIONS
              + " operations and "
              + MAX_EXACT_KEYS
              + " keys are: take the fidelity of classes, less data or larger entries");
    }
  }

  private static void checkAtLeast(
      String name, long bytes, int least, String what, List<String> faults) {
    if (bytes < least) {
      faults.add(name + " (" + bytes + ") must be at least " + what + " (" + least + ")");
    }
  }
}
