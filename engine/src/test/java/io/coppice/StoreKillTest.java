// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.Durability;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
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
  private static final int KEYS = 500;

  @TempDir Path directory;

  @Test
  void aKilledProcessLosesNoAcknowledgedWrite() throws Exception {
    long seed = Seeds.seed(7);
    Random random = Seeds.random(seed, 0);
    long acknowledged = -1;
    for (int kill = 0; kill < KILLS; kill++) {
      long last = runUntilKilled(acknowledged + 1, 20 + random.nextInt(600));
      assertThat(last).as("progress in round " + kill).isGreaterThan(acknowledged);
      acknowledged = last;
      check(acknowledged, "after kill " + kill + "; " + Seeds.replay(getClass(), seed));
    }
    System.out.println(
        "kills: "
            + KILLS
            + ", acknowledged writes: "
            + (acknowledged + 1)
            + ", lost: 0, seed "
            + seed);
  }

  private long runUntilKilled(long from, int writes) throws Exception {
    Process process =
        new ProcessBuilder(
                List.of(
                    Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                    "-XX:TieredStopAtLevel=1",
                    "-XX:+UseSerialGC",
                    "-Xshare:auto",
                    "-cp",
                    System.getProperty("java.class.path"),
                    Writer.class.getName(),
                    directory.toString(),
                    Long.toString(from)))
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
          process.destroyForcibly();
          break;
        }
      }
      while ((line = lines.readLine()) != null && !line.isEmpty()) {
        last = Math.max(last, Long.parseLong(line));
      }
    } catch (java.io.IOException | NumberFormatException e) {
      // The pipe ends with the process, perhaps inside a number.
    }
    process.waitFor();
    return last;
  }

  /** Every key shows its last acknowledged write, or one that was under way when the kill came. */
  private void check(long acknowledged, String context) {
    try (Store store = Store.open(directory, options())) {
      for (int key = 0; key < KEYS; key++) {
        long newest = newestOf(key, acknowledged);
        if (newest < 0) {
          continue;
        }
        byte[] value = store.get(Writer.key(key));
        boolean deleted = Writer.deletes(newest);
        long found =
            value == null
                ? -1
                : Long.parseLong(new String(value, 0, 12, StandardCharsets.US_ASCII));
        boolean later = found > acknowledged || (value == null && laterDelete(key, acknowledged));
        assertThat(later || (deleted ? value == null : found == newest))
            .as(
                context
                    + ": key "
                    + key
                    + " shows "
                    + found
                    + ", last acknowledged "
                    + newest
                    + (deleted ? " (a delete)" : ""))
            .isTrue();
      }
    }
  }

  private static long newestOf(int key, long acknowledged) {
    for (long write = acknowledged; write >= 0 && write > acknowledged - 20L * KEYS; write--) {
      if (Writer.keyOf(write) == key) {
        return write;
      }
    }
    return -1;
  }

  /** The one write that can have been under way. */
  private static boolean laterDelete(int key, long acknowledged) {
    return Writer.keyOf(acknowledged + 1) == key && Writer.deletes(acknowledged + 1);
  }

  private static StoreOptions options() {
    return StoreOptions.builder()
        .policy("split-forest,fanout=2,table_size=8KiB,cleaning_threshold=1")
        .memtableBytes(64 << 10)
        .build();
  }

  /**
   * The process that is killed: writes numbered values and prints each number once it is synced.
   */
  static final class Writer {

    private Writer() {}

    public static void main(String[] args) {
      try (Store store = Store.open(Path.of(args[0]), options())) {
        StringBuilder padding = new StringBuilder();
        for (long write = Long.parseLong(args[1]); ; write++) {
          byte[] key = key(keyOf(write));
          if (deletes(write)) {
            store.write(new WriteBatch().delete(key), Durability.SYNC);
          } else {
            padding.setLength(0);
            padding.append(String.format("%012d", write)).append("x".repeat((int) (write % 700)));
            store.put(key, padding.toString().getBytes(StandardCharsets.US_ASCII));
          }
          System.out.println(write);
        }
      }
    }

    static byte[] key(int number) {
      return ("key" + number).getBytes(StandardCharsets.US_ASCII);
    }

    static int keyOf(long write) {
      return (int) ((write * 0x9E3779B97F4A7C15L >>> 33) % KEYS);
    }

    static boolean deletes(long write) {
      return write % 5 == 3;
    }
  }
}
