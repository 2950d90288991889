// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The contract in memory, and what is found there after a crash. */
class MemDiskTest extends DiskContract {

  @Override
  public Disk newDisk() {
    return new MemDisk();
  }

  @Test
  void aCrashLosesWhatWasNotSynced() throws IOException {
    MemDisk disk = new MemDisk();
    Disk.OutputFile file = disk.create("a");
    file.write(new byte[] {1, 2}, 0, 2);
    assertThat(disk.crash().list()).isEmpty();
    disk.syncDirectory();
    assertThat(disk.crash().bytes("a")).isEmpty();
    file.sync();
    file.write(new byte[] {3}, 0, 1);
    assertThat(disk.crash().bytes("a")).containsExactly(1, 2);
    assertThat(disk.kill().bytes("a")).containsExactly(1, 2, 3);
    assertThat(disk.kill().crash().bytes("a")).containsExactly(1, 2);
  }

  @Test
  void aRenameIsLostWithoutASyncOfTheDirectory() throws IOException {
    MemDisk disk = new MemDisk();
    disk.setBytes("a", new byte[] {1});
    disk.setBytes("b", new byte[] {2});
    disk.rename("a", "b");
    assertThat(disk.crash().bytes("b")).containsExactly(2);
    disk.syncDirectory();
    assertThat(disk.crash().list()).containsExactly("b");
    assertThat(disk.crash().bytes("b")).containsExactly(1);
  }

  @Test
  void aTornCrashKeepsWhatWasSyncedAndMixesTheRest() throws IOException {
    MemDisk disk = new MemDisk();
    Disk.OutputFile file = disk.create("a");
    byte[] ones = new byte[5_000];
    Arrays.fill(ones, (byte) 1);
    file.write(ones, 0, 1_000);
    file.sync();
    disk.syncDirectory();
    file.write(ones, 0, 4_000);
    boolean hole = false;
    boolean shorter = false;
    for (int seed = 0; seed < 100; seed++) {
      byte[] found = disk.crash(new Random(seed)).bytes("a");
      assertThat(found.length).as("seed " + seed).isBetween(1_000, 5_000);
      shorter |= found.length < 5_000;
      for (int i = 0; i < found.length; i++) {
        hole |= found[i] == 0;
        assertThat(found[i] == 1 || i >= 1_000).as("seed %d, byte %d", seed, i).isTrue();
      }
    }
    assertThat(hole && shorter).isTrue();
  }

  @Test
  void aFullDiskTakesNothingMore() throws IOException {
    MemDisk disk = new MemDisk().capacity(3);
    Disk.OutputFile file = disk.create("a");
    file.write(new byte[2], 0, 2);
    assertThatThrownBy(() -> file.write(new byte[2], 0, 2))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("No space left");
    assertThat(disk.freeBytes()).isEqualTo(1);
  }

  @Test
  void aCutIsLostUnlessItIsSynced() throws IOException {
    MemDisk disk = new MemDisk();
    Disk.OutputFile file = disk.create("a");
    file.write(new byte[] {1, 2, 3}, 0, 3);
    file.sync();
    disk.syncDirectory();
    file.truncate(1);
    assertThat(disk.crash().bytes("a")).containsExactly(1, 2, 3);
    for (int seed = 0; seed < 20; seed++) {
      byte[] found = disk.crash(new Random(seed)).bytes("a");
      assertThat(found).isEqualTo(Arrays.copyOf(new byte[] {1, 2, 3}, found.length));
    }
    file.write(new byte[] {4}, 0, 1);
    file.sync();
    assertThat(disk.crash().bytes("a")).containsExactly(1, 4);
  }

  @Test
  void whatAFailedSyncLostIsLostForLaterSyncsToo() throws IOException {
    MemDisk memory = new MemDisk();
    ErrorDisk disk = new ErrorDisk(memory);
    Disk.OutputFile file = disk.create("a");
    disk.syncDirectory();
    file.write(new byte[] {1, 2}, 0, 2);
    disk.fail(ErrorDisk.Operation.SYNC, 1, false);
    assertThatThrownBy(file::sync).isInstanceOf(IOException.class);
    file.write(new byte[] {3}, 0, 1);
    file.sync();
    assertThat(memory.kill().bytes("a")).containsExactly(1, 2, 3);
    assertThat(memory.crash().bytes("a")).containsExactly(0, 0, 3);
  }
}
