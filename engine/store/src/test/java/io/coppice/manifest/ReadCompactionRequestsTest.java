// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ReadCompactionRequestsTest {

  private final ReadCompactionRequests requests = new ReadCompactionRequests();

  @Test
  void noMoreGroupsAreKeptThanTheBudgetHas() {
    Set<Long> all = new HashSet<>();
    for (int pass = 0; pass < 2; pass++) {
      for (long group = 1; group <= 2 * ReadCompactionRequests.MAX_GROUPS; group++) {
        requests.ask(group);
        all.add(group);
      }
    }
    assertThat(requests.retain(() -> all)).hasSize(ReadCompactionRequests.MAX_GROUPS);
    // What was merged makes room.
    all.removeAll(Set.of(1L, 2L, 3L));
    assertThat(requests.retain(() -> all)).hasSize(ReadCompactionRequests.MAX_GROUPS - 3);
    requests.ask(1_000);
    all.add(1_000L);
    assertThat(requests.retain(() -> all))
        .hasSize(ReadCompactionRequests.MAX_GROUPS - 2)
        .contains(1_000L);
  }

  @Test
  void whoActsOnThemIsToldUntilItHasSeenThem() {
    AtomicInteger told = new AtomicInteger();
    requests.signalTo(told::incrementAndGet);
    requests.ask(5);
    requests.ask(5);
    assertThat(told).hasValue(2);
    requests.seen();
    requests.ask(5);
    assertThat(told).hasValue(2);
    assertThat(requests.fresh()).isFalse();
  }
}
