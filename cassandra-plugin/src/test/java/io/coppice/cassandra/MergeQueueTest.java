// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class MergeQueueTest {

  private final MergeQueue<String> turns = new MergeQueue<>();

  private boolean take(boolean served) {
    return turns.take(served, () -> true);
  }

  @Test
  void whoHasTheTurnCarriesOutWhatWasLeft() {
    turns.leave("first");
    assertThat(take(true)).isTrue();
    turns.leave("second");
    assertThat(turns.next()).contains("first");
    assertThat(turns.next()).contains("second");
    turns.leave("third");
    assertThat(turns.next()).contains("third");
    assertThat(turns.next()).isEmpty();
    assertThat(take(true)).isTrue();
  }

  @Test
  void whoComesFirstGetsAllThatWereAnnouncedAndTheOthersNothing() {
    turns.announce("first");
    turns.announce("second");
    turns.announce("third");
    assertThat(turns.come("unannounced")).isEmpty();
    assertThat(turns.come("second")).containsExactly("first", "second", "third");
    assertThat(turns.come("first")).isEmpty();
    assertThat(turns.come("second")).isEmpty();
    turns.announce("fourth");
    assertThat(turns.come("third")).isEmpty();
    assertThat(turns.come("fourth")).containsExactly("fourth");
  }

  @Test
  void whatAnotherOneCarriesOutIsOverOnceThatHasBeenDone() {
    assertThat(take(true)).isTrue();
    turns.leave("first");
    turns.leave("second");
    turns.leave("stopped");
    List<String> both = List.of("second", "stopped");
    assertThat(turns.over(both)).as("both wait").isFalse();
    assertThat(turns.next()).contains("first");
    assertThat(turns.over(both)).isFalse();
    assertThat(turns.next()).contains("second");
    assertThat(turns.withdraw("stopped")).isTrue();
    assertThat(turns.over(both)).as("one is carried out").isFalse();
    assertThat(turns.next()).isEmpty();
    assertThat(turns.over(both)).isTrue();
  }

  @Test
  void whatCannotBeLeftWaitsAndServesNobody() throws Exception {
    assertThat(take(true)).isTrue();
    assertThat(take(false)).as("stopped while it waited").isFalse();
    Thread waits = new Thread(() -> turns.take(false, () -> false));
    waits.start();
    assertThat(turns.next()).isEmpty();
    waits.join();
    turns.leave("a part of a major compaction");
    assertThat(take(true)).isFalse();
    assertThat(turns.next()).isEmpty();
    assertThat(take(true)).isTrue();
    assertThat(turns.next()).contains("a part of a major compaction");
  }

  @Test
  void whatWaitsCanBeTakenBackAndWhatRunsCannot() {
    take(true);
    turns.leave("waits");
    assertThat(turns.withdraw("runs")).isFalse();
    assertThat(turns.withdraw("waits")).isTrue();
    assertThat(turns.withdraw("waits")).isFalse();
    assertThat(turns.next()).isEmpty();
  }
}
