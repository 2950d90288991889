// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.micro;

import com.google.common.collect.Iterators;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.MergingCursor;
import io.coppice.simulator.keys.Permutation;
import io.coppice.workload.BenchmarkKeys;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.PriorityQueue;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * Cost of an entry in a merge of several sorted inputs in memory with random keys: the engine's
 * cursor, a {@code PriorityQueue} and Guava's merge of iterators.
 */
public class MergeBenchmark extends Microbenchmark {

  private static final int ENTRIES = 160_000;
  private static final int VALUE_BYTES = 100;

  /** Merge implementation under test. */
  @Param({"ours", "priority-queue", "guava"})
  public String merge;

  /** Number of merged inputs. */
  @Param({"2", "4", "8", "16"})
  public int inputs;

  private final byte[] value = new byte[VALUE_BYTES];
  private List<List<byte[]>> keys;

  /** Distributes all keys over the inputs. */
  @Setup
  public void deal() {
    keys = new ArrayList<>();
    for (int i = 0; i < inputs; i++) {
      keys.add(new ArrayList<>());
    }
    Permutation order = new Permutation(ENTRIES, 42);
    for (int i = 0; i < ENTRIES; i++) {
      byte[] key = new byte[BenchmarkKeys.BYTES];
      BenchmarkKeys.write(key, i);
      keys.get(order.of(i) % inputs).add(key);
    }
  }

  /** Merges all entries in key order. */
  @Benchmark
  @OperationsPerInvocation(ENTRIES)
  public long all() {
    long sum =
        switch (merge) {
          case "priority-queue" -> byQueue();
          case "guava" -> byGuava();
          default -> ours();
        };
    if (sum != (long) ENTRIES * (ENTRIES - 1) / 2) {
      throw new IllegalStateException("entries are missing");
    }
    return sum;
  }

  private long ours() {
    List<EntryCursor> cursors = new ArrayList<>();
    for (int i = 0; i < inputs; i++) {
      cursors.add(new ArrayCursor(keys.get(i), value, i));
    }
    long sum = 0;
    try (MergingCursor merged = new MergingCursor(cursors)) {
      for (merged.first(); merged.valid(); merged.next()) {
        sum += BenchmarkKeys.index(merged.keyArray(), merged.keyOffset());
      }
    }
    return sum;
  }

  private long byQueue() {
    PriorityQueue<Head> heads = new PriorityQueue<>((a, b) -> Arrays.compareUnsigned(a.key, b.key));
    for (List<byte[]> input : keys) {
      Iterator<byte[]> rest = input.iterator();
      heads.add(new Head(rest.next(), rest));
    }
    long sum = 0;
    while (!heads.isEmpty()) {
      Head head = heads.poll();
      sum += BenchmarkKeys.index(head.key, 0);
      if (head.rest.hasNext()) {
        head.key = head.rest.next();
        heads.add(head);
      }
    }
    return sum;
  }

  private long byGuava() {
    Iterator<byte[]> merged =
        Iterators.mergeSorted(keys.stream().map(List::iterator).toList(), Arrays::compareUnsigned);
    long sum = 0;
    while (merged.hasNext()) {
      sum += BenchmarkKeys.index(merged.next(), 0);
    }
    return sum;
  }

  /** Next key of an input, as an element of the priority queue. */
  private static final class Head {
    private byte[] key;
    private final Iterator<byte[]> rest;

    Head(byte[] key, Iterator<byte[]> rest) {
      this.key = key;
      this.rest = rest;
    }
  }
}
