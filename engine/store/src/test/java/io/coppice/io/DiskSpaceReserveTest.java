// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.io.disk.DiskSpaceReserve;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Work that lacks space gets the reserve and keeps it until more space is free. */
class DiskSpaceReserveTest {

  private static final int CASES = 200;

  /**
   * Work releases the reserve whenever it lacks space. Other threads try to set the reserve aside
   * before each attempt.
   */
  @Test
  void workThatFitsWithTheReserveEndsAfterFewAttempts() {
    Seeds.forEachFixedAndFresh(
        CASES,
        random -> {
          MemDisk disk = new MemDisk();
          int wanted = 64 << 10 << random.nextInt(4);
          DiskSpaceReserve reserve = DiskSpaceReserve.open(disk, () -> wanted);
          assertThat(reserve.ensure()).isTrue();
          leaveFree(disk, random.nextInt(wanted));
          for (int work = 0; work < 5; work++) {
            int room = Math.toIntExact(disk.freeBytes()) + (reserve.released() ? 0 : wanted);
            doWork(disk, reserve, random.nextInt(room + 1), random);
            disk.delete("work");
            reserve.ensureAfterWork();
          }
          leaveFree(disk, 2L * wanted);
          assertThat(reserve.ensure()).as("with ample space").isTrue();
        });
  }

  /** The reserve follows the data in both directions and stays near the wanted size. */
  @Test
  void theReserveGrowsAndShrinksWithTheData() {
    Seeds.forEachFixedAndFresh(
        CASES,
        random -> {
          MemDisk disk = new MemDisk();
          long[] wanted = {0};
          DiskSpaceReserve reserve = DiskSpaceReserve.open(disk, () -> wanted[0]);
          for (int change = 0; change < 10; change++) {
            wanted[0] = (64L << 10) << random.nextInt(8);
            assertThat(reserve.ensure()).isTrue();
            try (Disk.InputFile file = disk.open(FileKind.RESERVE.fileName(0))) {
              assertThat(file.length())
                  .isBetween(reserve.wantedBytes() / 2, 2 * reserve.wantedBytes());
            }
          }
        });
  }

  private static void doWork(MemDisk disk, DiskSpaceReserve reserve, int needed, Random random)
      throws IOException {
    for (int attempt = 0; attempt < 3; attempt++) {
      if (random.nextInt(4) > 0) {
        reserve.ensure();
      }
      if (disk.freeBytes() >= needed) {
        try (Disk.OutputFile file = disk.create("work")) {
          file.write(new byte[needed], 0, needed);
        }
        return;
      }
      reserve.release();
    }
    throw new AssertionError(needed + " bytes got no room, free " + disk.freeBytes());
  }

  private static void leaveFree(MemDisk disk, long bytes) throws IOException {
    disk.capacity(Long.MAX_VALUE);
    disk.capacity(Long.MAX_VALUE - disk.freeBytes() + bytes);
  }
}
