// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fault;

import io.coppice.io.ErrorDisk.Fault;
import io.coppice.io.MemDisk;
import io.coppice.testing.LongRun;
import io.coppice.testing.Seeds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Fails each disk operation of each scenario in turn, once or from then on: no acknowledged write
 * may be lost, no answer wrong, nothing may hang, and each error must name its cause. {@code
 * -Dfaults=N} is how many operations are tried of each kind, others with {@code -Dseed=N}; {@code
 * -Plong} tries every one; {@code -Dscenario=FLUSH} and {@code -Dfault=HEAP} try one scenario or
 * fault.
 */
class StoreFaultLoopTest {

  private static final int SAMPLE = Integer.getInteger("faults", 3);
  private static final int PATIENCE_SECONDS = 120;

  /** What each scenario starts from. */
  private static final Map<FaultScenario, FaultTrial> PREPARED = new EnumMap<>(FaultScenario.class);

  static Stream<Arguments> cases() {
    String only = System.getProperty("scenario");
    String kind = System.getProperty("fault");
    return Arrays.stream(FaultScenario.values())
        .filter(scenario -> only == null || scenario.name().equals(only))
        .flatMap(
            s ->
                Arrays.stream(Fault.values())
                    .filter(fault -> kind == null || fault.name().equals(kind))
                    .map(fault -> Arguments.of(s, fault)));
  }

  @ParameterizedTest
  @MethodSource("cases")
  void noOperationThatFailsLosesAnything(FaultScenario scenario, Fault fault) throws Exception {
    long seed = Seeds.seed(1);
    LongRun run = new LongRun(getClass(), seed);
    FaultTrial prepared = prepared(scenario);
    int last = operations(scenario, prepared, fault);
    long trials = 0;
    for (boolean forEver : new boolean[] {false, true}) {
      Random random = Seeds.random(seed, scenario.ordinal() * 16 + fault.ordinal());
      for (int n : chosen(last, scenario.sample(SAMPLE), random)) {
        trial(scenario, prepared, fault, n, forEver, random.nextLong(), seed);
        trials++;
      }
      for (int n = last + 1; SAMPLE == Integer.MAX_VALUE; n++) {
        trials++;
        if (!trial(scenario, prepared, fault, n, forEver, random.nextLong(), seed)) {
          break;
        }
      }
    }
    run.passed(scenario + "-" + fault, Map.of("trials", trials, "wrong", 0L));
  }

  private static FaultTrial prepared(FaultScenario scenario) {
    return PREPARED.computeIfAbsent(
        scenario,
        key -> {
          FaultTrial trial = new FaultTrial(new MemDisk(), key, null, 0, false);
          key.prepare(trial);
          return trial;
        });
  }

  /** How many operations there are that can fail so, when none does. */
  private static int operations(FaultScenario scenario, FaultTrial prepared, Fault fault) {
    FaultTrial whole = new FaultTrial(prepared, scenario, fault, Integer.MAX_VALUE, false);
    scenario.act(whole);
    whole.close();
    return whole.operations();
  }

  private static List<Integer> chosen(int last, int sample, Random random) {
    List<Integer> all = new ArrayList<>();
    for (int n = 1; n <= last; n++) {
      all.add(n);
    }
    if (last > sample) {
      Collections.shuffle(all, random);
      all = all.subList(0, sample);
    }
    return all;
  }

  /** True if the n-th operation was reached. */
  private static boolean trial(
      FaultScenario scenario,
      FaultTrial prepared,
      Fault fault,
      int n,
      boolean forEver,
      long random,
      long seed)
      throws Exception {
    FaultTrial trial = new FaultTrial(prepared, scenario, fault, n, forEver);
    String what = scenario + " " + fault + " at operation " + n + (forEver ? " and on" : "");
    FutureTask<Void> task =
        new FutureTask<>(
            () -> {
              scenario.act(trial);
              trial.finish(new Random(random));
              return null;
            });
    Thread thread = new Thread(task, "trial");
    thread.setDaemon(true);
    thread.start();
    try {
      task.get(PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError(
          what + ", hit " + trial.hit() + "; " + Seeds.replay(StoreFaultLoopTest.class, seed),
          e.getCause());
    } catch (TimeoutException e) {
      throw new AssertionError(what + ", hit " + trial.hit() + " hangs" + stacks());
    }
    return trial.fired();
  }

  private static String stacks() {
    StringBuilder text = new StringBuilder();
    Thread.getAllStackTraces()
        .forEach((each, stack) -> text.append("\n" + each + " " + Arrays.toString(stack)));
    return text.toString();
  }
}
