// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.LockedException;
import io.coppice.io.ChildJvm;
import io.coppice.io.FileKind;
import io.coppice.io.LockProbe;
import io.coppice.testing.Needs;
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
  void aFullDiskHasNoRoomForTheHoldersNameAndKeepsNobodyOut() throws Exception {
    Path small = Files.createDirectory(directory.resolve("small"));
    String problem = run("mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", small.toString());
    Needs.that(problem.isEmpty(), "no file system can be mounted: " + problem.strip());
    try {
      Files.createFile(small.resolve("LOCK"));
      assertThatThrownBy(
              () -> Files.write(small.resolve(FileKind.TABLE.fileName(1)), new byte[1 << 20]))
          .isInstanceOf(IOException.class);
      try (RealDisk first = RealDisk.open(small)) {
        assertThat(first.list()).containsExactly(FileKind.TABLE.fileName(1));
        Process other = ChildJvm.start(LockProbe.class, small.toString());
        assertThat(firstLine(other)).contains("held by an unknown process");
        assertThat(other.waitFor()).isZero();
      }
    } finally {
      assertThat(run("umount", small.toString())).isEmpty();
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

  private static String run(String... command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    return process.waitFor() == 0 ? "" : output + " ";
  }

  private static String firstLine(Process process) throws IOException {
    BufferedReader reader = process.inputReader(StandardCharsets.UTF_8);
    return reader.readLine();
  }
}
