// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.io.ErrorDisk.Fault;
import io.coppice.io.MemDisk;
import io.coppice.testing.LongRun;
import io.coppice.testing.Seeds;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Fails random operations of the disk, reservations of memory and steps of workers, by errors of
 * the system, OutOfMemoryError, StackOverflowError and RuntimeException, before, during and after
 * their effect. All background work runs on the thread of the test in an order that a seed picks,
 * so each trial can be repeated, and a wait that cannot end is found without a clock.
 *
 * <p>Each trial checks that no answer is wrong, no acknowledged write is lost in a kill or a crash,
 * every exception names its cause, no call hangs, closing ends, and nothing is held afterwards.
 *
 * <p>{@code -Dinjections=N} sets how many faults are injected; {@code -Dseed=N} chooses others, and
 * {@code -Dtrial=N} repeats one. {@code -Dscenario=FLUSH} and {@code -Dfault=HEAP} choose some.
 */
class FaultInjectionTest {

  private static final int INJECTIONS = Integer.getInteger("injections", 5_000);
  private static final Integer TRIAL = Integer.getInteger("trial");

  /** What fails: an operation of a disk or the budget, or a step of a worker. */
  private record Kind(FaultScenario scenario, Fault fault, boolean steps) {}

  private final Map<FaultScenario, FaultTrial> prepared = new EnumMap<>(FaultScenario.class);
  private final Map<Kind, Integer> operations = new HashMap<>();

  private static List<Kind> kinds() {
    String scenario = System.getProperty("scenario");
    String fault = System.getProperty("fault");
    List<Kind> kinds = new ArrayList<>();
    for (FaultScenario each : FaultScenario.values()) {
      for (Fault one : Fault.values()) {
        if ((scenario == null || each.name().equals(scenario))
            && (fault == null || one.name().equals(fault))) {
          kinds.add(new Kind(each, one, false));
          if (one.isThrown()) {
            kinds.add(new Kind(each, one, true));
          }
        }
      }
    }
    return kinds;
  }

  @Test
  void noFaultLosesHangsOrHoldsAnything() {
    long seed = Seeds.seed(1);
    LongRun run = new LongRun(getClass(), seed);
    List<Kind> kinds = kinds();
    Map<String, Long> counts = new HashMap<>();
    int injected = 0;
    for (int trial = 0; injected < INJECTIONS; trial++) {
      if (TRIAL != null) {
        trial = TRIAL;
      }
      Random random = Seeds.random(seed, trial);
      Kind kind = kinds.get(random.nextInt(kinds.size()));
      if (inject(kind, random, seed, trial)) {
        injected++;
        counts.merge(kind.steps() ? "steps" : kind.fault().name().toLowerCase(), 1L, Long::sum);
      }
      if (TRIAL != null) {
        return;
      }
      assertThat(trial).as("trials without a fault").isLessThan(1_000 + 10 * INJECTIONS);
    }
    counts.put("injections", (long) injected);
    counts.put("wrong", 0L);
    run.passed("all", counts);
  }

  /** True if the fault was reached. */
  private boolean inject(Kind kind, Random random, long seed, int number) {
    FaultTrial.Schedule schedule = new FaultTrial.Schedule(random.nextLong(), kind.steps());
    int last = operations.computeIfAbsent(kind, key -> count(key));
    if (last == 0 || random.nextInt(kind.scenario().cost()) > 0) {
      return false;
    }
    int n = 1 + random.nextInt(last);
    boolean forEver = random.nextInt(3) == 0;
    FaultTrial trial =
        new FaultTrial(
            prepared(kind.scenario()), kind.scenario(), kind.fault(), n, forEver, schedule);
    try {
      kind.scenario().act(trial);
      if (!trial.fired()) {
        trial.close();
        return false;
      }
      trial.finish(random);
    } catch (Exception | Error e) {
      throw new AssertionError(
          kind
              + (forEver ? " from " : " at ")
              + n
              + ", hit "
              + trial.hit()
              + "; trial "
              + number
              + ", "
              + Seeds.replay(getClass(), seed),
          e);
    }
    return true;
  }

  /** How many places there are for a fault of this kind, when none fails. */
  private int count(Kind kind) {
    FaultTrial.Schedule schedule = new FaultTrial.Schedule(1, kind.steps());
    FaultTrial whole =
        new FaultTrial(
            prepared(kind.scenario()),
            kind.scenario(),
            kind.fault(),
            Integer.MAX_VALUE,
            false,
            schedule);
    kind.scenario().act(whole);
    whole.close();
    return whole.operations();
  }

  private FaultTrial prepared(FaultScenario scenario) {
    return prepared.computeIfAbsent(
        scenario,
        key -> {
          FaultTrial trial = new FaultTrial(new MemDisk(), key, null, 0, false);
          key.prepare(trial);
          return trial;
        });
  }
}
