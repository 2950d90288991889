// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.bench.BenchMain;
import io.coppice.bench.JavaProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DataAtExitTest {

  private static final long MAX_SECONDS = 300;

  @TempDir private Path directory;

  private Process start(Class<?> main, String... arguments) throws IOException {
    String classPath = System.getProperty("java.class.path");
    ProcessBuilder process = JavaProcess.of(directory, "-cp", classPath, main.getName());
    process.command().addAll(List.of(arguments));
    return process.redirectOutput(directory.resolve("told.txt").toFile()).start();
  }

  /** Ends the process once something is in its directory of data; returns its exit code. */
  private int interrupt(Process process, Path data) throws Exception {
    for (int i = 0; i < MAX_SECONDS * 20 && process.isAlive() && empty(data); i++) {
      TimeUnit.MILLISECONDS.sleep(50);
    }
    assertThat(empty(data)).as(output()).isFalse();
    List<ProcessHandle> children = process.descendants().toList();
    process.destroy();
    assertThat(process.waitFor(MAX_SECONDS, TimeUnit.SECONDS)).as(output()).isTrue();
    assertThat(children).noneMatch(ProcessHandle::isAlive);
    return process.exitValue();
  }

  private static boolean empty(Path data) {
    String[] files = data.toFile().list();
    return files == null || files.length == 0;
  }

  private String output() throws IOException {
    return Files.readString(directory.resolve("told.txt"), StandardCharsets.UTF_8);
  }

  @Test
  void aRunThatIsInterruptedLeavesNoDataAndDoesNotEndWell() throws Exception {
    Path bench = directory.resolve("target/bench");
    Process process = start(BenchMain.class, "bench", "--benchmarks=fillrandom", "--num=5000000");
    assertThat(interrupt(process, bench.resolve("data-0"))).isNotZero();
    assertThat(bench.resolve("data-0")).doesNotExist();
    assertThat(bench.resolve("engine.json")).doesNotExist();
  }

  /** Writes into its directory between processes, until it is ended. */
  static final class Busy {

    private Busy() {}

    /** Argument: the directory. */
    public static void main(String[] args) throws Exception {
      Path data = Path.of(args[0]);
      DataAtExit leftover = DataAtExit.of(data);
      try {
        Files.createDirectories(data);
        Files.createFile(data.resolve("copied"));
        boolean over = new CountDownLatch(1).await(MAX_SECONDS, TimeUnit.SECONDS);
        assertThat(over).as("nobody ends it but the test").isFalse();
      } finally {
        leftover.remove();
      }
    }
  }

  @Test
  void dataBetweenProcessesAreRemovedToo() throws Exception {
    Path data = directory.resolve("data");
    Process process = start(Busy.class, data.toString());
    assertThat(interrupt(process, data)).isNotZero();
    assertThat(data).doesNotExist();
  }

  @Test
  void aRunThatEndsRemovesItsDataItself() throws Exception {
    Path data = Files.createDirectories(directory.resolve("data"));
    DataAtExit leftover = DataAtExit.of(data);
    Files.createFile(data.resolve("file"));
    leftover.remove();
    assertThat(data).doesNotExist();
  }
}
