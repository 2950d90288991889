// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.MemoryBudget;
import io.coppice.io.BlockReader;
import io.coppice.io.BlockReaderOptions;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.ReadBatch;
import io.coppice.io.ReadMode;
import io.coppice.io.disk.RealDisk;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.nio.file.Path;
import java.util.BitSet;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What is believed of pages in memory. */
class PageResidencyTest {

  private static final int PAGE = 4_096;
  private static final int PAGES = 200;
  private static final long FAST = 1_000;
  private static final long SLOW = 10_000_000;

  @TempDir private Path directory;
  private final PageResidencyTracker watch = new PageResidencyTracker();

  @Test
  void aPartIsInMemoryIfAllItsPagesAre() {
    Random random = Seeds.random(Seeds.seed(5), 0);
    PageResidency residency = new PageResidency((long) PAGES * PAGE - 77, false, watch);
    BitSet pages = new BitSet();
    for (int i = 0; i < 2_000; i++) {
      int offset = random.nextInt(PAGES * PAGE - 77);
      int length = 1 + random.nextInt(Math.min(3 * PAGE, PAGES * PAGE - 77 - offset));
      int first = offset / PAGE;
      int end = (offset + length - 1) / PAGE + 1;
      assertThat(residency.isLikelyCached(offset, length))
          .as("%d bytes from %d on", length, offset)
          .isEqualTo(pages.nextClearBit(first) >= end);
      if (random.nextInt(8) == 0) {
        residency.markCached(offset, length);
        pages.set(first, end);
      }
    }
  }

  @Test
  void twoSlowReadsOfPagesBelievedToBeThereMakeAStretchForgotten() {
    PageResidency residency = new PageResidency(PAGES * PAGE, true, watch);
    PageResidency other = new PageResidency(PAGES * PAGE, true, watch);
    residency.took(70 * PAGE, PAGE, SLOW, false);
    assertThat(residency.isLikelyCached(0, PAGES * PAGE)).isTrue();
    residency.took(71 * PAGE, PAGE, FAST, false);
    residency.took(72 * PAGE, PAGE, SLOW, false);
    for (int page = 0; page < PAGES; page++) {
      assertThat(residency.isLikelyCached(page * PAGE, PAGE)).isEqualTo(page / 64 != 1);
    }
    assertThat(other.isLikelyCached(0, PAGES * PAGE)).isTrue();
    assertThat(watch.slowReads()).isEqualTo(2);
  }

  @Test
  void aFileThatIsSlowEverywhereIsForgottenByDoubling() {
    int stretches = 256;
    long stretch = 64L * PAGE;
    PageResidency residency = new PageResidency(stretches * stretch, true, watch);
    Random random = Seeds.random(Seeds.seed(11), 0);
    int slow = 0;
    while (believed(residency, stretches, stretch) > 0) {
      long offset = random.nextInt(stretches) * stretch;
      if (residency.isLikelyCached(offset, PAGE)) {
        residency.took(offset, PAGE, SLOW, false);
        slow++;
      }
    }
    assertThat(slow).isLessThanOrEqualTo(2 + 9);
  }

  @Test
  void readsThatLoseTheProcessorNowAndThenMakeLittleForgotten() {
    int stretches = 256;
    long stretch = 64L * PAGE;
    PageResidency residency = new PageResidency(stretches * stretch, true, watch);
    for (int pair = 0; pair < 10; pair++) {
      residency.took(20 * pair * stretch, PAGE, SLOW, false);
      residency.took(20 * pair * stretch, PAGE, SLOW, false);
      for (int i = 0; i < 64; i++) {
        residency.took(0, PAGE, FAST, false);
      }
    }
    assertThat(believed(residency, stretches, stretch)).isEqualTo(stretches - 10);
  }

  private static int believed(PageResidency residency, int stretches, long stretch) {
    int believed = 0;
    for (int i = 0; i < stretches; i++) {
      believed += residency.isLikelyCached(i * stretch, PAGE) ? 1 : 0;
    }
    return believed;
  }

