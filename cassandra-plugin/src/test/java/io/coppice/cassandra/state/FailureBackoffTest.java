// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FailureBackoffTest {

  @Test
  void eachFailureDoublesTheWhileUpToAnHour() {
    assertThat(seconds(1)).isEqualTo(10);
    assertThat(seconds(2)).isEqualTo(20);
    assertThat(seconds(9)).isEqualTo(2560);
    assertThat(seconds(10)).isEqualTo(3600);
    assertThat(seconds(1000)).isEqualTo(3600);
  }

  @Test
  void whatTookThePlaceOfWhatFailedInheritsItsFailures() {
    FailureBackoff backoff = new FailureBackoff();
    assertThat(backoff.put(List.of(), 0, 0).failures()).isEqualTo(1);
    assertThat(backoff.put(List.of(), 4, 0)).isEqualTo(new FailureBackoff.Setback(5, nanos(5)));
  }

  private static long nanos(int failures) {
    return FailureBackoff.nanos(failures);
  }

  private static long seconds(int failures) {
    return Duration.ofNanos(FailureBackoff.nanos(failures)).toSeconds();
  }
}
