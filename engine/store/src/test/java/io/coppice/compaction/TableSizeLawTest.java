// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.io.MemDisk;
import io.coppice.load.DeterministicStore;
import io.coppice.load.NumberedWrites;
import io.coppice.testing.Seeds;
import io.coppice.version.Level;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import io.coppice.version.Version;
import java.io.IOException;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Merges on real tables make progress: no step leaves a tree that the store had before. Value sizes
 * run from one byte to eight tables. A policy that measures tables otherwise than a merge cuts them
 * would rewrite the same ones for ever.
 */
public class TableSizeLawTest {

  private static final int TABLE_BYTES = 8 << 10;
  private static final int CASES_PER_POLICY = 8;
  private static final List<String> CODECS = List.of("none", "lz4", "zstd");

  public static Stream<String> policies() {
    return Stream.of(
            "leveled,fanout=3,l0_trigger=2",
            "tiered",
            "delayed,fanout=3,l0_trigger=2,base_size=32KiB,vct=6",
            "grouped,groups=2",
            "split-forest,fanout=2",
            "lazy-binomial,k=2",
            "adaptive")
        .map(text -> text + ",table_size=" + TABLE_BYTES / 1024 + "KiB");
  }

  @ParameterizedTest
  @MethodSource("policies")
  void noMergeLeavesATreeThatWasThereBefore(String policy) {
    Seeds.forEach(
        CASES_PER_POLICY,
        random -> {
          random.setSeed(random.nextLong() + policy.hashCode());
          String codec = CODECS.get(random.nextInt(CODECS.size()));
          int most = (int) Math.exp(random.nextDouble() * Math.log(8.0 * TABLE_BYTES));
          int period = 1 << random.nextInt(14);
          settles(policy, codec, most, period, random);
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"leveled", "split-forest", "tiered"})
  void valuesOfATableThatCompressByMoreThanTwoAreNotRewrittenForEver(String policy)
      throws IOException {
    for (String codec : CODECS) {
      settles(policy + ",table_size=8KiB", codec, 5 * TABLE_BYTES / 4, 1 << 9, new Random(5));
    }
  }

  private static void settles(String policy, String codec, int maxBytes, int period, Random random)
      throws IOException {
    String what = policy + ", " + codec + ", values of " + maxBytes + " bytes, period " + period;
    StoreOptions options =
        StoreOptions.builder()
            .policy(policy)
            .compression(codec)
            .memory(MemoryBudget.ofMebibytes(16))
            .memtableBytes(1 << 20)
            .durability(Durability.NONE)
            .build();
    try (DeterministicStore opened = DeterministicStore.open(new MemDisk(), options, 1)) {
      Store store = opened.store();
      boolean equal = random.nextBoolean();
      for (int flushes = 1 + random.nextInt(3); flushes > 0; flushes--) {
        int values = Math.min(600, 1 + (24 * TABLE_BYTES) / maxBytes);
        for (int i = 0; i < values; i++) {
          int length = equal ? maxBytes : 1 + random.nextInt(maxBytes);
          store.put(NumberedWrites.key(random.nextInt(values * 4)), value(length, period, random));
        }
        store.flush();
      }
      awaitRest(opened, what);
      store.compact();
      awaitRest(opened, what);
    }
  }

  /** A value of random bytes that repeat after a period. */
  private static byte[] value(int length, int period, Random random) {
    byte[] value = new byte[length];
    byte[] part = new byte[Math.min(period, length)];
    random.nextBytes(part);
    for (int i = 0; i < length; i++) {
      value[i] = part[i % part.length];
    }
    return value;
  }

  private static void awaitRest(DeterministicStore opened, String what) {
    Set<String> seen = new HashSet<>();
    Version last = null;
    long steps = opened.store().stats().mergeSteps();
    boolean more = true;
    while (more) {
      more = opened.step();
      long now = opened.store().stats().mergeSteps();
      Version version = TestStores.versions(opened.store().family("default")).current();
      if (now > steps && version != last) {
        assertThat(seen.add(text(version))).as("%s: a merge made progress", what).isTrue();
      }
      steps = now;
      last = version;
    }
    assertThat(TestStores.compactor(opened.store()).backlog(0).plans()).as(what).isZero();
  }

  /** All that a policy can see of a version, without the numbers of tables, slices and runs. */
  private static String text(Version version) {
    StringBuilder text = new StringBuilder();
    for (Level level : version.levels()) {
      text.append("L ");
      for (Run run : level.runs()) {
        text.append("R ");
        for (Segment segment : run.segments()) {
          text.append(segment.virtual() ? "G " : "");
          for (Slice slice : segment.slices()) {
            text.append(HexFormat.of().formatHex(slice.low()))
                .append("..")
                .append(HexFormat.of().formatHex(slice.high()))
                .append(' ')
                .append(slice.table().bytes())
                .append(' ');
          }
        }
      }
    }
    return text.toString();
  }
}