  @Test
  void fewReadsAreTimedUntilOneWasSlowAndThenAllUntilManyWereFast() {
    PageResidency residency = new PageResidency(PAGES * PAGE, true, watch);
    assertThat(timed(residency, 16_000)).isBetween(900, 1_100);
    residency.took(0, PAGE, SLOW, false);
    assertThat(timed(residency, 50)).isEqualTo(50);
    for (int i = 0; i < 64; i++) {
      residency.took(0, PAGE, FAST, false);
    }
    assertThat(timed(residency, 16_000)).isBetween(900, 1_100);
  }

  private static int timed(PageResidency residency, int pages) {
    int timed = 0;
    for (int i = 0; i < pages; i++) {
      timed += residency.times((long) i * PAGE) ? 1 : 0;
    }
    return timed;
  }

  @Test
  void halfOfWhatIsBelievedGoesAtATime() {
    PageResidency residency = new PageResidency(64L * 64 * PAGE, true, watch);
    for (int half = 1; half <= 2; half++) {
      watch.decay();
      int left = 0;
      for (int page = 0; page < 64 * 64; page++) {
        left += residency.isLikelyCached((long) page * PAGE, PAGE) ? 1 : 0;
      }
      assertThat(left).isEqualTo(half == 1 ? 32 * 64 : 0);
    }
  }

  @ParameterizedTest
  @EnumSource(ReadMode.class)
  void whatWasJustWrittenIsInMemoryAndWhatWasFoundIsNotUntilItIsRead(ReadMode mode)
      throws IOException {
    byte[] bytes = new byte[PAGES * PAGE];
    MemoryBudget memory = MemoryBudget.ofMebibytes(16);
    for (boolean found : new boolean[] {false, true}) {
      try (RealDisk disk = RealDisk.open(directory.resolve("s"), mode, MappingBudget.of(10))) {
        if (!found) {
          try (Disk.OutputFile file = disk.create(FileKind.TABLE.fileName(1))) {
            file.write(bytes, 0, bytes.length);
          }
        }
        try (Disk.InputFile file = disk.map(FileKind.TABLE.fileName(1))) {
          assertThat(file.likelyInMemory(0, bytes.length)).isEqualTo(!found);
          file.read(5 * PAGE + 1, new byte[PAGE], 0, PAGE);
          assertThat(file.likelyInMemory(5 * PAGE, 2 * PAGE)).isTrue();
          assertThat(file.likelyInMemory(7 * PAGE, 1)).isEqualTo(!found);
          for (String kind : new String[] {"pool", "serial"}) {
            int page = kind.equals("pool") ? 20 : 30;
            BlockReaderOptions options = new BlockReaderOptions(kind, false, memory);
            read(disk, options, file, page);
            assertThat(file.likelyInMemory(page * PAGE, PAGE)).isTrue();
          }
          read(disk, new BlockReaderOptions("pool", true, memory), file, 50);
          assertThat(file.likelyInMemory(50 * PAGE, PAGE)).isEqualTo(!found);
          readAlone(disk, new BlockReaderOptions("pool", true, memory), file, 60);
          assertThat(file.likelyInMemory(60 * PAGE, PAGE)).isEqualTo(!found);
          readAlone(disk, new BlockReaderOptions("pool", false, memory), file, 60);
          assertThat(file.likelyInMemory(60 * PAGE, PAGE)).isTrue();
        }
      }
    }
  }

  private static void readAlone(
      RealDisk disk, BlockReaderOptions options, Disk.InputFile file, int page) throws IOException {
    try (BlockReader reader = disk.blockReader(options);
        ReadBatch batch = reader.newBatch()) {
      batch.readAlone(file, (long) page * PAGE, new byte[PAGE], 0, PAGE);
    }
  }

  private static void read(RealDisk disk, BlockReaderOptions options, Disk.InputFile file, int page)
      throws IOException {
    try (BlockReader reader = disk.blockReader(options);
        ReadBatch batch = reader.newBatch()) {
      batch.add(file, (long) page * PAGE, PAGE);
      batch.submit();
      batch.await(1);
      batch.take(0, new byte[PAGE], 0);
    }
  }
}
