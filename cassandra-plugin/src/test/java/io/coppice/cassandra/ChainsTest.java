// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ChainsTest {

  /** Else a major compaction that comes just then finds its inputs held, and does nothing. */
  @Test
  void whatHasLetGoOfItsClaimAndNotSaidSoIsGivenUpToo() {
    Chains chains = new Chains(new SpaceLedger(), new NoOwner());
    Chain ending = new Chain(new Chain.Order(1, 1, 1, "it ends"), List.of());
    chains.starts(ending);
    chains.giveUpAll();
    assertThat(chains.all()).isEmpty();
    assertThat(ending.givenUp()).isTrue();
    chains.pauses(ending);
    assertThat(chains.all()).isEmpty();
  }

  @Test
  void aMergeThatHasGotItsInputsWaitsAnewForTheNextOneThatIsTaken() {
    long second = 1_000_000_000L;
    Chain chain = new Chain(new Chain.Order(1, 1, 1, "it waits"), List.of());
    assertThat(chain.waits(0)).isTrue();
    assertThat(chain.waits(9 * second)).isTrue();
    chain.waitsNoMore();
    assertThat(chain.waits(11 * second)).isTrue();
    assertThat(chain.waits(20 * second)).isTrue();
    assertThat(chain.waits(21 * second)).isFalse();
  }
}
