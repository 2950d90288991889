// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.thread.SeededWorkers;
import io.coppice.base.thread.Workers;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TunerWorkerTest {

  private final SeededWorkers workers = new SeededWorkers(1);
  private final List<Throwable> failures = new ArrayList<>();
  private int rounds;

  private TunerWorker tuning(Workers.Task round) {
    return new TunerWorker(workers, "tune", round, failures::add);
  }

  private void settle() {
    boolean more = true;
    while (more) {
      more = workers.step();
    }
  }

  @Test
  void nothingRunsBeforeItIsNeeded() {
    tuning(() -> ++rounds);
    settle();
    assertThat(rounds).isZero();
    assertThat(workers.steps()).isZero();
  }

  @Test
  void aRoundFollowsEachWakeAndEachRest() {
    TunerWorker tuning =
        tuning(() -> ++rounds < 3 ? Workers.UNTIL_WOKEN : rounds == 3 ? 1_000_000_000L : 1L << 60);
    tuning.wake();
    settle();
    assertThat(rounds).isOne();
    tuning.wake();
    settle();
    assertThat(rounds).isEqualTo(2);
    tuning.wake();
    settle();
    workers.pass(1_000_000_000L);
    settle();
    assertThat(rounds).isEqualTo(4);
  }

  @Test
  void anExceptionEndsItAndIsToldOnce() {
    IllegalStateException cause = new IllegalStateException("planted");
    TunerWorker tuning =
        tuning(
            () -> {
              rounds++;
              throw cause;
            });
    tuning.wake();
    settle();
    tuning.wake();
    settle();
    tuning.guard(() -> rounds++);
    assertThat(rounds).isOne();
    assertThat(failures).containsExactly(cause);
    tuning.close();
  }

  @Test
  void nothingRunsOnceItIsClosed() {
    TunerWorker tuning = tuning(() -> ++rounds);
    tuning.wake();
    tuning.close();
    tuning.close();
    tuning.wake();
    settle();
    assertThat(rounds).isZero();
  }
}
