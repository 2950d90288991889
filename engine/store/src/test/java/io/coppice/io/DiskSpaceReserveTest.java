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

  /** A large reserve shrinks with the data; a small one stays as it is. */
  @Test
  void aLargeReserveShrinksWithTheData() throws IOException {
    MemDisk disk = new MemDisk();
    long[] wanted = {40 << 20};
    DiskSpaceReserve reserve = DiskSpaceReserve.open(disk, () -> wanted[0]);
    assertThat(reserve.ensure()).isTrue();
    wanted[0] = 21 << 20;
    assertThat(reserve.ensure()).isTrue();
    assertThat(length(disk)).as("less than twice too large").isEqualTo(40 << 20);
    wanted[0] = 10 << 20;
    assertThat(reserve.ensure()).isTrue();
    assertThat(length(disk)).as("four times too large").isEqualTo(10 << 20);
    wanted[0] = 1 << 20;
    assertThat(reserve.ensure()).isTrue();
    assertThat(length(disk)).as("small").isEqualTo(10 << 20);
  }

  private static long length(MemDisk disk) throws IOException {
    try (Disk.InputFile file = disk.open(FileKind.RESERVE.fileName(0))) {
      return file.length();
    }
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
