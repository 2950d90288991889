// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.tuner;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Limit on the bytes that merges may read after a policy switch. */
class RewriteBudgetTest {

  private long flushedBytes;
  private final RewriteBudget budget = new RewriteBudget(() -> flushedBytes);

  @Test
  void beforeTheFirstSwitchTheyMayReadAll() {
    budget.charge(Long.MAX_VALUE);
    assertThat(budget.allowance()).isEqualTo(RewriteAllowance.ANY);
    assertThat(budget.remaining()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void anAllowanceIsSpentByMergesAndEarnedByFlushes() {
    budget.charge(50);
    flushedBytes = 100;
    budget.allow(new RewriteAllowance(1000, 2.5, 100, 50));
    assertThat(budget.remaining()).isEqualTo(1000);
    budget.charge(600);
    assertThat(budget.remaining()).isEqualTo(400);
    budget.charge(900);
    assertThat(budget.begunBytes()).isEqualTo(1550);
    assertThat(budget.remaining()).isZero();
    flushedBytes = 300;
    assertThat(budget.remaining()).isZero();
    flushedBytes = 340;
    assertThat(budget.remaining()).isEqualTo(100);
    budget.allow(RewriteAllowance.ANY);
    assertThat(budget.remaining()).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void anotherRateLeavesWhatFlushesHavePaid() {
    RewriteAllowance first = new RewriteAllowance(1000, 2, 100, 50);
    RewriteAllowance next = first.paying(5, 300);
    assertThat(next.remaining(300, 50)).isEqualTo(first.remaining(300, 50)).isEqualTo(1400);
    assertThat(next.remaining(400, 650)).isEqualTo(1300);
    assertThat(first.paying(5, 100)).isSameAs(first);
    assertThat(RewriteAllowance.ANY.paying(5, 300)).isEqualTo(RewriteAllowance.ANY);
  }
}
