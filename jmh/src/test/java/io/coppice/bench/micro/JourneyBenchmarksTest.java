// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.micro;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every microbenchmark does its work once; each checks itself what it measures. */
class JourneyBenchmarksTest {

  @ParameterizedTest
  @ValueSource(strings = {"ours", "skip-list-map", "rocksdb"})
  void everySortedBufferKeepsEveryEntry(String store) throws Exception {
    try (SortedBuffer buffer = SortedBuffer.of(store, 100, 8)) {
      byte[] key = new byte[4];
      byte[] value = new byte[8];
      for (int i = 0; i < 100; i++) {
        key[3] = (byte) (i * 37);
        buffer.add(key, value);
      }
      assertThat(buffer.walk()).isEqualTo(100);
      assertThat(buffer.get(key)).isEqualTo(8);
      key[0] = 1;
      assertThat(buffer.get(key)).isEqualTo(-1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"ours", "priority-queue", "guava"})
  void everyMergeMeetsEveryEntry(String merge) {
    MergeBenchmark benchmark = new MergeBenchmark();
    benchmark.merge = merge;
    benchmark.inputs = 4;
    benchmark.deal();
    assertThat(benchmark.all()).isPositive();
  }

  @Test
  void everyChecksumOfTheSameBytesIsTheSameButOursIsSalted() {
    ChecksumBenchmark benchmark = new ChecksumBenchmark();
    benchmark.bytes = 4096;
    benchmark.fill();
    assertThat((int) benchmark.jdk()).isEqualTo(benchmark.guava());
    assertThat(benchmark.ours()).isEqualTo(benchmark.ours());
  }

  @Test
  void theStepsOfAWriteWriteWhatTheySay() throws Exception {
    WriteBenchmark benchmark = new WriteBenchmark();
    benchmark.open();
    try {
      assertThat(List.of(benchmark.encodeOurs(), benchmark.encodeRocksdb()))
          .containsExactly(100, 100);
      benchmark.put();
      assertThat(benchmark.append()).isEqualTo(116);
    } finally {
      benchmark.close();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"fuse", "blocked", "plain", "guava"})
  void everyFilterIsMadeAndAsked(String family) {
    FilterBenchmark benchmark = new FilterBenchmark();
    benchmark.family = family;
    benchmark.bits = 10;
    benchmark.count = 18;
    benchmark.make();
    assertThat(benchmark.hot()).isBetween(0, 17);
    assertThat(benchmark.build()).hasSizeBetween(40_000, 80_000);
  }
}
