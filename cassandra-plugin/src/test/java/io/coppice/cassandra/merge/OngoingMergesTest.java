// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.cassandra.sstable.SteppedMerge;
import io.coppice.cassandra.state.TransientSpaceLedger;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.junit.jupiter.api.Test;

final class OngoingMergesTest {

  /** Else a major compaction that comes just then finds its inputs held, and does nothing. */
  @Test
  void whatHasLetGoOfItsClaimAndNotSaidSoIsGivenUpToo() {
    OngoingMerges merges = new OngoingMerges(new TransientSpaceLedger(), new NoOwner());
    SteppedMerge ending = new SteppedMerge(new SteppedMerge.Spec(1, 1, 1, "it ends"), List.of());
    merges.taskStarted(ending);
    merges.giveUpAll();
    assertThat(merges.all()).isEmpty();
    assertThat(ending.givenUp()).isTrue();
    merges.taskEnded(ending);
    assertThat(merges.all()).isEmpty();
  }

  @Test
  void aTaskThatSaysLateThatItHasRunLeavesTheNextOneOfItsMergeRunning() {
    TransientSpaceLedger space = new TransientSpaceLedger();
    List<Throwable> failures = new ArrayList<>();
    OngoingMerges merges =
        new OngoingMerges(
            space,
            new NoOwner() {
              @Override
              public void failed(
                  Collection<SSTableReader> inputs, int level, int earlier, Throwable why) {
                failures.add(why);
              }
            });
    SteppedMerge merge = new SteppedMerge(new SteppedMerge.Spec(1, 1, 1, "it goes on"), List.of());
    merges.taskStarted(merge);
    merge.setRunning(false);
    merges.taskStarted(merge);
    space.reserve(merge, 10, 0, 10);
    merges.end();
    merges.taskEnded(merge);
    assertThat(merge.running()).isTrue();
    assertThat(space.free(null, 10)).as("its step goes on").isZero();
    merge.fail(new IllegalStateException());
    merge.setRunning(false);
    merges.taskEnded(merge);
    merges.taskEnded(merge);
    assertThat(space.free(null, 10)).isEqualTo(10);
    assertThat(failures).as("it has failed once").hasSize(1);
  }

  @Test
  void onlyWhatRestsIsGivenUpWhenItsInputsAreGone() {
    TransientSpaceLedger space = new TransientSpaceLedger();
    OngoingMerges merges = new OngoingMerges(space, new NoOwner());
    SteppedMerge merge =
        new SteppedMerge(new SteppedMerge.Spec(1, 1, 1, "it trims its last input"), List.of());
    merges.taskStarted(merge);
    space.reserve(merge, 10, 10, 10);
    merges.giveUpGone(sstable -> false);
    assertThat(merge.givenUp()).isFalse();
    assertThat(space.deadBytes()).isEqualTo(10);
    merge.setRunning(false);
    merges.giveUpGone(sstable -> false);
    assertThat(merges.all()).isEmpty();
    assertThat(space.deadBytes()).isZero();
  }

  /** Whatever changes the table, or plans for it, asks all merges how they stand. */
  @Test
  void nobodyWaitsForAMergeToCountItsShards() {
    SteppedMerge merge = new SteppedMerge(new SteppedMerge.Spec(1, 1, 1, "it counts"), List.of());
    assertThat(merge.shards(spec -> Thread.holdsLock(merge) ? 1 : 2)).isEqualTo(2);
    assertThat(merge.shards(spec -> 3)).as("counted once").isEqualTo(2);
  }

  @Test
  void aMergeThatHasGotItsInputsWaitsAnewForTheNextOneThatIsTaken() {
    long second = 1_000_000_000L;
    SteppedMerge merge = new SteppedMerge(new SteppedMerge.Spec(1, 1, 1, "it waits"), List.of());
    assertThat(merge.noteWait(0)).isTrue();
    assertThat(merge.noteWait(9 * second)).isTrue();
    merge.endWait();
    assertThat(merge.noteWait(11 * second)).isTrue();
    assertThat(merge.noteWait(20 * second)).isTrue();
    assertThat(merge.noteWait(21 * second)).isFalse();
  }
}
