// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class DecisionLogTest {

  private final List<String> lines = new ArrayList<>();
  private final DecisionLog log = new DecisionLog(lines::add);

  @Test
  void manyDelaysAreOneLineOnceSomethingElseFollows() {
    log.decided("delay", 1, "delay of 1 SSTables to level 1");
    log.decided("delay", 3, "delay of 3 SSTables to level 1");
    log.decided("delay", 1, "delay of 1 SSTables to level 2");
    assertThat(lines).isEmpty();
    log.decided("merge of 4 SSTables to level 2");
    assertThat(lines)
        .containsExactly(
            "3 times a delay, of 5 SSTables in all; first, delay of 1 SSTables to level 1",
            "merge of 4 SSTables to level 2");
  }

  @Test
  void aRowEndsWithItsKindAndWhenNothingFollows() {
    log.decided("delay", 1, "one");
    log.decided("move", 2, "two");
    log.decided("move", 3, "three");
    log.endRow();
    log.endRow();
    assertThat(lines).containsExactly("one", "2 times a move, of 5 SSTables in all; first, two");
  }

  @Test
  void delaysWithNothingBetweenThemAreOneLineAMinute() {
    long second = TimeUnit.SECONDS.toNanos(1);
    for (int delay = 0; delay < 100; delay++) {
      log.decided("delay", 1, "delay " + delay);
      log.noDecision(delay * second);
    }
    log.noDecision(120 * second);
    log.noDecision(240 * second);
    assertThat(lines)
        .containsExactly(
            "delay 0",
            "60 times a delay, of 60 SSTables in all; first, delay 1",
            "39 times a delay, of 39 SSTables in all; first, delay 61");
  }

  @Test
  void aReminderIsDueAtOnceAndOnceForEachPause() {
    Reminder reminder = new Reminder(10);
    assertThat(reminder.tryRemind(-5)).isTrue();
    assertThat(reminder.tryRemind(4)).isFalse();
    assertThat(reminder.tryRemind(5)).isTrue();
    assertThat(reminder.tryRemind(6)).isFalse();
    assertThat(reminder.tryRemind(40)).isTrue();
  }
}
