// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.cassandra.ChildNode;
import io.coppice.cassandra.node.KillSteps;
import io.coppice.cassandra.node.NodeFiles;
import io.coppice.cassandra.node.OnJdk17;
import io.coppice.cassandra.node.Variety;
import io.coppice.testing.LongRun;
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
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The packaged jar in a node that is killed, by the operating system and at random moments, amid
 * merges that clean early; again and again over one directory. Each life finds every row as it was
 * written, none lost, none stale, none come back, and a log without complaints.
 *
 * <p>{@code -Dkills=} says how often. After every {@value #LIVES} kills a node is let live to the
 * end of its merges, and the next begins with nothing, another strategy and another {@link
 * Variety}; the first has all of that, the second is plain, and {@code -Dcoppice.node=} fixes it.
 * Of ten nodes five bound the space that merges may take so that they must take fewer runs.
 */
@OnJdk17
final class SteppedMergeKillIT {

  private static final long SEED = Long.getLong("seed", 20261129L);
  private static final int KILLS = Integer.getInteger("kills", 5);
  private static final int LIVES = 20;

  // Soon the first node ends by itself, whose classes make those after it start faster.
  private static final int FIRST_LIVES = 5;
  private static final int MAX_MILLIS_OF_MERGING = 1500;
  private static final long MAX_SECONDS = 300;
  private static final int KEPT_LINES = 60;

  // Lines of a node's log: a step is committed, a merge takes fewer runs.
  private static final Pattern STEP = Pattern.compile(" Step \\d+ of merge \\S+ of ks\\.[tc] ");
  private static final Pattern ROUND = Pattern.compile(" ks\\.[tc]: merge \\S+ takes ");

  private final Random random = new Random(SEED);
  private final Deque<String> lastLines = new ArrayDeque<>();
  private long kills;
  private long amid;
  private long steps;
  private long rounds;

  @Test
  void noKillAmidAMergeLosesARowOrBringsOneBack() throws Exception {
    LongRun run = new LongRun(SteppedMergeKillIT.class, SEED);
    for (int i = 0; kills < KILLS; i++) {
      int lives = i == 0 ? FIRST_LIVES : LIVES;
      new OneDirectory(SEED + i, variety(i)).live((int) Math.min(lives, KILLS - kills));
    }
    assertThat(amid).as("kills that cut a step off").isPositive();
    assertThat(steps).as("steps that were committed").isGreaterThan(KILLS);
    run.passed(
        "kills",
        Map.of("kills", kills, "amid_a_step", amid, "steps", steps, "rounds", rounds, "wrong", 0L));
  }

  private static Variety variety(int number) {
    Variety usual =
        switch (number) {
          case 0 -> Variety.FULL;
          case 1 -> Variety.PLAIN;
          default -> Variety.any(new Random(SEED + number));
        };
    return Variety.chosenOr(usual);
  }

  /** The lives of a node over one directory, and its end. */
  private final class OneDirectory {

    private final long seed;
    private final Variety variety;
    private final NodeFiles files;
    private int waves;
    private long roundsBefore;

    OneDirectory(long seed, Variety variety) {
      this.seed = seed;
      this.variety = variety;
      this.files = NodeFiles.fresh("chain-kill", 1, variety);
    }

    private String named() {
      return "seed " + seed + ", " + variety + ", " + KillSteps.compaction(seed);
    }

    void live(int lives) throws Exception {
      Killed before = null;
      for (int life = 0; life < lives; life++) {
        before = liveAndKill(life, before);
      }
      Process last = start(true);
      try (BufferedReader lines = reader(last)) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          keep(line);
          before = parse(before, line);
        }
      }
      assertThat(last.waitFor(MAX_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(last.exitValue()).as("the last life, " + named() + ": " + lastLines).isZero();
      steps += logged(STEP).size();
      rounds += logged(ROUND).size();
    }

    private Killed liveAndKill(int life, Killed before) throws Exception {
      LongRun run = new LongRun(SteppedMergeKillIT.class, seed);
      int millis = random.nextInt(MAX_MILLIS_OF_MERGING);
      Killed unreported = before;
      Process node = start(false);
      try (BufferedReader lines = reader(node)) {
        boolean merging = false;
        while (!merging) {
          String line = lines.readLine();
          assertThat(line)
              .as("life " + life + ", waves " + waves + ", " + named() + ": " + lastLines)
              .isNotNull();
          keep(line);
          unreported = parse(unreported, line);
          if (line.startsWith(KillSteps.WAVES)) {
            waves = Integer.parseInt(line.substring(KillSteps.WAVES.length()));
          }
          merging = line.equals(KillSteps.MERGING);
        }
        LockSupport.parkNanos(Duration.ofMillis(millis).toNanos());
        assertThat(node.isAlive()).as("life " + life + " still merges: " + lastLines).isTrue();
      } finally {
        node.destroyForcibly();
      }
      assertThat(node.waitFor(MAX_SECONDS, TimeUnit.SECONDS)).isTrue();
      kills++;
      long cutOff = Math.min(1, transactionLogs());
      amid += cutOff;
      long roundsSince = logged(ROUND).size() - roundsBefore;
      roundsBefore += roundsSince;
      return new Killed(run, life, millis, cutOff, roundsSince);
    }

    /** Records a kill once the life after it has found every row. */
    private Killed parse(Killed killed, String line) {
      if (killed == null || !line.startsWith(KillSteps.VERIFIED)) {
        return killed;
      }
      Map<String, Long> counts = new TreeMap<>();
      counts.put("life", (long) killed.life);
      counts.put("merged_millis", (long) killed.millis);
      counts.put("amid_a_step", killed.cutOff);
      counts.put("rounds", killed.rounds);
      counts.put("rows", Long.parseLong(line.substring(KillSteps.VERIFIED.length())));
      counts.put("wrong", 0L);
      String strategy = KillSteps.compaction(seed).replaceAll(".*cassandra\\.(\\w+)Comp.*", "$1");
      killed.run.passed(
          String.join(" ", "kill", seed + "", killed.life + "", strategy, variety.toString()),
          counts);
      return null;
    }

    private Process start(boolean last) throws IOException {
      List<String> arguments =
          List.of(
              files.home().toString(),
              Long.toString(seed),
              Integer.toString(waves),
              Boolean.toString(last));
      boolean archives = last && seed == SEED;
      return archives
          ? ChildNode.archiving(files, KillSteps.class, arguments).start()
          : ChildNode.of(files, Optional.of(ChildNode.JAR), KillSteps.class, arguments).start();
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

    private List<String> logged(Pattern pattern) throws IOException {
      try (var lines = Files.lines(files.log())) {
        return lines.filter(line -> pattern.matcher(line).find()).toList();
      }
    }
  }

  /** A kill whose harm nobody has looked for yet. */
  private record Killed(LongRun run, int life, int millis, long cutOff, long rounds) {}

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
}
