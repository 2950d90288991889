// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class CompactionTriggerTest {

  private final List<Runnable> timed = new ArrayList<>();
  private int asked;
  private final CompactionTrigger trigger =
      new CompactionTrigger((run, nanos) -> timed.add(run), () -> asked++);

  /** Each question makes all merges that wait say so again. */
  @Test
  void manyMergesThatWaitAskOnceASecondAndNotEachForItself() {
    for (int second = 0; second < 10; second++) {
      for (int merge = 0; merge < 5; merge++) {
        trigger.whileWaiting();
      }
      assertThat(timed).hasSize(1);
      timed.remove(0).run();
    }
    assertThat(asked).isEqualTo(10);
  }

  @Test
  void whatIsToBeAskedSoonDoesNotWaitForWhatIsAskedLater() {
    trigger.whileWaiting();
    trigger.later(1);
    trigger.soon();
    trigger.soon();
    assertThat(timed).hasSize(3);
    timed.remove(1).run();
    trigger.soon();
    assertThat(timed).as("it is still to come").hasSize(2);
  }
}
