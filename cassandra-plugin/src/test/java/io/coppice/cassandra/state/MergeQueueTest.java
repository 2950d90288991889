// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class MergeQueueTest {

  private final MergeQueue<String> queue = new MergeQueue<>();

  private boolean take(boolean served) {
    return queue.take(served, () -> true);
  }

  @Test
  void whoHasTheTurnCarriesOutWhatWasLeft() {
    queue.enqueue("first");
    assertThat(take(true)).isTrue();
    queue.enqueue("second");
    assertThat(queue.nextOrRelease()).contains("first");
    assertThat(queue.nextOrRelease()).contains("second");
    queue.enqueue("third");
    assertThat(queue.nextOrRelease()).contains("third");
    assertThat(queue.nextOrRelease()).isEmpty();
    assertThat(take(true)).isTrue();
  }

  @Test
  void whoComesFirstGetsAllThatWereAnnouncedAndTheOthersNothing() {
    queue.announce("first");
    queue.announce("second");
    queue.announce("third");
    assertThat(queue.arrive("unannounced")).isEmpty();
    assertThat(queue.arrive("second")).containsExactly("first", "second", "third");
    assertThat(queue.arrive("first")).isEmpty();
    assertThat(queue.arrive("second")).isEmpty();
    queue.announce("fourth");
    assertThat(queue.arrive("third")).isEmpty();
    assertThat(queue.arrive("fourth")).containsExactly("fourth");
  }

  @Test
  void whatAnotherOneCarriesOutIsOverOnceThatHasBeenDone() {
    assertThat(take(true)).isTrue();
    queue.enqueue("first");
    queue.enqueue("second");
    queue.enqueue("stopped");
    List<String> both = List.of("second", "stopped");
    assertThat(queue.areAllDone(both)).as("both wait").isFalse();
    assertThat(queue.nextOrRelease()).contains("first");
    assertThat(queue.areAllDone(both)).isFalse();
    assertThat(queue.nextOrRelease()).contains("second");
    assertThat(queue.withdraw("stopped")).isTrue();
    assertThat(queue.areAllDone(both)).as("one is carried out").isFalse();
    assertThat(queue.nextOrRelease()).isEmpty();
    assertThat(queue.areAllDone(both)).isTrue();
  }

  @Test
  void whatCannotBeLeftWaitsAndServesNobody() throws Exception {
    assertThat(take(true)).isTrue();
    assertThat(take(false)).as("stopped while it waited").isFalse();
    Thread waits = new Thread(() -> queue.take(false, () -> false));
    waits.start();
    assertThat(queue.nextOrRelease()).isEmpty();
    waits.join();
    queue.enqueue("a part of a major compaction");
    assertThat(take(true)).isFalse();
    assertThat(queue.nextOrRelease()).isEmpty();
    assertThat(take(true)).isTrue();
    assertThat(queue.nextOrRelease()).contains("a part of a major compaction");
  }

  @Test
  void whatWaitsCanBeTakenBackAndWhatRunsCannot() {
    take(true);
    queue.enqueue("waits");
    assertThat(queue.withdraw("runs")).isFalse();
    assertThat(queue.withdraw("waits")).isTrue();
    assertThat(queue.withdraw("waits")).isFalse();
    assertThat(queue.nextOrRelease()).isEmpty();
  }
}
