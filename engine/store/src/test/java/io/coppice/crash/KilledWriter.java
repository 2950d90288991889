// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.io.ChildJvm;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A store that a process with two writers works on, again and again, until each time it is killed.
 * The process reports every write over a pipe once the store has acknowledged it; the log of these
 * is kept here, outside it.
 */
final class KilledWriter {

  /** Each process has another one, and goes on with what the last one left half done. */
  private static final List<String> POLICIES =
      List.of(
          "split-forest,fanout=2,table_size=8KiB,cleaning_threshold=1",
          "delayed,fanout=2,l0_trigger=2,base_size=16KiB,table_size=8KiB,vct=8,vsmt=2",
          "leveled,fanout=2,l0_trigger=2,table_size=8KiB,cleaning_threshold=1",
          "grouped,groups=2,table_size=8KiB,cleaning_threshold=1",
          "tiered,trigger=4,table_size=8KiB,cleaning_threshold=1",
          "lazy-binomial,k=2,table_size=8KiB,cleaning_threshold=1");

  private static final int WRITERS = 2;
  private static final int PATIENCE_SECONDS = 60;

  /** The number of the next write of each writer, all before it are in the store. */
  private final long[] next = new long[WRITERS];

  /** The last write that was acknowledged, and the last of those that is synced; -1 if none is. */
  private final long[] acknowledged = new long[WRITERS];

  private final long[] synced = new long[WRITERS];
  private int rounds;
  private long total;
  private long unsyncedLost;

  /** Ends a process that writes. */
  interface Killer {
    /**
     * Called in a thread of its own when the process was started.
     *
     * @param writing reaches zero with the first acknowledgement, or when the process has ended
     */
    void kill(Process process, CountDownLatch writing) throws Exception;
  }

  String policy() {
    return POLICIES.get(rounds % POLICIES.size());
  }

  /** Writes acknowledged so far. */
  long total() {
    return total;
  }

  /** Writes that were acknowledged without sync and are gone; none unless the power was cut. */
  long unsyncedLost() {
    return unsyncedLost;
  }

