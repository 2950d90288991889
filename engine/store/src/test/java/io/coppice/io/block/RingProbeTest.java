// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.block;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.io.ChildJvm;
import io.coppice.io.RingProbeProcess;
import io.coppice.testing.Needs;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where rings cannot be had, a process finds that out and says why. */
class RingProbeTest {

  @TempDir private Path directory;

  @Test
  void aProcessWithoutNativeCodeReadsWithThePool() throws Exception {
    assertThat(lines(System.getProperty("java.class.path"), "-Dio.netty.transport.noNative=true"))
        .anySatisfy(line -> assertThat(line).contains("pool").contains("noNative"))
        .contains("read");
  }

  @Test
  void aProcessWithoutTheClassesOfRingsReadsWithThePool() throws Exception {
    assertThat(lines(without("netty-transport"), "-ea"))
        .anySatisfy(line -> assertThat(line).contains("pool").contains("IoUring"))
        .contains("read");
  }

  @Test
  void aProcessWithoutTheNativeCodeOfThisMachineReadsWithThePool() throws Exception {
    assertThat(lines(without("native-io_uring"), "-ea"))
        .anySatisfy(line -> assertThat(line).contains("pool").contains("skipped=ring:"))
        .contains("read");
  }

  @Test
  void aProcessThatHasAllOfItReadsWithTheRing() throws Exception {
    Needs.that(RingProbe.ofProcess().reason == null, RingProbe.ofProcess().reason);
    assertThat(lines(System.getProperty("java.class.path"), "-ea"))
        .anySatisfy(line -> assertThat(line).startsWith("ring most="))
        .contains("read");
  }

  private static String without(String name) {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .filter(entry -> !entry.contains(name))
        .collect(Collectors.joining(File.pathSeparator));
  }

  private List<String> lines(String classPath, String option)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        ChildJvm.builder(List.of(), RingProbeProcess.class, directory.toString());
    List<String> command = builder.command();
    int place = command.indexOf("-cp");
    command.set(place + 1, classPath);
    command.add(place, option);
    Process process = builder.start();
    List<String> lines;
    try (BufferedReader output = process.inputReader()) {
      lines = output.lines().toList();
    }
    assertThat(process.waitFor()).isZero();
    return lines;
  }
}
