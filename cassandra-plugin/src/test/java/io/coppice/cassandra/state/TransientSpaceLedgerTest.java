// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.cassandra.sstable.SteppedMerge;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TransientSpaceLedgerTest {

  private final TransientSpaceLedger ledger = new TransientSpaceLedger();
  private final SteppedMerge merge = merge();
  private final SteppedMerge other = merge();

  private static SteppedMerge merge() {
    return new SteppedMerge(new SteppedMerge.Spec(1, 1, 1, "a test wants it"), List.of());
  }

  @Test
  void whatIsDeadIsHeldByTheMergeThatMadeItUntilItEnds() {
    assertThat(ledger.reserve(merge, 100, 0, 150)).isTrue();
    assertThat(ledger.deadBytes()).isZero();
    assertThat(ledger.reserve(other, 51, 20, 150)).isFalse();
    assertThat(ledger.reserve(other, 50, 20, 150)).isTrue();
    ledger.stepEnded(merge, 60);
    assertThat(ledger.deadBytes()).isEqualTo(80);
    assertThat(ledger.free(other, 150)).isEqualTo(90);
    ledger.release(merge);
    assertThat(ledger.deadBytes()).isEqualTo(20);
  }

  @Test
  void aMergeThatRestsGivesItsSpaceToWhoHasTheTurn() {
    ledger.reserve(other, 100, 0, 100);
    ledger.stepEnded(other, 100);
    assertThat(ledger.reclaimFromOthers(merge, () -> false)).as("there is more now").isTrue();
    assertThat(other.givenUp()).isTrue();
    assertThat(ledger.free(merge, 100)).isEqualTo(100);
    assertThat(ledger.reclaimFromOthers(merge, () -> false)).as("no merge holds space").isFalse();
  }

  @Test
  void whoIsStoppedWaitsForNobody() {
    ledger.reserve(other, 100, 0, 100);
    assertThat(ledger.reclaimFromOthers(merge, () -> true)).isFalse();
    assertThat(other.givenUp()).isFalse();
  }
}
