// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** What merges may read after a switch. */
class RewriteBudgetTest {

  private long flushedBytes;
  private final RewriteBudget rewrites = new RewriteBudget(() -> flushedBytes);

  @Test
  void beforeTheFirstSwitchTheyMayReadAll() {
    rewrites.begun(Long.MAX_VALUE);
    assertThat(rewrites.allowance()).isEqualTo(RewriteAllowance.ANY);
    assertThat(rewrites.left()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void anAllowanceIsSpentByMergesAndEarnedByFlushes() {
    rewrites.begun(50);
    flushedBytes = 100;
    rewrites.allow(new RewriteAllowance(1000, 2.5, 100, 50));
    assertThat(rewrites.left()).isEqualTo(1000);
    rewrites.begun(600);
    assertThat(rewrites.left()).isEqualTo(400);
    rewrites.begun(900);
    assertThat(rewrites.begunBytes()).isEqualTo(1550);
    assertThat(rewrites.left()).isZero();
    flushedBytes = 300;
    assertThat(rewrites.left()).isZero();
    flushedBytes = 340;
    assertThat(rewrites.left()).isEqualTo(100);
    rewrites.allow(RewriteAllowance.ANY);
    assertThat(rewrites.left()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void anotherRateLeavesWhatFlushesHavePaid() {
    RewriteAllowance first = new RewriteAllowance(1000, 2, 100, 50);
    RewriteAllowance next = first.paying(5, 300);
    assertThat(next.left(300, 50)).isEqualTo(first.left(300, 50)).isEqualTo(1400);
    assertThat(next.left(400, 650)).isEqualTo(1300);
    assertThat(first.paying(5, 100)).isSameAs(first);
    assertThat(RewriteAllowance.ANY.paying(5, 300)).isEqualTo(RewriteAllowance.ANY);
  }
}
