// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class TransientSpaceLedgerTest {

  private final TransientSpaceLedger ledger = new TransientSpaceLedger();
  private final SteppedMerge chain = chain();
  private final SteppedMerge other = chain();

  private static SteppedMerge chain() {
    return new SteppedMerge(new SteppedMerge.Order(1, 1, 1, "a test wants it"), List.of());
  }

  @Test
  void whatIsDeadIsHeldByTheMergeThatMadeItUntilItEnds() {
    assertThat(ledger.hold(chain, 100, 0, 150)).isTrue();
    assertThat(ledger.deadBytes()).isZero();
    assertThat(ledger.hold(other, 51, 20, 150)).isFalse();
    assertThat(ledger.hold(other, 50, 20, 150)).isTrue();
    ledger.rest(chain, 60);
    assertThat(ledger.deadBytes()).isEqualTo(80);
    assertThat(ledger.free(other, 150)).isEqualTo(90);
    ledger.release(chain);
    assertThat(ledger.deadBytes()).isEqualTo(20);
  }

  @Test
  void aMergeThatRestsGivesItsSpaceToWhoHasTheTurn() {
    ledger.hold(other, 100, 0, 100);
    ledger.rest(other, 100);
    assertThat(ledger.claimFromOthers(chain, () -> false)).as("there is more now").isTrue();
    assertThat(other.givenUp()).isTrue();
    assertThat(ledger.free(chain, 100)).isEqualTo(100);
    assertThat(ledger.claimFromOthers(chain, () -> false)).as("nobody holds any").isFalse();
  }

  @Test
  void whoIsStoppedWaitsForNobody() {
    ledger.hold(other, 100, 0, 100);
    assertThat(ledger.claimFromOthers(chain, () -> true)).isFalse();
    assertThat(other.givenUp()).isFalse();
  }
}
