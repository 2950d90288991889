// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.io.ErrorDisk.Fault;
import io.coppice.io.ErrorDisk.Operation;
import java.io.EOFException;
import java.io.IOException;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ErrorDiskTest extends DiskContract {

  private final MemDisk memory = new MemDisk();
  private final ErrorDisk disk = new ErrorDisk(memory);

  @Override
  public Disk newDisk() {
    return disk;
  }

  @Test
  void theNthOperationFailsOnceOrForEver() throws IOException {
    disk.fail(Operation.CREATE, 2, false);
    disk.create("a").close();
    assertThat(disk.fired()).isFalse();
    assertThatThrownBy(() -> disk.create("b"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(ErrorDisk.MESSAGE);
    assertThat(disk.fired()).isTrue();
    disk.create("c").close();
    assertThat(disk.count(Operation.CREATE)).isEqualTo(3);
    disk.fail(Operation.DELETE, name -> name.equals("c"), 1, true);
    disk.delete("a");
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> disk.delete("c")).isInstanceOf(IOException.class);
    }
    disk.heal();
    disk.delete("c");
    assertThat(memory.list()).isEmpty();
  }

  @Test
  void aFailedWriteLeavesHalf() throws IOException {
    disk.fail(Operation.WRITE, 1, false);
    try (Disk.OutputFile file = disk.create("a")) {
      assertThatThrownBy(() -> file.write(new byte[10], 0, 10)).isInstanceOf(IOException.class);
    }
    assertThat(memory.bytes("a")).hasSize(5);
  }

  @Test
  void aShortTransferMovesSomeBytesAndNeverAll() throws IOException {
    byte[] bytes = new byte[10];
    Arrays.fill(bytes, (byte) 1);
    Set<Integer> lengths = new TreeSet<>();
    for (int n = 1; n <= 200; n++) {
      String name = "f" + n;
      try (Disk.OutputFile file = disk.create(name)) {
        disk.fail(Fault.SHORT, 1, true);
        assertThatThrownBy(() -> file.write(bytes, 0, 10)).hasMessageContaining("only a part");
        disk.heal();
      }
      lengths.add(memory.bytes(name).length);
    }
    assertThat(lengths).containsExactly(1, 2, 3, 4, 5, 6, 7, 8, 9);
  }

  @Test
  void aFailingReadLeavesGarbageInItsTarget() throws IOException {
    try (Disk.OutputFile file = disk.create("a")) {
      file.write(new byte[10], 0, 10);
    }
    byte[] target = new byte[10];
    try (Disk.InputFile file = disk.open("a")) {
      disk.fail(Fault.SHORT, 1, false);
      assertThatThrownBy(() -> file.read(0, target, 0, 10)).isInstanceOf(EOFException.class);
    }
    assertThat(target).startsWith(0).endsWith(0x5A);
  }
}
