// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.io.ErrorDisk.Operation;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class ErrorDiskTest extends DiskContract {

  private final MemDisk memory = new MemDisk();
  private final ErrorDisk disk = new ErrorDisk(memory);

  @Override
  Disk newDisk() {
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
}
