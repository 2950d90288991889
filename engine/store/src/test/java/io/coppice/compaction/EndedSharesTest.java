// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.io.MemDisk;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.Version;
import io.coppice.manifest.VersionEdit;
import io.coppice.table.TableMeta;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
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
        TableMeta meta = new TableMeta(i, 1000, 10, 0, key, key, 1, 1, TableMeta.NO_FILTER);
        edit.addRun(0, 1_000 + i, Set.of()).addTable(0, 1_000 + i, 10_000 + i, meta);
      }
      return manifest.install(edit.nextNumber(100_000).build()).version(0);
    }
  }

  /** Looks until no look is due within a second; returns how many looks that took. */
  private int lookUntilRest(Version version, long now) {
    int looks = 0;
    do {
      shares.look(version, now);
      looks++;
    } while (shares.restNanos() < SECOND && looks < 1_000);
    return looks;
  }

  @Test
  void tablesBehindUnreadableOnesAreFound() throws IOException {
    Version version = version(100);
    for (long table = 1; table <= 90; table++) {
      unreadable.add(table);
    }
    assertThat(lookUntilRest(version, NOW)).isLessThan(10);
    assertThat(shares.ended()).hasSize(10);
    assertThat(reads.values()).allMatch(count -> count <= 2);
    assertThat(shares.restNanos()).as("they are tried again").isLessThan(Long.MAX_VALUE);

    unreadable.clear();
    lookUntilRest(version, NOW + 1_000);
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
      shares.look(version, now);
      assertThat(shares.restNanos()).isGreaterThanOrEqualTo(pause).isLessThan(61 * SECOND);
      pause = shares.restNanos();
      now += pause / 1_000_000;
    }
    assertThat(pause).isEqualTo(60 * SECOND);
    unsampled.clear();
    shares.look(version, now);
    assertThat(shares.ended()).containsEntry(1L, 4);
  }
}
