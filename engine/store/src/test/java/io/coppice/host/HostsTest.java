// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.io.ChildJvm;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/** Stores where others live too: beside another copy of the engine, and in a small container. */
class HostsTest {

  private static final long MIB = 1 << 20;

  @TempDir Path directory;

  @Test
  void twoClassLoadersHaveStoresOfTheirOwnAndKeepOutOfEachOthers() throws Exception {
    Process process = ChildJvm.start(TwoLoaders.class, directory.toString());
    assertThat(process.inputReader().lines())
        .containsExactly(
            "two copies",
            "open",
            "LockedException",
            "open",
            "3000 keys",
            "3000 keys",
            "closed",
            "3000 keys",
            "closed",
            "open",
            "3000 keys",
            "closed");
    assertThat(process.waitFor()).isZero();
  }

  /** With what the JVM makes of such a container, and no option of the store. */
  @Test
  @EnabledIfSystemProperty(named = "os.name", matches = "Linux")
  void aContainerOf256MebibytesWithOneProcessorIsEnough() throws Exception {
    ProcessBuilder builder =
        ChildJvm.builder(List.of(), SmallHost.class, directory.resolve("store").toString());
    builder.command().addAll(1, List.of("-XX:MaxRAM=256m", "-XX:ActiveProcessorCount=1"));
    Process process = builder.start();
    List<String> lines = process.inputReader().lines().toList();
    assertThat(process.waitFor()).isZero();
    assertThat(lines).hasSize(2).startsWith("200000 keys");
    long peak = Long.parseLong(lines.get(1).replaceAll("\\D", "")) << 10;
    assertThat(peak).as("bytes in memory at most").isBetween(32 * MIB, 256 * MIB);
  }
}
