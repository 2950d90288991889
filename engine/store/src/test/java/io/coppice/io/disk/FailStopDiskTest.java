// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.DiskFullException;
import io.coppice.io.Disk;
import io.coppice.io.DiskContract;
import io.coppice.io.ErrorDisk;
import io.coppice.io.ErrorDisk.Fault;
import io.coppice.io.ErrorDisk.Operation;
import io.coppice.io.MemDisk;
import io.coppice.io.TooManyOpenFilesException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class FailStopDiskTest extends DiskContract {

  private final MemDisk memory = new MemDisk();
  private final ErrorDisk errors = new ErrorDisk(memory);

  @Override
  public Disk newDisk() throws IOException {
    return guarded();
  }

  private FailStopDisk guarded() throws IOException {
    return new FailStopDisk(errors, DiskSpaceReserve.open(memory, () -> 0));
  }

  @Test
  void afterAFailedSyncNothingChangesAnyMore() throws IOException {
    FailStopDisk disk = guarded();
    List<IOException> reported = new ArrayList<>();
    disk.onStop(reported::add);
    Disk.OutputFile file = disk.create("a");
    Disk.OutputFile other = disk.create("b");
    file.write(new byte[1], 0, 1);
    errors.fail(Operation.SYNC, 1, false);
    assertThatThrownBy(file::sync).hasMessageContaining(ErrorDisk.MESSAGE);
    for (Change change :
        List.<Change>of(
            file::sync,
            other::sync,
            () -> other.write(new byte[1], 0, 1),
            () -> other.truncate(0),
            disk::syncDirectory,
            () -> disk.create("c"),
            () -> disk.rename("a", "c"),
            () -> disk.delete("a"))) {
      assertThatThrownBy(change::make)
          .isInstanceOf(IOException.class)
          .hasMessageContaining("could not be synced")
          .hasMessageContaining(ErrorDisk.MESSAGE);
    }
    assertThat(reported).hasSize(1);
    assertThat(disk.list()).containsExactlyInAnyOrder("a", "b");
    try (Disk.InputFile read = disk.open("a")) {
      assertThat(read.length()).isEqualTo(1);
    }
  }

  private interface Change {
    void make() throws IOException;
  }

  @Test
  void aFullDiskIsNamedWithFigures() throws IOException {
    FailStopDisk disk = guarded();
    Disk.OutputFile file = disk.create("a");
    memory.capacity(10);
    assertThatThrownBy(() -> file.write(new byte[30], 0, 30))
        .isInstanceOfSatisfying(
            DiskFullException.class,
            e -> {
              assertThat(e.neededBytes()).isEqualTo(30);
              assertThat(e.freeBytes()).isEqualTo(10);
              assertThat(e).hasMessageContaining("a needs 30 bytes, 10 are free");
            });
    errors.fail(Fault.ENOSPC, 1, false);
    assertThatThrownBy(() -> disk.create("b")).isInstanceOf(DiskFullException.class);
    errors.fail(Fault.ENOSPC, Operation.RENAME, name -> true, 1);
    assertThatThrownBy(() -> disk.rename("a", "b"))
        .isInstanceOf(DiskFullException.class)
        .hasMessageContaining("b needs");
    disk.rename("a", "b");
    assertThat(disk.list()).containsExactly("b");
  }

  @Test
  void aLackOfDescriptorsIsNamed() throws IOException {
    FailStopDisk disk = guarded();
    disk.create("a").close();
    errors.fail(Fault.EMFILE, 1, true);
    for (Change change :
        List.<Change>of(
            () -> disk.create("b"),
            () -> disk.open("a"),
            () -> disk.map("a"),
            () -> disk.openSlots("a"))) {
      assertThatThrownBy(change::make)
          .isInstanceOf(TooManyOpenFilesException.class)
          .hasMessageContaining(Fault.EMFILE.message());
    }
  }

  @Test
  void theManifestGetsTheReserve() throws IOException {
    DiskSpaceReserve reserve = DiskSpaceReserve.open(memory, () -> 0);
    FailStopDisk disk = new FailStopDisk(memory, reserve);
    assertThat(reserve.ensure()).isTrue();
    Disk.OutputFile manifest = disk.create("000001.manifest");
    Disk.OutputFile log = disk.create("000002.wal");
    memory.capacity(DiskSpaceReserve.MIN_BYTES + 10);
    assertThatThrownBy(() -> log.write(new byte[30], 0, 30)).isInstanceOf(DiskFullException.class);
    assertThat(reserve.released()).isFalse();
    manifest.write(new byte[30], 0, 30);
    assertThat(reserve.released()).isTrue();
    assertThat(memory.bytes("000001.manifest")).hasSize(30);
    assertThat(reserve.ensure()).isFalse();
    memory.capacity(2 * DiskSpaceReserve.MIN_BYTES);
    assertThat(reserve.ensure()).isTrue();
    assertThat(reserve.released()).isFalse();
    assertThat(memory.list()).contains("RESERVE");
  }

  @Test
  void aReserveIsTakenOverAndGrows() throws IOException {
    DiskSpaceReserve.open(memory, () -> 0).ensure();
    long[] wanted = {0};
    DiskSpaceReserve reserve = DiskSpaceReserve.open(memory, () -> wanted[0]);
    reserve.ensure();
    assertThat(memory.bytes("RESERVE")).hasSize((int) DiskSpaceReserve.MIN_BYTES);
    wanted[0] = 3 * DiskSpaceReserve.MIN_BYTES;
    reserve.ensure();
    assertThat(memory.bytes("RESERVE")).hasSize(3 * (int) DiskSpaceReserve.MIN_BYTES);
    assertThat(reserve.release()).isTrue();
    assertThat(reserve.release()).isFalse();
    assertThat(memory.list()).isEmpty();
  }

  @Test
  void aDiskWithoutRoomForAReserveIsUsedWithoutOne() throws IOException {
    memory.capacity(100);
    DiskSpaceReserve reserve = DiskSpaceReserve.open(memory, () -> 0);
    assertThat(reserve.ensure()).isTrue();
    assertThat(reserve.released()).isFalse();
    assertThat(memory.list()).isEmpty();
  }
}
