// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.disk;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.io.PassingDisk;
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
    Seeds.forEachOfMany(
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

  /** Writers do not wait for a larger reserve on a disk with room. */
  @Test
  void aNewSizeStopsWritersOnlyWhereSpaceIsScarce() {
    Seeds.forEachOfMany(
        CASES,
        random -> {
          MemDisk disk = new MemDisk();
          long[] wanted = {64 << 10};
          boolean[] releasedMeanwhile = new boolean[1];
          DiskSpaceReserve[] reserve = new DiskSpaceReserve[1];
          Disk watched =
              new CreatingDisk(
                  disk, () -> releasedMeanwhile[0] = reserve[0] != null && reserve[0].released());
          reserve[0] = DiskSpaceReserve.open(watched, () -> wanted[0]);
          assertThat(reserve[0].ensure()).isTrue();
          wanted[0] = 256 << 10;
          long free = (192 << 10) + random.nextInt(512 << 10);
          leaveFree(disk, free);
          boolean made = reserve[0].ensure() && length(disk) == wanted[0];
          assertThat(made).isEqualTo(free + (64 << 10) - wanted[0] >= wanted[0] / 4);
          assertThat(releasedMeanwhile[0]).isEqualTo(made && free < wanted[0]);
          assertThat(reserve[0].released()).isFalse();
        });
  }

  /** A lack of descriptors, for example, must not look like a lack of space. */
  @Test
  void onlyALackOfSpaceKeepsTheReserveReleased() {
    Seeds.forEachOfMany(
        CASES,
        random -> {
          MemDisk disk = new MemDisk();
          String[] failure = new String[1];
          Disk failing =
              new CreatingDisk(
                  disk,
                  () -> {
                    if (failure[0] != null) {
                      throw new IOException(failure[0]);
                    }
                  });
          long[] wanted = {64 << 10};
          DiskSpaceReserve reserve = DiskSpaceReserve.open(failing, () -> wanted[0]);
          assertThat(reserve.ensure()).isTrue();
          if (random.nextBoolean()) {
            assertThat(reserve.release()).isTrue();
          }
          disk.capacity(1 << 30);
          wanted[0] = 256 << 10;
          boolean full = random.nextBoolean();
          failure[0] = full ? "Disk quota exceeded" : "Too many open files";
          reserve.ensureAfterWork();
          assertThat(reserve.released()).isEqualTo(full);
          failure[0] = null;
          assertThat(reserve.ensure()).isTrue();
          assertThat(length(disk)).isEqualTo(wanted[0]);
        });
  }

  /** The part of a new reserve that was written before a failure is no lack of space. */
  @Test
  void aFailureLateInTheFileIsNoLackOfSpace() throws IOException {
    MemDisk disk = new MemDisk();
    boolean[] fails = new boolean[1];
    Disk failing =
        new PassingDisk(disk) {
          @Override
          public OutputFile create(String name) throws IOException {
            return new PassingOutput(super.create(name)) {
              @Override
              public void write(byte[] bytes, int offset, int length) throws IOException {
                if (fails[0] && position() >= 192 << 10) {
                  throw new IOException("Input/output error");
                }
                super.write(bytes, offset, length);
              }
            };
          }
        };
    DiskSpaceReserve reserve = DiskSpaceReserve.open(failing, () -> 256 << 10);
    assertThat(reserve.ensure()).isTrue();
    assertThat(reserve.release()).isTrue();
    leaveFree(disk, 330 << 10);
    fails[0] = true;
    reserve.ensureAfterWork();
    assertThat(reserve.released()).isFalse();
    assertThat(disk.list()).isEmpty();
    fails[0] = false;
    assertThat(reserve.ensure()).isTrue();
    assertThat(length(disk)).isEqualTo(256 << 10);
  }

  /** Hook that runs before each creation of a file. */
  private interface Creation {
    void begins() throws IOException;
  }

  private static final class CreatingDisk extends PassingDisk {
    private final Creation creation;

    CreatingDisk(Disk disk, Creation creation) {
      super(disk);
      this.creation = creation;
    }

    @Override
    public OutputFile create(String name) throws IOException {
      creation.begins();
      return super.create(name);
    }
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
