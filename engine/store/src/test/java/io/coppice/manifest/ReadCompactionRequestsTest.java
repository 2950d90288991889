// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ReadCompactionRequestsTest {

  private final ReadCompactionRequests requests = new ReadCompactionRequests();

  @Test
  void onlySoManyGroupsAreCountedAtOnce() {
    Set<Long> all = new HashSet<>();
    for (int pass = 0; pass < 2; pass++) {
      for (long group = 1; group <= 2 * ReadCompactionRequests.MAX_GROUPS; group++) {
        requests.ask(group);
        all.add(group);
      }
    }
    assertThat(requests.lookups(() -> all))
        .hasSize(ReadCompactionRequests.MAX_GROUPS)
        .containsEntry(1L, 2L);
    // Merged groups make room.
    all.removeAll(Set.of(1L, 2L, 3L));
    assertThat(requests.lookups(() -> all)).hasSize(ReadCompactionRequests.MAX_GROUPS - 3);
    requests.ask(100_000);
    all.add(100_000L);
    assertThat(requests.lookups(() -> all))
        .hasSize(ReadCompactionRequests.MAX_GROUPS - 2)
        .containsEntry(100_000L, 1L);
  }

  @Test
  void aGroupIsReportedAtItsNumberOfLookupsUntilTheCompactorHasSeenIt() {
    AtomicInteger told = new AtomicInteger();
    requests.signalTo(told::incrementAndGet);
    requests.ask(5);
    requests.ask(5);
    assertThat(told).hasValue(2);
    requests.seen();
    requests.answered(Map.of(5L, 4L), Set.of());
    requests.ask(5);
    assertThat(told).hasValue(2);
    assertThat(requests.fresh()).isFalse();
    requests.ask(5);
    assertThat(told).hasValue(3);
    assertThat(requests.fresh()).isTrue();
    requests.seen();
    // A granted group needs no further signal.
    requests.answered(Map.of(), Set.of(5L));
    requests.ask(5);
    assertThat(told).hasValue(3);
  }

  /** Lookups wake no merge thread while all of them are busy or paused. */
  @Test
  void lookupsSignalNothingBetweenAQuestionAndItsAnswer() {
    AtomicInteger told = new AtomicInteger();
    requests.signalTo(
        () -> {
          told.incrementAndGet();
          requests.seen();
        });
    for (int lookup = 0; lookup < 10_000; lookup++) {
      requests.ask(lookup % 7);
    }
    assertThat(told).hasValue(1);
    requests.answered(Map.of(), Set.of());
    requests.ask(5);
    assertThat(told).hasValue(2);
  }
}
