// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.junit.jupiter.api.Test;

final class OngoingMergesTest {

  /** Else a major compaction that comes just then finds its inputs held, and does nothing. */
  @Test
  void whatHasLetGoOfItsClaimAndNotSaidSoIsGivenUpToo() {
    OngoingMerges chains = new OngoingMerges(new TransientSpaceLedger(), new NoOwner());
    SteppedMerge ending = new SteppedMerge(new SteppedMerge.Order(1, 1, 1, "it ends"), List.of());
    chains.starts(ending);
    chains.giveUpAll();
    assertThat(chains.all()).isEmpty();
    assertThat(ending.givenUp()).isTrue();
    chains.pauses(ending);
    assertThat(chains.all()).isEmpty();
  }

  @Test
  void aTaskThatSaysLateThatItHasRunLeavesTheNextOneOfItsMergeRunning() {
    TransientSpaceLedger space = new TransientSpaceLedger();
    List<Throwable> failures = new ArrayList<>();
    OngoingMerges chains =
        new OngoingMerges(
            space,
            new NoOwner() {
              @Override
              public void failed(
                  Collection<SSTableReader> inputs, int level, int earlier, Throwable why) {
                failures.add(why);
              }
            });
    SteppedMerge chain = new SteppedMerge(new SteppedMerge.Order(1, 1, 1, "it goes on"), List.of());
    chains.starts(chain);
    chain.run(false);
    chains.starts(chain);
    space.hold(chain, 10, 0, 10);
    chains.end();
    chains.pauses(chain);
    assertThat(chain.running()).isTrue();
    assertThat(space.free(null, 10)).as("its step goes on").isZero();
    chain.fail(new IllegalStateException());
    chain.run(false);
    chains.pauses(chain);
    chains.pauses(chain);
    assertThat(space.free(null, 10)).isEqualTo(10);
    assertThat(failures).as("it has failed once").hasSize(1);
  }

  @Test
  void onlyWhatRestsIsGivenUpWhenItsInputsAreGone() {
    TransientSpaceLedger space = new TransientSpaceLedger();
    OngoingMerges chains = new OngoingMerges(space, new NoOwner());
    SteppedMerge chain =
        new SteppedMerge(new SteppedMerge.Order(1, 1, 1, "it trims its last input"), List.of());
    chains.starts(chain);
    space.hold(chain, 10, 10, 10);
    chains.giveUpGone(sstable -> false);
    assertThat(chain.givenUp()).isFalse();
    assertThat(space.deadBytes()).isEqualTo(10);
    chain.run(false);
    chains.giveUpGone(sstable -> false);
    assertThat(chains.all()).isEmpty();
    assertThat(space.deadBytes()).isZero();
  }

  /** Whatever changes the table, or plans for it, asks all merges how they stand. */
  @Test
  void nobodyWaitsForAMergeToCountItsShards() {
    SteppedMerge chain = new SteppedMerge(new SteppedMerge.Order(1, 1, 1, "it counts"), List.of());
    assertThat(chain.shards(order -> Thread.holdsLock(chain) ? 1 : 2)).isEqualTo(2);
    assertThat(chain.shards(order -> 3)).as("counted once").isEqualTo(2);
  }

  @Test
  void aMergeThatHasGotItsInputsWaitsAnewForTheNextOneThatIsTaken() {
    long second = 1_000_000_000L;
    SteppedMerge chain = new SteppedMerge(new SteppedMerge.Order(1, 1, 1, "it waits"), List.of());
    assertThat(chain.waits(0)).isTrue();
    assertThat(chain.waits(9 * second)).isTrue();
    chain.waitsNoMore();
    assertThat(chain.waits(11 * second)).isTrue();
    assertThat(chain.waits(20 * second)).isTrue();
    assertThat(chain.waits(21 * second)).isFalse();
  }
}
