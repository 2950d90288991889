// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.coppice.testing.ExporterRules;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code docker/monitoring/check.sh} with stubs in place of Java, Maven and Prometheus. */
final class MonitoringScriptTest {

  private static final long PATIENCE_SECONDS = 60;
  private static final List<String> COMMANDS =
      List.of("bash", "dirname", "mktemp", "rm", "sleep", "echo");

  @TempDir Path directory;

  private Path bin;
  private Path script;

  @BeforeEach
  void makeStubs() throws IOException {
    bin = Files.createDirectory(directory.resolve("bin"));
    for (String command : COMMANDS) {
      Path found = Path.of("/usr/bin", command);
      Files.createSymbolicLink(
          bin.resolve(command), Files.exists(found) ? found : Path.of("/bin", command));
    }
    for (String name : List.of("mvn", "prometheus", "promtool")) {
      stub(name, "exit 0");
    }
    Path kit = Files.createDirectories(directory.resolve("root/docker/monitoring"));
    script = Files.copy(ExporterRules.KIT.resolve("check.sh"), kit.resolve("check.sh"));
    Path jar = directory.resolve("root/jmh/target/coppice-bench.jar");
    Files.createDirectories(jar.getParent());
    Files.createFile(jar);
    Files.createDirectory(directory.resolve("tmp"));
  }

  private void stub(String name, String body) throws IOException {
    Path file = Files.writeString(bin.resolve(name), "#!/bin/bash\n" + body + "\n");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private Process start() throws IOException {
    return start(Map.of());
  }

  private Process start(Map<String, String> environment) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(bin.resolve("bash").toString(), script.toString());
    builder.environment().putAll(environment);
    builder.environment().put("PATH", bin.toString());
    builder.environment().put("TMPDIR", directory.resolve("tmp").toString());
    return builder
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("printed").toFile())
        .start();
  }

  private void assertEnds(Process process, int code) throws Exception {
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue())
        .as(Files.readString(directory.resolve("printed")))
        .isEqualTo(code);
    try (var left = Files.list(directory.resolve("tmp"))) {
      assertThat(left).isEmpty();
    }
  }

  @ParameterizedTest
  @CsvSource({"HUP, 129", "INT, 130", "TERM, 143"})
  void aSignalEndsTheCheckWithAllItsProcesses(String signal, int code) throws Exception {
    assumeFalse(isIgnored(signal), "this JVM was started with SIG" + signal + " ignored");
    // exec, so that the number is that of the process which must end.
    Path number = directory.resolve("number");
    stub(
        "java",
        "echo $$ > " + number + ".part; mv " + number + ".part " + number + "; exec sleep 600");
    Files.createSymbolicLink(bin.resolve("mv"), Path.of("/bin/mv"));
    Process process = start();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
    while (!Files.exists(number)) {
      assertThat(System.nanoTime() < end && process.isAlive()).isTrue();
      LockSupport.parkNanos(10_000_000);
    }
    ProcessHandle child =
        ProcessHandle.of(Long.parseLong(Files.readString(number).trim())).orElseThrow();
    new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid())).start().waitFor();
    assertEnds(process, code);
    assertThat(child.isAlive()).isFalse();
  }

  @Test
  void aSignalRightAfterTheStartOfAProcessEndsThatToo() throws Exception {
    stub("java", "exit 0");
    stub("promtool", "exec sleep 600");
    Path number = directory.resolve("number");
    Path hook =
        Files.writeString(
            directory.resolve("hook"),
            """
            unset BASH_ENV
            set -T
            trap 'if [ -n "${!:-}" ]; then trap - DEBUG; echo $! > %s; kill -TERM $$; fi' DEBUG
            """
                .formatted(number));
    assertEnds(start(Map.of("BASH_ENV", hook.toString())), 143);
    var child = ProcessHandle.of(Long.parseLong(Files.readString(number).trim()));
    boolean alive = child.filter(ProcessHandle::isAlive).isPresent();
    child.ifPresent(ProcessHandle::destroyForcibly);
    assertThat(alive).isFalse();
  }

  /** A shell cannot handle a signal that its parent ignored, as shells do for background jobs. */
  private static boolean isIgnored(String signal) throws IOException {
    int number = Map.of("HUP", 1, "INT", 2, "TERM", 15).get(signal);
    Path status = Path.of("/proc/self/status");
    return Files.exists(status)
        && Files.readAllLines(status).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .mapToLong(line -> Long.parseUnsignedLong(line.substring(7).trim(), 16))
            .anyMatch(ignored -> (ignored >>> (number - 1) & 1) == 1);
  }

  @ParameterizedTest
  @CsvSource({"0", "1"})
  void theExitCodeIsThatOfTheCheck(int code) throws Exception {
    stub("java", "exit " + code);
    assertEnds(start(), code);
  }

  @Test
  void aMissingToolIsNoSuccess() throws Exception {
    stub("java", "exit 0");
    Files.delete(bin.resolve("promtool"));
    assertEnds(start(), 77);
    assertThat(directory.resolve("printed")).content().isEqualTo("SKIPPED: there is no promtool\n");
  }
}
