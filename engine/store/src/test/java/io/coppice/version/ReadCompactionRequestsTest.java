// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.Seeds;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ReadCompactionRequestsTest {

  private final ReadCompactionRequests requests = new ReadCompactionRequests();

  @Test
  void onlySoManyGroupsAreCountedAtOnce() {
    Set<Long> all = new HashSet<>();
    for (long group = 1; group < 2 * ReadCompactionRequests.MAX_GROUPS; group++) {
      requests.ask(group);
      all.add(group);
    }
    requests.ask(1);
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
  void hotGroupsAreCountedAfterAnyNumberOfColdOnes() {
    long seed = Seeds.first();
    Random random = new Random(seed);
    int hot = 1 + random.nextInt(100);
    int cold = ReadCompactionRequests.MAX_GROUPS * (1 + random.nextInt(4));
    Set<Long> all = new HashSet<>();
    AtomicInteger signals = new AtomicInteger();
    for (long group = 0; group < hot + cold; group++) {
      all.add(group);
    }
    for (long group = hot; group < hot + cold; group++) {
      requests.ask(group);
    }
    requests.signalTo(signals::incrementAndGet);
    int lookups = 40 * ReadCompactionRequests.MAX_GROUPS;
    for (int i = 0; i < lookups; i++) {
      boolean meetsHot = random.nextBoolean();
      requests.ask(meetsHot ? random.nextInt(hot) : hot + random.nextInt(cold));
      if (requests.fresh()) {
        requests.seen();
        Map<Long, Long> later = new HashMap<>();
        requests.lookups(() -> all).keySet().forEach(group -> later.put(group, Long.MAX_VALUE));
        requests.answered(later, Set.of());
      }
    }
    Map<Long, Long> counted = requests.lookups(() -> all);
    assertThat(counted).as("seed " + seed).hasSizeLessThanOrEqualTo(4096);
    for (long group = 0; group < hot; group++) {
      assertThat(counted).as("seed " + seed).containsKey(group);
      assertThat(counted.get(group)).as("seed " + seed).isGreaterThan(lookups / hot / 4);
    }
  }

  @Test
  void aGroupIsReportedAtItsNumberOfLookupsUntilTheCompactorHasSeenIt() {
    AtomicInteger signals = new AtomicInteger();
    requests.signalTo(signals::incrementAndGet);
    requests.ask(5);
    requests.ask(5);
    assertThat(signals).hasValue(2);
    requests.seen();
    requests.answered(Map.of(5L, 4L), Set.of());
    requests.ask(5);
    assertThat(signals).hasValue(2);
    assertThat(requests.fresh()).isFalse();
    requests.ask(5);
    assertThat(signals).hasValue(3);
    assertThat(requests.fresh()).isTrue();
    requests.seen();
    // A granted group needs no further signal.
    requests.answered(Map.of(), Set.of(5L));
    requests.ask(5);
    assertThat(signals).hasValue(3);
  }

  /** Lookups wake no merge thread while all of them are busy or paused. */
  @Test
  void lookupsSignalNothingBetweenAQuestionAndItsAnswer() {
    AtomicInteger signals = new AtomicInteger();
    requests.signalTo(
        () -> {
          signals.incrementAndGet();
          requests.seen();
        });
    for (int lookup = 0; lookup < 10_000; lookup++) {
      requests.ask(lookup % 7);
    }
    assertThat(signals).hasValue(1);
    requests.answered(Map.of(), Set.of());
    requests.ask(5);
    assertThat(signals).hasValue(2);
  }
}
