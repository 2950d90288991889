// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.coppice.base.InvalidOptionsException;
import io.coppice.base.MemoryBudget;
import io.coppice.io.disk.HostMemory;
import io.coppice.policy.WrongOptions;
import io.coppice.policy.spec.PolicyLimits;
import io.coppice.table.NativeCodec;
import io.coppice.table.cache.BlockCacheOptions;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StoreOptionsTest {

  static Stream<WrongOptions> wrongOptions() {
    return WrongOptions.all(PolicyLimits.ENGINE);
  }

  @ParameterizedTest
  @MethodSource("wrongOptions")
  void reportsWrongPolicyOptionsInTheWordsOfEveryDoor(WrongOptions wrong) {
    assertThat(refused(StoreOptions.builder().policy(wrong.text())).errors())
        .containsExactlyElementsOf(wrong.complaints());
  }

  @Test
  void reportsThePolicysFaultsTogetherWithItsOwn() {
    InvalidOptionsException fault =
        refused(
            StoreOptions.builder()
                .policy("levelled,fanout=1,colour")
                .filterBits(5)
                .compactionSlots(17)
                .io("fast")
                .reader("disk"));
    assertThat(fault.errors())
        .containsExactly(
            "policy 'levelled' is not understood; did you mean 'leveled'?",
            "'colour' has no value; write it as option=value",
            "fanout (1) must be in 2..32",
            "filterBits (5) must be in 6..20",
            "compactionSlots (17) must be in 1..16",
            "io (fast) must be mmap or read",
            "reader (disk) must be one of auto, ring, pool, serial");
    assertThat(fault.getMessage()).contains(fault.errors());
  }

  @Test
  void wrongTextsOfCompressionAreRefusedWithTheOptionsName() {
    for (String text : List.of("", "gzip", "none,,lz4", "LZ4", "lz4,")) {
      assertThatThrownBy(() -> StoreOptions.builder().compression(text).build())
          .isInstanceOf(InvalidOptionsException.class)
          .hasMessageContaining("compression (" + text + ")")
          .hasMessageContaining("[none, lz4, zstd]");
    }
    String three = NativeCodec.orLz4(" none, lz4 ,zstd");
    assertThat(StoreOptions.builder().compression(three).build().tables.compression())
        .hasToString(three.replace(" ", ""));
  }

  @Test
  void defaultOptionsShareOneBudgetOfTheProcessAndFitIt() {
    StoreOptions options = StoreOptions.defaults();
    assertThat(options.memory).isSameAs(StoreOptions.defaults().memory);
    assertThat(options.memory).isSameAs(HostMemory.budgetOfProcess());
    assertThat(options.memtableBytes)
        .isBetween(1L << 20, options.memory.capacityBytes() / 8)
        .isLessThanOrEqualTo(32 << 20);
    assertThat(options.blockCache())
        .isEqualTo(new BlockCacheOptions(options.memory.capacityBytes() / 4, false));
    assertThat(ofMemory(24).memtableBytes(8 << 20).build().blockCache())
        .isEqualTo(BlockCacheOptions.OFF);
    assertThat(ofMemory(24).memtableBytes(7 << 20).directReads(true).build().blockCache())
        .isEqualTo(new BlockCacheOptions(3 << 20, true));
  }

  @Test
  void builderDerivesSizesFromTheMemoryOfEachBuild() {
    StoreOptions.Builder builder = ofMemory(24);
    StoreOptions small = builder.build();
    StoreOptions large = builder.memory(MemoryBudget.ofMebibytes(240)).build();
    assertThat(large.memtableBytes).isEqualTo(10 * small.memtableBytes);
    assertThat(large.blockCache()).isEqualTo(ofMemory(240).build().blockCache());
    assertThat(builder.memory(MemoryBudget.ofMebibytes(24)).build().blockCache())
        .isEqualTo(small.blockCache());
  }

  private static StoreOptions.Builder ofMemory(int mebibytes) {
    return StoreOptions.builder().memory(MemoryBudget.ofMebibytes(mebibytes));
  }

  private static InvalidOptionsException refused(StoreOptions.Builder builder) {
    return catchThrowableOfType(InvalidOptionsException.class, builder::build);
  }
}
