// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.disk;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HostMemoryTest {

  private static final long MIB = 1L << 20;

  @TempDir Path root;

  private void write(String file, String text) throws IOException {
    Path path = root.resolve(file);
    Files.createDirectories(path.getParent());
    Files.writeString(path, text);
  }

  @Test
  void theLimitIsTheLeastOfMachineAndGroupsOfVersionTwo() throws IOException {
    write("proc/meminfo", "MemTotal:       24000000 kB\nMemFree: 1 kB\n");
    assertThat(HostMemory.limitBytes(root)).isEqualTo(24_000_000L * 1024);
    write("proc/self/cgroup", "0::/outer/inner\n");
    write("sys/fs/cgroup/outer/inner/memory.max", "max\n");
    assertThat(HostMemory.limitBytes(root)).isEqualTo(24_000_000L * 1024);
    write("sys/fs/cgroup/outer/memory.max", "" + 512 * MIB + "\n");
    assertThat(HostMemory.limitBytes(root)).isEqualTo(512 * MIB);
    write("sys/fs/cgroup/outer/inner/memory.max", "" + 256 * MIB + "\n");
    assertThat(HostMemory.limitBytes(root)).isEqualTo(256 * MIB);
  }

  @Test
  void inAContainerTheGroupIsTheMountItself() throws IOException {
    write("proc/self/cgroup", "0::/\n");
    write("sys/fs/cgroup/memory.max", "" + 512 * MIB + "\n");
    assertThat(HostMemory.limitBytes(root)).isEqualTo(512 * MIB);
    write("proc/self/cgroup", "9:cpu,cpuacct:/x\n4:memory:/docker/0123abcd\n0::/\n");
    write("sys/fs/cgroup/memory.max", "max\n");
    write("sys/fs/cgroup/memory/memory.limit_in_bytes", "" + 300 * MIB + "\n");
    assertThat(HostMemory.limitBytes(root)).isEqualTo(300 * MIB);
  }

  @Test
  void versionOneSaysNoLimitByALargeNumber() throws IOException {
    write("proc/meminfo", "MemTotal: 1048576 kB\n");
    write("proc/self/cgroup", "4:memory:/a/b\n");
    write("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", "9223372036854771712\n");
    assertThat(HostMemory.limitBytes(root)).isEqualTo(1024 * MIB);
    write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "" + 100 * MIB + "\n");
    assertThat(HostMemory.limitBytes(root)).isEqualTo(100 * MIB);
  }

  @Test
  void whatCannotBeReadIsNoLimit() throws IOException {
    assertThat(HostMemory.limitBytes(root)).isEqualTo(HostMemory.UNKNOWN);
    write("proc/meminfo", "MemTotal: much\n");
    write("proc/self/cgroup", "nonsense\n0::/../../etc\n4:memory:/a\n");
    write("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "\n");
    assertThat(HostMemory.limitBytes(root)).isEqualTo(HostMemory.UNKNOWN);
  }

  @Test
  void theBudgetIsAQuarterOfWhatTheHeapLeaves() {
    assertThat(new HostMemory(2048 * MIB, 1024 * MIB, 1024 * MIB).budgetBytes())
        .isEqualTo(256 * MIB);
    assertThat(new HostMemory(64 * 1024 * MIB, 1024 * MIB, 1024 * MIB).budgetBytes())
        .isEqualTo(1024 * MIB);
    assertThat(new HostMemory(HostMemory.UNKNOWN, 1024 * MIB, 1024 * MIB).budgetBytes())
        .isEqualTo(256 * MIB);
    assertThat(new HostMemory(512 * MIB, 1024 * MIB, 1024 * MIB).budgetBytes())
        .isEqualTo(HostMemory.MIN_BUDGET_BYTES);
    assertThat(new HostMemory(2048 * MIB, 1024 * MIB, 1).budgetBytes())
        .isEqualTo(HostMemory.MIN_BUDGET_BYTES);
  }

  @Test
  void thisProcessHasLimits() {
    HostMemory memory = HostMemory.ofProcess();
    assertThat(memory.heapBytes()).isEqualTo(Runtime.getRuntime().maxMemory());
    assertThat(memory.directBytes()).isPositive();
    assertThat(HostMemory.budgetOfProcess().capacityBytes()).isEqualTo(memory.budgetBytes());
  }
}
