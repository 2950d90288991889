// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.micro;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnels;
import io.coppice.table.TableFilters;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.SplittableRandom;
import java.util.function.LongPredicate;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/**
 * Cost to build a filter per key, and to query it for an absent key. Each filter covers a table of
 * 4 MiB with entries of 100 bytes. Compared are the engine's filter, Bloom filters with the same
 * number of bits, and Guava's with the false-positive rate of such a Bloom filter.
 */
public class FilterBenchmark extends Microbenchmark {

  private static final int KEYS = 41_943;

  /** Number of runs whose filters one lookup queries. */
  private static final int RUNS = 17;

  private static final int ABSENT_KEYS = 1_000_000;

  /** Kind of filter; the engine uses {@code fuse}. */
  @Param({"fuse", "blocked", "plain", "guava"})
  public String family;

  /** Filter bits per key. */
  @Param({"6", "8", "10", "12", "16", "20"})
  public int bits;

  /** Number of filters for the cold queries, too many for the processor caches. */
  @Param("600")
  public int count;

  private final SplittableRandom random = new SplittableRandom(42);
  private LongPredicate[] filters;
  private long[] hashes;

  /** Creates the filters and prints how many absent keys pass. */
  @Setup
  public void make() {
    filters = new LongPredicate[count];
    for (int i = 0; i < count; i++) {
      hashes = random.longs(KEYS).toArray();
      filters[i] = filter();
    }
    int passed = 0;
    for (int i = 0; i < ABSENT_KEYS; i++) {
      passed += filters[0].test(random.nextLong()) ? 1 : 0;
    }
    System.out.printf(
        "%.2f bits a key, %.4f %% of absent keys pass%n",
        bytes().length * 8.0 / KEYS, 100.0 * passed / ABSENT_KEYS);
  }

  private LongPredicate filter() {
    return switch (family) {
      case "blocked" -> BloomFilters.Blocked.of(hashes, bits);
      case "plain" -> BloomFilters.Plain.of(hashes, bits);
      case "guava" -> guava()::mightContain;
      default -> TableFilters.of(hashes, bits);
    };
  }

  private byte[] bytes() {
    return switch (family) {
      case "blocked" -> BloomFilters.Blocked.bytes(hashes, bits);
      case "plain" -> BloomFilters.Plain.bytes(hashes, bits);
      case "guava" -> written(guava());
      default -> TableFilters.bytes(hashes, bits);
    };
  }

  private BloomFilter<Long> guava() {
    double falsePositives = Math.exp(-bits * Math.log(2) * Math.log(2));
    BloomFilter<Long> filter = BloomFilter.create(Funnels.longFunnel(), KEYS, falsePositives);
    for (long hash : hashes) {
      filter.put(hash);
    }
    return filter;
  }

  private static byte[] written(BloomFilter<Long> filter) {
    try (ByteArrayOutputStream bytes = new ByteArrayOutputStream()) {
      filter.writeTo(bytes);
      return bytes.toByteArray();
    } catch (IOException e) {
      throw new IllegalStateException("writing to memory", e);
    }
  }

  private int ask(int first) {
    long hash = random.nextLong();
    int passed = 0;
    for (int i = first; i < first + RUNS; i++) {
      passed += filters[i].test(hash) ? 1 : 0;
    }
    return passed;
  }

  /** Queries filters that stay in the processor caches. */
  @Benchmark
  @OperationsPerInvocation(RUNS)
  public int hot() {
    return ask(0);
  }

  /** Queries filters outside the processor caches. */
  @Benchmark
  @OperationsPerInvocation(RUNS)
  public int cold() {
    return ask(random.nextInt(count - RUNS));
  }

  /** Builds the bytes of a filter as the file stores them. */
  @Benchmark
  @OperationsPerInvocation(KEYS)
  public byte[] build() {
    return bytes();
  }
}
