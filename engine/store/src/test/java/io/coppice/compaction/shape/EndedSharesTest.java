// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction.shape;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.io.MemDisk;
import io.coppice.manifest.Manifest;
import io.coppice.table.TableMeta;
import io.coppice.testing.Seeds;
import io.coppice.version.Version;
import io.coppice.version.VersionEdit;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tables that cannot be read neither hide others nor wake the compactor again and again. */
class EndedSharesTest {

  private static final long NOW = 1_000_000;
  private static final long SECOND = 1_000_000_000L;

  /** Tables of which half has ended, if they can be read. */
  private final class Tables implements EndedShares.Source {
    @Override
    public long firstEndMillis(long table) {
      return read(table, NOW - 1);
    }

    @Override
    public long[] ends(long table) {
      if (unsampled.contains(table)) {
        throw new UncheckedIOException(new IOException("as asked"));
      }
      long later = Long.MAX_VALUE;
      return read(table, new long[] {NOW, NOW, NOW, NOW, later, later, later, later});
    }

    private <T> T read(long table, T answer) {
      reads.merge(table, 1, Integer::sum);
      if (unreadable.contains(table)) {
        throw new UncheckedIOException(new IOException("as asked"));
      }
      return answer;
    }
  }

  private final Set<Long> unreadable = new HashSet<>();
  private final Set<Long> unsampled = new HashSet<>();
  private final Map<Long, Integer> reads = new HashMap<>();
  private final EndedShares shares = new EndedShares(new Tables());

  /** Each table is a run of its own. */
  private static Version version(int tables) throws IOException {
    try (Manifest manifest = Manifest.open(new MemDisk())) {
      manifest.retireTo(table -> {});
      VersionEdit.Builder edit = VersionEdit.builder();
      for (int i = 1; i <= tables; i++) {
        byte[] key = Integer.toString(i).getBytes(US_ASCII);
        TableMeta meta = new TableMeta(i, 1000, 10, 0, 0, key, key, 1, 1, TableMeta.NO_FILTER);
        edit.addRun(0, 1_000 + i, Set.of()).addTable(0, 1_000 + i, 10_000 + i, meta);
      }
      return manifest.install(edit.nextNumber(100_000).build()).version(0);
    }
  }

  /** Looks until no look is due within a second; returns how many looks that took. */
  private int updateUntilRest(Version version, long now) {
    int updates = 0;
    do {
      shares.update(version, now);
      updates++;
    } while (shares.restNanos() < SECOND && updates < 1_000);
    return updates;
  }

  @Test
  void tablesBehindUnreadableOnesAreFound() throws IOException {
    Version version = version(100);
    for (long table = 1; table <= 90; table++) {
      unreadable.add(table);
    }
    assertThat(updateUntilRest(version, NOW)).isLessThan(10);
    assertThat(shares.ended()).hasSize(10);
    assertThat(reads.values()).allMatch(count -> count <= 2);
    assertThat(shares.restNanos()).as("they are tried again").isLessThan(Long.MAX_VALUE);

    unreadable.clear();
    updateUntilRest(version, NOW + 1_000);
    assertThat(shares.ended()).hasSize(100).containsValue(4);
    assertThat(shares.restNanos()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void aTableWhoseSampleFailsIsReadAgainWithGrowingPauses() throws IOException {
    Version version = version(1);
    unsampled.add(1L);
    long now = NOW;
    long pause = 0;
    for (int i = 0; i < 20; i++) {
      shares.update(version, now);
      assertThat(shares.restNanos()).isGreaterThanOrEqualTo(pause).isLessThan(61 * SECOND);
      pause = shares.restNanos();
      now += pause / 1_000_000;
    }
    assertThat(pause).isEqualTo(60 * SECOND);
    unsampled.clear();
    shares.update(version, now);
    assertThat(shares.ended()).containsEntry(1L, 4);
  }

  /** Tables whose parts end at random times and which are sometimes unreadable. */
  private static final class RandomTables implements EndedShares.Source {
    private final Map<Long, long[]> ends = new HashMap<>();
    private final Random random;
    private int failuresLeft;
    private int reads;

    RandomTables(Random random, int tables) {
      this.random = random;
      this.failuresLeft = random.nextInt(20);
      for (long table = 1; table <= tables; table++) {
        long[] parts = new long[EndedShares.PARTS];
        boolean expires = random.nextInt(3) > 0;
        for (int part = 0; part < parts.length; part++) {
          boolean never = !expires || random.nextInt(10) == 0;
          parts[part] = never ? Long.MAX_VALUE : NOW + random.nextInt(300_000);
        }
        Arrays.sort(parts);
        ends.put(table, parts);
      }
    }

    @Override
    public long firstEndMillis(long table) {
      return read(table)[0];
    }

    @Override
    public long[] ends(long table) {
      return read(table);
    }

    private long[] read(long table) {
      reads++;
      if (failuresLeft > 0 && random.nextInt(4) == 0) {
        failuresLeft--;
        throw new UncheckedIOException(new IOException("as drawn"));
      }
      return ends.get(table);
    }

    /** Returns the eighths of each table that have ended at a time; absent means 0. */
    Map<Long, Integer> endedAt(long millis) {
      Map<Long, Integer> past = new HashMap<>();
      ends.forEach(
          (table, parts) -> {
            int eighths = (int) Arrays.stream(parts).filter(end -> end <= millis).count();
            if (eighths > 0) {
              past.put(table, eighths);
            }
          });
      return past;
    }
  }

  /**
   * A family that looks only when its rest ends knows each ended part in time, overstates nothing,
   * reads few tables per look, and rests for ever once nothing will end.
   */
  @Test
  void aRestingFamilyLearnsOfEveryExpiryInTimeWithFewUpdates() {
    Seeds.forEachOfMany(
        40,
        random -> {
          int count = 1 + random.nextInt(120);
          RandomTables tables = new RandomTables(random, count);
          EndedShares resting = new EndedShares(tables);
          Version version = version(count);
          long now = NOW - random.nextInt(100_000);
          int updates = 0;
          while (true) {
            int readBefore = tables.reads;
            resting.update(version, now);
            updates++;
            assertThat(tables.reads - readBefore).as("reads of an update").isLessThanOrEqualTo(32);
            Map<Long, Integer> truth = tables.endedAt(now);
            resting
                .ended()
                .forEach((table, part) -> assertThat(part).isLessThanOrEqualTo(truth.get(table)));
            if (resting.restNanos() == Long.MAX_VALUE) {
              break;
            }
            assertThat(resting.restNanos()).isPositive();
            long rest = resting.restNanos() / 1_000_000;
            if (rest >= 1_000 && tables.failuresLeft == 0) {
              // No expiry before the next update is missed by more than the shortest rest.
              Map<Long, Integer> before = tables.endedAt(now + rest - 1_000);
              if (rest > 1_000 && resting.ended().equals(truth)) {
                assertThat(before).isEqualTo(truth);
              }
            }
            now += rest;
          }
          assertThat(resting.ended()).isEqualTo(tables.endedAt(Long.MAX_VALUE - 1));
          // One look per second of ends, one per minute, and those that reads and failures take.
          assertThat(updates).isLessThan(300 + 10 + 2 * (count / 32 + 1) + 2 * 20);
        });
  }
}
