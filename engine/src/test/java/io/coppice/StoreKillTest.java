// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.Durability;
import io.coppice.base.Seeds;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills a process that writes with SYNC, again and again on one store, and looks for every write it
 * had acknowledged. {@code -Dkills=N} sets how often; the acknowledgements are kept here, outside
 * the process.
 */
class StoreKillTest {

  private static final int KILLS = Integer.getInteger("kills", 8);
  private static final NumberedWrites WRITES = new NumberedWrites(500);

  /** Each process has another one, and goes on with what the last one left half done. */
  private static final List<String> POLICIES =
      List.of(
          "split-forest,fanout=2,table_size=8KiB,cleaning_threshold=1",
          "delayed,fanout=2,l0_trigger=2,base_size=16KiB,table_size=8KiB,vct=8,vsmt=2",
          "grouped,groups=2,table_size=8KiB,cleaning_threshold=1",
          "tiered,table_size=8KiB,cleaning_threshold=1",
          "lazy-binomial,k=2,table_size=8KiB,cleaning_threshold=1");

  @TempDir Path directory;

  @Test
  void aKilledProcessLosesNoAcknowledgedWrite() throws Exception {
    long seed = Seeds.seed(7);
    Random random = Seeds.random(seed, 0);
    LongRun run = new LongRun(getClass(), seed);
    long acknowledged = -1;
    for (int kill = 0; kill < KILLS; kill++) {
      String policy = POLICIES.get(kill % POLICIES.size());
      long last = runUntilKilled(policy, acknowledged + 1, 20 + random.nextInt(600));
      assertThat(last).as("progress in round " + kill).isGreaterThan(acknowledged);
      acknowledged = last;
      check(policy, acknowledged, "after kill " + kill + "; " + Seeds.replay(getClass(), seed));
    }
    run.passed("sync", Map.of("kills", (long) KILLS, "acknowledged", acknowledged + 1, "lost", 0L));
  }

  private long runUntilKilled(String policy, long from, int writes) throws Exception {
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-Djava.util.logging.config.file="
                        + System.getProperty("java.util.logging.config.file"),
                    "-cp",
                    System.getProperty("java.class.path"),
                    Writer.class.getName(),
                    directory.toString(),
                    Long.toString(from),
                    policy))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    long last = from - 1;
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      String line;
      while ((line = lines.readLine()) != null) {
        last = Long.parseLong(line);
        if (last >= from + writes) {
          // Not by the Process itself, which would throw away what is still in the pipe.
          process.toHandle().destroyForcibly();
          break;
        }
      }
      while ((line = lines.readLine()) != null && !line.isEmpty()) {
        last = Math.max(last, Long.parseLong(line));
      }
    } catch (IOException | NumberFormatException e) {
      // The pipe ends with the process, perhaps inside a number.
    }
    process.destroyForcibly().waitFor();
    return last;
  }

  /** The store shows the state after the acknowledged writes, or after one more. */
  private void check(String policy, long acknowledged, String context) {
    try (Store store = Store.open(directory, options(policy))) {
      NavigableMap<byte[], byte[]> shown = NumberedWrites.contents(store);
      NavigableMap<byte[], byte[]> model = WRITES.after(acknowledged + 1);
      if (!NumberedWrites.same(shown, model)) {
        WRITES.apply(model, acknowledged + 1);
        assertThat(NumberedWrites.same(shown, model))
            .as(context + ": the store shows the state after write " + acknowledged)
            .isTrue();
      }
    }
  }

  private static StoreOptions options(String policy) {
    return StoreOptions.builder().policy(policy).memtableBytes(64 << 10).build();
  }

  /** The process that is killed: prints the number of each write once it is synced. */
  static final class Writer {

    private Writer() {}

    public static void main(String[] args) {
      try (Store store = Store.open(Path.of(args[0]), options(args[2]))) {
        for (long write = Long.parseLong(args[1]); ; write++) {
          WRITES.write(store, write, Durability.SYNC);
          store.get(NumberedWrites.key(WRITES.keyOf(write * 7)));
          System.out.println(write);
        }
      }
    }
  }
}
