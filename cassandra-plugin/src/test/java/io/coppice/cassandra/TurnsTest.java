// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TurnsTest {

  private final Turns<String> turns = new Turns<>();

  private boolean take(boolean served) {
    return turns.take(served, () -> true);
  }

  @Test
  void whoHasTheTurnCarriesOutWhatOthersLeftBehind() {
    assertThat(turns.leave("nobody is there")).isFalse();
    assertThat(take(true)).isTrue();
    assertThat(turns.leave("second")).isTrue();
    assertThat(turns.leave("third")).isTrue();
    assertThat(turns.next()).contains("second");
    assertThat(turns.leave("fourth")).isTrue();
    assertThat(turns.next()).contains("third");
    assertThat(turns.next()).contains("fourth");
    assertThat(turns.next()).isEmpty();
    assertThat(turns.leave("nobody is there")).isFalse();
    assertThat(take(true)).isTrue();
  }

  @Test
  void whatCannotBeLeftBehindWaitsAndServesNobody() throws Exception {
    assertThat(take(true)).isTrue();
    assertThat(take(false)).as("stopped while it waited").isFalse();
    Thread waits = new Thread(() -> turns.take(false, () -> false));
    waits.start();
    assertThat(turns.next()).isEmpty();
    waits.join();
    assertThat(turns.leave("a major")).isFalse();
    assertThat(take(true)).isFalse();
    assertThat(turns.next()).isEmpty();
    assertThat(take(true)).isTrue();
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