  /**
   * Lets a process write until it is killed, or has done so many writes and halts.
   *
   * @param before words of a command that runs the process
   * @return how many writes it acknowledged
   */
  long run(List<String> before, Path directory, int maxWrites, Killer killer) throws Exception {
    Process process =
        ChildJvm.start(
            before,
            Writer.class,
            directory.toString(),
            policy(),
            Integer.toString(maxWrites),
            Long.toString(next[0]),
            Long.toString(next[1]));
    CountDownLatch writing = new CountDownLatch(1);
    Throwable[] problem = {null};
    Thread thread =
        new Thread(
            () -> {
              try {
                killer.kill(process, writing);
              } catch (Throwable e) {
                problem[0] = e;
                process.toHandle().destroyForcibly();
              }
            },
            "killer");
    thread.start();
    // The pipe ends when the process does; it may end inside a line.
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    byte[] piece = new byte[8192];
    for (int n; (n = process.getInputStream().read(piece)) > 0; writing.countDown()) {
      log.write(piece, 0, n);
    }
    writing.countDown();
    assertThat(process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)).as("it ends").isTrue();
    thread.join();
    if (problem[0] != null) {
      throw new AssertionError("the killer failed", problem[0]);
    }
    rounds++;
    return keep(log.toString(StandardCharsets.US_ASCII));
  }

  private long keep(String log) {
    for (int i = 0; i < WRITERS; i++) {
      acknowledged[i] = next[i] - 1;
      synced[i] = next[i] - 1;
    }
    long count = 0;
    int from = 0;
    for (int end = log.indexOf('\n'); end >= 0; end = log.indexOf('\n', from)) {
      int writer = log.charAt(from) - '0';
      long number = Long.parseLong(log.substring(from + 2, end));
      assertThat(number).as("in order").isEqualTo(acknowledged[writer] + 1);
      acknowledged[writer] = number;
      if (log.charAt(from + 1) == 's') {
        synced[writer] = number;
      }
      count++;
      from = end + 1;
    }
    total += count;
    return count;
  }

  /**
   * Opens the store and compares. Of each writer it shows the state after some number of writes: at
   * least those acknowledged, or after a power cut those synced, and at most one more than
   * acknowledged.
   */
  void check(Path directory, boolean powerCut, String context) {
    if (total > 0 || Files.exists(directory.resolve("CURRENT"))) {
      assertThat(Store.verify(directory).damages()).as(context).isEmpty();
    }
    try (Store store = Store.open(directory, options(policy()))) {
      for (int i = 0; i < WRITERS; i++) {
        AckedWrites writes = new AckedWrites(i);
        NavigableMap<String, String> shown = writes.shown(store);
        long least = (powerCut ? synced : acknowledged)[i] + 1;
        NavigableMap<String, String> model = writes.before(least);
        long count = least;
        while (!shown.equals(model) && count <= acknowledged[i] + 1) {
          writes.apply(model, count++);
        }
        if (!shown.equals(model)) {
          throw new AssertionError(
              String.format(
                  "%s: writer %d must find the state after some number of writes from %d to %d, not"
                      + " %s",
                  context, i, least, acknowledged[i] + 2, nearest(writes, shown)));
        }
        next[i] = count;
        unsyncedLost += Math.max(0, acknowledged[i] + 1 - count);
      }
    }
  }

  /** After how many writes what is shown was there; or else how it differs where it least does. */
  private String nearest(AckedWrites writes, NavigableMap<String, String> shown) {
    NavigableMap<String, String> model = new TreeMap<>();
    long best = Long.MAX_VALUE;
    String text = "";
    for (long number = 0; number < acknowledged[writes.writer()] + 20; number++) {
      Set<Map.Entry<String, String>> difference = new HashSet<>(shown.entrySet());
      difference.removeAll(model.entrySet());
      Set<Map.Entry<String, String>> missing = new HashSet<>(model.entrySet());
      missing.removeAll(shown.entrySet());
      if (difference.size() + missing.size() < best) {
        best = difference.size() + missing.size();
        text = "after " + number + ", where " + difference + " is wrong, expected " + missing;
      }
      writes.apply(model, number);
    }
    return text;
  }

  private static StoreOptions options(String policy) {
    return StoreOptions.builder().policy(policy).memtableBytes(64 << 10).build();
  }

  /** The process that is killed. */
  static final class Writer {

    private Writer() {}

    public static void main(String[] args) {
      PrintStream out = new PrintStream(System.out, true, StandardCharsets.US_ASCII);
      int most = Integer.parseInt(args[2]);
      Store store = open(args);
      List<Thread> threads = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        AckedWrites writes = new AckedWrites(i);
        long first = Long.parseLong(args[3 + i]);
        threads.add(new Thread(() -> write(store, writes, first, most, out), "writer-" + i));
      }
      threads.forEach(Thread::start);
    }

    private static Store open(String[] args) {
      try {
        return Store.open(Path.of(args[0]), options(args[1]));
      } catch (UncheckedIOException e) {
        // The power was cut meanwhile.
        Runtime.getRuntime().halt(4);
        throw e;
      }
    }

    private static void write(
        Store store, AckedWrites writes, long first, int most, PrintStream out) {
      try {
        for (long number = first; number < first + most; number++) {
          writes.write(store, number);
          char kind = writes.durability(number) == Durability.SYNC ? 's' : 'b';
          out.print("" + writes.writer() + kind + number + "\n");
          if (number % 61 == 0) {
            writes.shown(store);
          }
          if (number % 499 == 250) {
            store.compact();
          }
        }
      } catch (RuntimeException e) {
        // After a power cut every write fails.
        if (e.getMessage() == null) {
          e.printStackTrace();
        }
      }
      Runtime.getRuntime().halt(3);
    }
  }
}
