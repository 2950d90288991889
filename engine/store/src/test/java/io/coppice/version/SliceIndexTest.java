// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.table.LookupKeys;
import io.coppice.table.Table;
import io.coppice.table.TableMeta;
import io.coppice.table.UnreadTables;
import io.coppice.testing.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;

class SliceIndexTest {

  private static final int KEYS = 1_000;

  @Test
  void theProbesOfAKeyAreWhatAWalkFromRunToRunFinds() {
    int[] indexed = {0};
    Seeds.forEach(
        300,
        random -> {
          Version version = draw(random);
          SliceIndex index = SliceIndex.of(version, tables(version));
          boolean regrouped = version.levels().stream().anyMatch(SliceIndexTest::isRegrouped);
          assertThat(index == null).isEqualTo(regrouped);
          if (index != null) {
            indexed[0]++;
            for (int i = 0; i < 200; i++) {
              check(version, index, key(version, random));
            }
          }
        });
    // A replay runs one seed only.
    assertThat(indexed[0]).isGreaterThan(Seeds.of(300).count() < 300 ? -1 : 30);
  }

  @Test
  void withoutTablesNoKeyHasAProbe() {
    SliceIndex index = SliceIndex.of(Version.EMPTY, number -> null);
    int interval = index.interval(LookupKeys.of(RandomEdits.key(7), 0));
    assertThat(index.end(interval)).isEqualTo(index.begin(interval));
  }

  @Test
  void aTableThatCouldNotBeOpenedIsLeftToThoseWhoReadIt() {
    assertThat(SliceIndex.of(runs(1, 1), number -> null)).isNull();
  }

  @Test
  void ofManySlicesNoIndexIsMade() {
    int fitting = SliceIndex.MAX_PROBES / 2;
    assertThat(SliceIndex.of(runs(1, fitting), tables(runs(1, fitting)))).isNotNull();
    assertThat(SliceIndex.of(runs(1, fitting + 1), number -> null)).isNull();
    assertThat(SliceIndex.of(runs(200, 1), number -> null)).isNull();
  }

  private static Version runs(int count, int segments) {
    List<Run> runs = new ArrayList<>();
    long number = 1;
    for (int i = 0; i < count; i++) {
      List<Segment> all = new ArrayList<>();
      for (int j = 0; j < segments; j++) {
        TableMeta meta = RandomEdits.meta(number++, 2 * j, 2 * j + 1, new Random(1));
        all.add(Segment.of(Slice.whole(number++, meta)));
      }
      runs.add(new Run(number++, all, java.util.Set.of()));
    }
    return new Version(List.of(new Level(runs)));
  }

  private static Version draw(Random random) {
    AtomicLong numbers = new AtomicLong();
    RandomEdits edits = new RandomEdits(random, numbers::incrementAndGet, 20);
    Version version = Version.EMPTY;
    for (int i = random.nextInt(40); i >= 0; i--) {
      version = version.apply(edits.next(version));
    }
    return version;
  }

  private static LongFunction<Table> tables(Version version) {
    Map<Long, Table> open = new HashMap<>();
    version.tables().forEach(meta -> open.put(meta.number(), UnreadTables.of(meta)));
    return open::get;
  }

  private static boolean isRegrouped(Level level) {
    return level.runs().stream()
        .flatMap(run -> run.segments().stream())
        .anyMatch(segment -> segment.virtual() || segment.slices().size() > 1);
  }

  /** Any, or a bound, or the next one behind it. */
  private static byte[] key(Version version, Random random) {
    List<Slice> slices = version.slices();
    byte[] key = RandomEdits.key(random.nextInt(KEYS));
    if (!slices.isEmpty() && random.nextBoolean()) {
      Slice slice = slices.get(random.nextInt(slices.size()));
      key = random.nextBoolean() ? slice.low() : slice.high();
    }
    return random.nextInt(3) == 0 ? Arrays.copyOf(key, key.length + 1) : key;
  }

  private static void check(Version version, SliceIndex index, byte[] key) {
    int interval = index.interval(LookupKeys.of(key, 0));
    int probe = index.begin(interval);
    for (int level = 0; level < version.levels().size(); level++) {
      List<Run> runs = version.levels().get(level).runs();
      for (int run = 0; run < runs.size(); run++) {
        Segment segment = runs.get(run).find(key, 0, key.length);
        boolean holds = segment != null && segment.slices().get(0).contains(key, 0, key.length);
        boolean here =
            probe < index.end(interval) && index.level(probe) == level && index.run(probe) == run;
        if (holds) {
          assertThat(here).as("run %d of level %d", run, level).isTrue();
          assertThat(index.table(probe).meta()).isEqualTo(segment.slices().get(0).table());
        } else if (here) {
          // Asked in vain: the key is in front of all that the table has.
          byte[] smallest = index.table(probe).meta().smallestKey();
          assertThat(Arrays.compareUnsigned(key, smallest)).isNegative();
        }
        probe += here ? 1 : 0;
      }
    }
    assertThat(probe).isEqualTo(index.end(interval));
  }
}
