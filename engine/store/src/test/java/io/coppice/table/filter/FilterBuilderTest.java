// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.filter;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.MemoryBudget;
import io.coppice.table.block.OffHeapAllocator;
import io.coppice.table.block.OffHeapMemory;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Filters made of all sorts of hashes. {@code -Dseed=…} repeats a failure. */
class FilterBuilderTest {

  private static final long SEED = Long.getLong("seed", 20261121L);

  private final FilterBuilder builder = new FilterBuilder();
  private final Random random = new Random(SEED);

  @Test
  void everyHashPassesWhateverTheirNumberAndTheBits() {
    for (int keys = 1; keys < 300; keys++) {
      check(random.longs(keys).toArray(), 5 + keys % 12);
    }
    for (int keys = 300; keys < 200_000; keys = keys * 5 / 3) {
      check(random.longs(keys).toArray(), 5 + keys % 12);
    }
  }

  @Test
  void asManyOthersPassAsTheBitsSay() {
    for (int bits = FilterGeometry.MIN_BITS; bits <= FilterGeometry.MAX_BITS; bits++) {
      long[] hashes = random.longs(20_000).toArray();
      int asked = 1 << Math.min(22, bits + 10);
      int passed = 0;
      try (Made made = make(hashes, bits)) {
        for (int i = 0; i < asked; i++) {
          passed += made.filter.mayContain(random.nextLong()) ? 1 : 0;
        }
      }
      double expected = asked * FilterAllocation.rate(bits);
      assertThat((double) passed)
          .as(bits + " bits, seed " + SEED)
          .isBetween(expected - 6 * Math.sqrt(expected), expected + 6 * Math.sqrt(expected));
    }
  }

  @Test
  void equalHashesCountOnce() {
    long[] hashes = random.longs(5000).toArray();
    for (int i = 0; i < 1000; i++) {
      hashes[random.nextInt(hashes.length)] = hashes[random.nextInt(hashes.length)];
    }
    check(hashes, 8);
    check(new long[] {7, 7}, 8);
    check(new long[3000], 8);
  }

  @Test
  void hashesThatCrowdInOnePlaceFindOthersWithAnotherSeed() {
    FilterGeometry shape = FilterGeometry.of(3000, 8);
    long[] hashes = new long[shape.keys()];
    for (int i = 0; i < hashes.length; ) {
      long hash = random.nextLong();
      if (FilterGeometry.first(BinaryFuseFilter.mix(hash, SEED), shape.firsts()) < 32) {
        hashes[i++] = hash;
      }
    }
    check(hashes, 8);
  }

  @Test
  void theSizeIsKnownFromTheKeysAndNearNineTenthsOfTheBitsAskedFor() {
    assertThat(FilterGeometry.of(1, 5).places()).isEqualTo(12);
    assertThat(FilterGeometry.of(41_943, 8).bytes()).isEqualTo(51_203);
    assertThat(FilterGeometry.of(1_000_000, 8).bytes()).isBetween(1_125_000, 1_160_000);
    assertThat(FilterGeometry.of(FilterGeometry.MAX_KEYS, FilterGeometry.MAX_BITS).bytes())
        .isBetween(150_000_000, 152_000_000);
  }

  private void check(long[] hashes, int bits) {
    try (Made made = make(hashes, bits)) {
      for (long hash : hashes) {
        assertThat(made.filter.mayContain(hash))
            .as("%d hashes, %d bits, seed %d", hashes.length, bits, SEED)
            .isTrue();
      }
    }
  }

  private record Made(BinaryFuseFilter filter) implements AutoCloseable {
    @Override
    public void close() {
      filter.free();
    }
  }

  private Made make(long[] hashes, int bits) {
    FilterGeometry shape = FilterGeometry.of(hashes.length, bits);
    byte[] bytes = new byte[shape.bytes()];
    assertThat(builder.build(hashes, shape, SEED, bytes, 0)).isTrue();
    OffHeapMemory memory =
        OffHeapMemory.allocate(
            new OffHeapAllocator(),
            MemoryBudget.ofBytes(bytes.length),
            MemoryBudget.Role.FILTER,
            bytes.length,
            1);
    memory.bytes().put(0, bytes);
    return new Made(new BinaryFuseFilter(memory, shape, builder.seed()));
  }
}
