// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.io.DiskOp;
import io.coppice.io.disk.CallSite;
import io.coppice.mutants.DiskCallSites;
import io.coppice.testing.LongRun;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

/**
 * Cuts the power before, inside and after every disk operation of stores at work, and of the
 * recoveries that follow, and holds what is found against what was acknowledged. The first round of
 * all loads has a fixed seed and must cover every call of the disk; others have fresh ones.
 *
 * <p>{@code -Dcrashes=N} sets how many distinct contents of a disk are opened, {@code
 * -Dcrash.threads=N} by how many threads, {@code -Dcrash.stride=1} that every operation is crashed.
 */
class StoreCrashTest {

  private static final int CRASHES = Integer.getInteger("crashes", 1);
  private static final int THREADS = Integer.getInteger("crash.threads", 1);

  /** The share of operations that are crashed by chance is one in this many; 1 crashes all. */
  private static final int STRIDE = Integer.getInteger("crash.stride", 16);

  /** Whether every operation is crashed, with more states for each. */
  private boolean whole = STRIDE == 1;

  /** Records of every kind in a load at which, and behind which, the power is cut. */
  private static final int FIRST_RECORDS = 2;

  /**
   * The loads and states of this seed cover every call of the disk. A change of what the loads
   * write may end that; the test then takes five times as long and says what is left out.
   */
  private static final long COVERING_SEED = 45;

  /** States for each operation, and for each recovery, in every round of all loads. */
  private static final int STATES_PER_POINT = 5;

  private static final int SECOND_CRASHES = 1;
  private static final int STATES_PER_POINT_OF_ALL = 7;
  private static final int SECOND_CRASHES_OF_ALL = 3;

  private final Set<Long> first = new HashSet<>();
  private final Set<Long> second = new HashSet<>();
  private final CrashCoverage coverage = new CrashCoverage();
  private long checked;

  @Test
  void aPowerLossLeavesAPrefixWithEverySyncedWrite() throws Exception {
    long seed = Seeds.first();
    LongRun run = new LongRun(getClass(), seed);
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    int rounds = 0;
    long current = COVERING_SEED;
    try {
      round(threads, current, true);
      do {
        current = seed + rounds;
        round(threads, current, rounds == 0);
        rounds++;
      } while (distinct() < CRASHES);
      offline(seed);
      String leftOut = whole ? "" : coverage.leftOut(DiskCallSites.all());
      if (!leftOut.isEmpty()) {
        // A line that few states lead to: all of them do.
        System.out.printf(
            "crash states: the chosen operations of COVERING_SEED leave out %s, so all follow%n",
            leftOut);
        whole = true;
        current = COVERING_SEED;
        round(threads, current, true);
      }
    } catch (CrashViolation e) {
      throw new AssertionError(e.getMessage() + "; " + Seeds.replay(getClass(), current), e);
    } finally {
      threads.shutdownNow();
    }
    Set<CallSite> sites = DiskCallSites.all();
    System.out.printf(
        "crash states: %,d distinct of %,d looked at, %,d at depth 1 and %,d at depth 2, of %d loads"
            + " in %d rounds; %d of %d call sites; %d kinds of record and recovery%n",
        distinct(),
        checked,
        first.size(),
        second.size(),
        CrashLoad.values().length,
        rounds,
        coverage.around().stream().filter(sites::contains).count(),
        sites.size(),
        coverage.records().size());
    coverage.check(sites);
    run.passed(
        "all loads",
        Map.of(
            "states", (long) distinct(),
            "depth1", (long) first.size(),
            "depth2", (long) second.size(),
            "looked", checked,
            "rounds", (long) rounds,
            "wrong", 0L));
  }

  private synchronized int distinct() {
    return first.size() + second.size();
  }

  private void round(ExecutorService threads, long seed, boolean every) throws Exception {
    List<Future<?>> running = new ArrayList<>();
    for (CrashLoad load : CrashLoad.values()) {
      Callable<Void> task =
          () -> {
            if (every || distinct() < CRASHES) {
              explore(load, seed);
            }
            return null;
          };
      running.add(threads.submit(task));
    }
    for (Future<?> future : running) {
      try {
        future.get();
      } catch (ExecutionException e) {
        if (e.getCause() instanceof CrashViolation violation) {
          throw violation;
        }
        throw e;
      }
    }
  }

  private void explore(CrashLoad load, long seed) throws IOException {
    Random random = Seeds.random(seed, load.ordinal());
    CrashLoad.Trace trace = load.record(random);
    CrashExplorer explorer =
        new CrashExplorer(
            trace,
            disk -> disk,
            coverage,
            random,
            whole ? STATES_PER_POINT_OF_ALL : STATES_PER_POINT,
            whole ? SECOND_CRASHES_OF_ALL : SECOND_CRASHES);
    explorer.atEveryPlace().run(whole ? k -> true : points(trace, random)::get);
    synchronized (this) {
      first.addAll(explorer.first());
      second.addAll(explorer.second());
      second.removeAll(explorer.first());
      checked += explorer.checked();
    }
  }

  /** Where to cut the power: the first times that a line does something, and others by chance. */
  private static BitSet points(CrashLoad.Trace trace, Random random) {
    BitSet points = new BitSet();
    Map<String, Integer> times = new HashMap<>();
    Map<Integer, CrashLoad.ManifestWrite> records = new HashMap<>();
    trace.records().forEach(record -> records.put(record.index(), record));
    for (int k = 0; k < trace.ops().size(); k++) {
      DiskOp op = trace.ops().get(k);
      boolean first = times.merge(op.site() + " " + op.kind(), 1, Integer::sum) == 1;
      if (first || random.nextInt(STRIDE) == 0) {
        points.set(k);
      }
      for (String kind : records.containsKey(k) ? records.get(k).kinds() : Set.<String>of()) {
        if (times.merge(kind, 1, Integer::sum) <= FIRST_RECORDS) {
          points.set(k, k + 3);
        }
      }
    }
    return points;
  }

  private void offline(long seed) throws IOException {
    Random random = Seeds.random(seed, -1);
    CheckpointTrial checkpoints =
        new CheckpointTrial(disk -> disk, coverage, random, STATES_PER_POINT_OF_ALL);
    checkpoints.run();
    RepairTrial repairs = new RepairTrial(disk -> disk, coverage, random, SECOND_CRASHES_OF_ALL);
    repairs.run();
    first.addAll(checkpoints.states());
    first.addAll(repairs.states());
    checked += checkpoints.checkedStates() + repairs.checkedStates();
  }

  @Test
  void equalSeedsDoTheSameToTheDisk() throws IOException {
    for (CrashLoad load : CrashLoad.values()) {
      assertThat(load.record(new Random(3)).ops().toString())
          .as(load.name())
          .isEqualTo(load.record(new Random(3)).ops().toString());
    }
  }

  @Test
  void everyKindOfEditIsWritten() throws IOException {
    Set<String> kinds = new TreeSet<>();
    for (CrashLoad load : CrashLoad.values()) {
      CrashLoad.Trace trace = load.record(new Random(42));
      trace.records().forEach(record -> kinds.addAll(record.kinds()));
    }
    assertThat(kinds).containsAll(CrashCoverage.allKinds());
  }
}
