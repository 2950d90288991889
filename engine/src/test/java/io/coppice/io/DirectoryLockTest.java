// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.LockedException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DirectoryLockTest {

  private static final String OWN_PID = "process " + ProcessHandle.current().pid();

  @TempDir private Path directory;

  @Test
  void aSecondOpenInTheSameProcessIsToldWhoHoldsIt() throws IOException {
    RealDisk first = RealDisk.open(directory);
    assertThatThrownBy(() -> RealDisk.open(directory))
        .isInstanceOf(LockedException.class)
        .hasMessageContaining(directory.toRealPath().toString())
        .hasMessageContaining(OWN_PID);
    first.close();
    first.close();
    RealDisk.open(directory).close();
  }

  @Test
  void anotherPathToTheSameDirectoryIsTheSameDirectory() throws IOException {
    Path link = directory.resolve("link");
    Path target = Files.createDirectory(directory.resolve("target"));
    Files.createSymbolicLink(link, target);
    try (RealDisk first = RealDisk.open(target)) {
      assertThat(first.list()).isEmpty();
      assertThatThrownBy(() -> RealDisk.open(link)).isInstanceOf(LockedException.class);
    }
  }

  @Test
  void aSecondProcessIsToldWhoHoldsIt() throws Exception {
    try (RealDisk first = RealDisk.open(directory)) {
      Process other = startProbe();
      assertThat(firstLine(other)).contains(first.describe()).contains(OWN_PID);
      assertThat(other.waitFor()).isZero();
    }
  }

  @Test
  void aFailedOpenDoesNotWeakenTheLock() throws Exception {
    try (RealDisk first = RealDisk.open(directory)) {
      assertThatThrownBy(() -> RealDisk.open(directory)).isInstanceOf(LockedException.class);
      Process other = startProbe();
      assertThat(firstLine(other)).contains("held by " + OWN_PID);
      assertThat(other.waitFor()).isZero();
      assertThat(first.list()).isEmpty();
    }
  }

  @Test
  void noBitOfTheLockFileMatters() throws IOException {
    RealDisk.open(directory).close();
    Path lock = directory.resolve("LOCK");
    byte[] bytes = Files.readAllBytes(lock);
    assertThat(bytes).isNotEmpty();
    for (int bit = 0; bit < 8 * bytes.length; bit++) {
      byte[] flipped = bytes.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(lock, flipped);
      RealDisk.openForReading(directory).close();
      RealDisk.open(directory).close();
    }
  }

  @Test
  void aKilledProcessHoldsNothing() throws Exception {
    Process other = startProbe();
    assertThat(firstLine(other)).startsWith("open");
    assertThatThrownBy(() -> RealDisk.open(directory))
        .isInstanceOf(LockedException.class)
        .hasMessageContaining("process " + other.pid());
    other.destroyForcibly().waitFor();
    RealDisk.open(directory).close();
  }

  @Test
  void anInterruptedThreadOpensAndStaysInterrupted() throws IOException {
    Thread.currentThread().interrupt();
    RealDisk disk = RealDisk.open(directory);
    assertThat(Thread.interrupted()).isTrue();
    disk.close();
  }

  private Process startProbe() throws IOException {
    return ChildJvm.start(LockProbe.class, directory.toString());
  }

  private static String firstLine(Process process) throws IOException {
    BufferedReader reader = process.inputReader(StandardCharsets.UTF_8);
    return reader.readLine();
  }
}
