// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import io.coppice.policy.MergeRule;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.simulator.keys.WriteWorkload;
import java.util.ArrayList;
import java.util.List;

/**
 * One store to simulate: a policy, a load and the sizes that matter.
 *
 * @param policy policy that makes every plan
 * @param rule constraint on plans: the engine's age order, or Cassandra's freedom
 * @param workload order of keys
 * @param dataBytes bytes of all keys, each once, with their values
 * @param writeBytes bytes written by the user, counting overwrites; {@code INSERT} and {@code
 *     SEQUENTIAL} write {@code dataBytes}
 * @param memtableBytes bytes written by the user between two flushes
 * @param entryBytes bytes of a key with its value, at least 1
 * @param filterBits filter bits per key, for filtered reads; 0 for none
 * @param readsPerWrite lookups per write, of keys distributed like the written ones; lookups
 *     request merges of virtual segments
 * @param transientBytes hard limit on transient space in bytes, see {@link
 *     io.coppice.policy.Budget}; {@link Long#MAX_VALUE} means no limit
 * @param seed seed of all random numbers
 * @param fidelity level of detail
 */
public record Scenario(
    PolicySpec policy,
    MergeRule rule,
    WriteWorkload workload,
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

  /** Most keys of an exact simulation, because a key and a mark share an int. */
  private static final long MAX_EXACT_KEYS = 1 << 30;

  private static final int MAX_FILTER_BITS = 64;

  /** Most lookups per write. Lookups only request merges, so more would change nothing. */
  private static final double MAX_READS_PER_WRITE = 1000;

  /** Returns the number of keys in the whole range. */
  public long keys() {
    return dataBytes / entryBytes;
  }

  /** Returns the number of entries that the user writes. */
  public long operations() {
    return operationsOf(writeBytes);
  }

  /** Returns the number of operations that write these bytes, rounded down. */
  long operationsOf(long bytes) {
    return (long) (bytes / operationBytes());
  }

  /** Returns the mean bytes of an operation. */
  double operationBytes() {
    double deletes = workload.deletes();
    return entryBytes * (1 - deletes + deletes * deletionWeight());
  }

  /** Returns the bytes of a deletion, divided by those of an entry with a value; at most 1. */
  double deletionWeight() {
    return WriteWorkload.deletionWeight(entryBytes);
  }

  /**
   * Returns the expected time of a simulation in units of an operation, for comparison with other
   * scenarios.
   */
  public double work() {
    return operations() * (fidelity == Fidelity.CLASSES ? ClassFidelity.workPerEntry(this) : 1);
  }

  /**
   * Returns the scenario's faults, each a sentence without a period; empty if it can be simulated.
   */
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
   * Checks that the scenario can be simulated.
   *
   * @throws IllegalArgumentException naming every fault if it cannot
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
    if (workload.once() && writeBytes != dataBytes) {
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
          "exact fidelity allows at most "
              + MAX_EXACT_OPERATIONS
              + " operations and "
              + MAX_EXACT_KEYS
              + " keys, and the load has "
              + operations()
              + " operations on "
              + keys()
              + " keys; choose classes, less data or larger entries");
    }
  }

  private static void checkAtLeast(
      String name, long bytes, int least, String what, List<String> faults) {
    if (bytes < least) {
      faults.add(name + " (" + bytes + ") must be at least " + what + " (" + least + ")");
    }
  }
}
