// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.LongRun;
import io.coppice.cassandra.node.KillSteps;
import io.coppice.cassandra.node.NodeFiles;
import io.coppice.cassandra.node.OnJdk17;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/**
 * The packaged jar in a node that is killed, by the operating system and at random moments, amid
 * merges that clean early; again and again over one directory. Each life finds every row as it was
 * written, none lost, none stale, none come back, and a log without complaints. {@code -Dkills=}
 * says how often.
 */
@OnJdk17
final class ChainKillIT {

  private static final long SEED = Long.getLong("seed", 20261121L);
  private static final int KILLS = Integer.getInteger("kills", 5);
  private static final int MOST_MILLIS_OF_MERGING = 2000;
  private static final long MOST_SECONDS = 300;
  private static final int KEPT_LINES = 60;

  private final NodeFiles files = NodeFiles.fresh("chain-kill", 1);
  private final Random random = new Random(SEED);
  private final Deque<String> lastLines = new ArrayDeque<>();
  private int waves;

  @Test
  void noKillAmidAMergeLosesARowOrBringsOneBack() throws Exception {
    LongRun run = new LongRun(ChainKillIT.class, SEED);
    long amid = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      liveAndKill(kill);
      amid += Math.min(1, transactionLogs());
    }
    long steps = steps();
    Process last = start(true);
    read(last);
    assertThat(last.waitFor(MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(last.exitValue()).as("the last life, seed " + SEED + ": " + lastLines).isZero();
    assertThat(amid).as("kills that cut a step off").isPositive();
    assertThat(steps).as("steps that were committed").isGreaterThan(KILLS);
    run.passed(
        "kills", Map.of("kills", (long) KILLS, "amid_a_step", amid, "steps", steps, "wrong", 0L));
  }

  private void liveAndKill(int kill) throws Exception {
    Process node = start(false);
    try (BufferedReader lines = reader(node)) {
      boolean merging = false;
      while (!merging) {
        String line = lines.readLine();
        assertThat(line)
            .as("life " + kill + ", waves " + waves + ", seed " + SEED + ": " + lastLines)
            .isNotNull();
        keep(line);
        if (line.startsWith(KillSteps.WAVES)) {
          waves = Integer.parseInt(line.substring(KillSteps.WAVES.length()));
        }
        merging = line.equals(KillSteps.MERGING);
      }
      LockSupport.parkNanos(Duration.ofMillis(random.nextInt(MOST_MILLIS_OF_MERGING)).toNanos());
      assertThat(node.isAlive()).as("life " + kill + " still merges: " + lastLines).isTrue();
    } finally {
      node.destroyForcibly();
    }
    assertThat(node.waitFor(MOST_SECONDS, TimeUnit.SECONDS)).isTrue();
  }

  private Process start(boolean last) throws IOException {
    List<String> arguments =
        List.of(
            files.home().toString(),
            Long.toString(SEED),
            Integer.toString(waves),
            Boolean.toString(last));
    return ChildNode.of(files, true, KillSteps.class, arguments).start();
  }

  private void read(Process process) throws IOException {
    try (BufferedReader lines = reader(process)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        keep(line);
      }
    }
  }

  private static BufferedReader reader(Process process) {
    return new BufferedReader(
        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  private void keep(String line) {
    lastLines.add(line);
    if (lastLines.size() > KEPT_LINES) {
      lastLines.remove();
    }
  }

  private long transactionLogs() throws IOException {
    long logs = 0;
    for (Path directory : files.data().toList()) {
      try (var found = Files.walk(directory.resolve("ks"))) {
        logs +=
            found
                .filter(file -> file.getFileName().toString().contains("_txn_compaction_"))
                .count();
      }
    }
    return logs;
  }

  private long steps() throws IOException {
    try (var lines = Files.lines(files.log())) {
      return lines.filter(line -> line.contains("ks.t: step ")).count();
    }
  }
}
