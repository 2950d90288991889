// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.LongRun;
import io.coppice.testing.Needs;
import io.coppice.testing.Seeds;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a writing process with signal 9, again and again on one store, and looks for every write it
 * had acknowledged, synced or not: the system keeps what a process wrote. {@code -Dkills=N} sets
 * how often; the acknowledgements are kept here, outside the process.
 */
class StoreKillTest {

  private static final int KILLS = Integer.getInteger("kills", 20);
  private static final int MAX_WRITES = 5_000;
  private static final int LONGEST_MILLIS = 400;

  /** What a store asks of the system. Writes carry acknowledgements, too. */
  private static final List<String> CALLS =
      List.of("fsync", "write", "pwrite64", "rename", "unlink", "ftruncate", "openat", "close");

  private final long seed = Seeds.seed(7);
  private final Random random = Seeds.random(seed, 0);
  private final KilledWriter store = new KilledWriter();
  @TempDir Path directory;

  @Test
  void aKilledProcessLosesNoAcknowledgedWrite() throws Exception {
    LongRun run = new LongRun(getClass(), seed);
    int atWork = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      int millis = random.nextInt(LONGEST_MILLIS);
      boolean opening = kill % 4 == 3;
      long acknowledged =
          store.run(
              List.of(),
              directory,
              MAX_WRITES,
              (process, writing) -> {
                if (!opening) {
                  writing.await();
                }
                process.waitFor(millis, TimeUnit.MILLISECONDS);
                // Not by the Process itself, which would throw away what is still in the pipe.
                process.toHandle().destroyForcibly();
              });
      atWork += acknowledged > 0 ? 1 : 0;
      store.check(
          directory,
          false,
          String.format(
              "kill %d, %d ms after it %s; %s",
              kill, millis, opening ? "started" : "wrote", Seeds.replay(getClass(), seed)));
    }
    assertThat(atWork).as("kills of a process that had written").isGreaterThan(KILLS / 2);
    passed(run, "signal-9", KILLS, atWork);
  }

  @Test
  void aProcessKilledAtASystemCallLosesNoAcknowledgedWrite() throws Exception {
    String strace = Needs.program("strace").toString();
    Process probe =
        new ProcessBuilder(strace, "-f", "--seccomp-bpf", "-o", "/dev/null", "true").start();
    Needs.that(probe.waitFor() == 0, "strace may trace nothing here");
    LongRun run = new LongRun(getClass(), seed);
    int kills = KILLS / 2;
    int atWork = 0;
    for (int kill = 0; kill < kills; kill++) {
      String call = CALLS.get(kill % CALLS.size());
      int n = 1 + random.nextInt(1 << random.nextInt(9));
      List<String> command =
          List.of(
              strace,
              "-f",
              "--seccomp-bpf",
              "-qq",
              "-o",
              "/dev/null",
              "-e",
              "trace=" + call,
              "-e",
              "inject=" + call + ":signal=KILL:when=" + n);
      long acknowledged = store.run(command, directory, 300, (process, writing) -> {});
      atWork += acknowledged > 0 ? 1 : 0;
      store.check(
          directory, false, "kill at " + call + " " + n + "; " + Seeds.replay(getClass(), seed));
    }
    passed(run, "system-call", kills, atWork);
  }

  private void passed(LongRun run, String part, int kills, int atWork) {
    run.passed(
        part,
        Map.of(
            "kills",
            (long) kills,
            "at_work",
            (long) atWork,
            "acknowledged",
            store.total(),
            "lost",
            0L));
  }
}
