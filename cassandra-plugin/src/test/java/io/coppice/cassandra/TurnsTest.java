// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class TurnsTest {

  private final Turns<String> turns = new Turns<>();

  @Test
  void whoHasTheTurnCarriesOutWhatOthersLeftBehind() {
    assertThat(turns.take("first")).isTrue();
    assertThat(turns.take("second")).isFalse();
    assertThat(turns.take("third")).isFalse();
    assertThat(turns.next()).contains("second");
    assertThat(turns.take("fourth")).isFalse();
    assertThat(turns.next()).contains("third");
    assertThat(turns.next()).contains("fourth");
    assertThat(turns.next()).isEmpty();
    assertThat(turns.take("fifth")).isTrue();
  }

  @Test
  void whatWaitsCanBeTakenBackAndWhatRunsCannot() {
    turns.take("runs");
    turns.take("waits");
    assertThat(turns.withdraw("runs")).isFalse();
    assertThat(turns.withdraw("waits")).isTrue();
    assertThat(turns.withdraw("waits")).isFalse();
    assertThat(turns.next()).isEmpty();
  }
}
