// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction.shape;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Test;

class ClaimsTest {

  private final Claims claims = new Claims();

  private static Claims.Claim job(Set<Long> tables) {
    return new Claims.Claim(1, 7, new byte[] {1}, new byte[] {9}, tables);
  }

  @Test
  void twoMergesNeverWorkOnOneInput() {
    Claims.Claim first = job(Set.of(1L, 2L));
    claims.take(first);
    assertThatThrownBy(() -> claims.take(job(Set.of(2L, 3L))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("table 2 is already claimed");
    assertThat(claims.holds(3)).as("all or none").isFalse();
    assertThat(claims.jobs()).containsExactly(first);

    claims.release(first);
    assertThat(claims.holds(1)).isFalse();
    claims.take(job(Set.of(2L, 3L)));
    assertThat(claims.holds(2)).isTrue();
  }

  @Test
  void whatIsNotClaimedIsNotGivenBack() {
    Claims.Claim first = job(Set.of(1L));
    claims.take(first);
    claims.release(first);
    assertThatThrownBy(() -> claims.release(first)).isInstanceOf(IllegalStateException.class);
  }
}
