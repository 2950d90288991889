// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.step;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.testing.Seeds;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class UsableFreeSpaceTest {

  private static final long SEED = Seeds.first();
  private static final long TABLE = 4 << 20;

  @Test
  void whatAStepHoldsIsFreeWhateverTheSize() {
    for (long free = 0; free < 5000; free++) {
      long peak = UsableFreeSpace.of(free);
      assertThat(UsableFreeSpace.bytesToReserve(peak, free))
          .as("of %d", free)
          .isBetween(peak, free);
    }
  }

  @Test
  void withoutALimitThereIsNone() {
    assertThat(UsableFreeSpace.ofPlans(Long.MAX_VALUE, TABLE, TABLE)).isEqualTo(Long.MAX_VALUE);
  }

  /** Bytes of keys that are bytes. */
  private record Extent(Long first, Long last) implements StepPicker.StepInput<Long> {

    @Override
    public long bytes() {
      return last - first + 1;
    }

    @Override
    public long bytesUpTo(Long key) {
      return key - first + 1;
    }

    @Override
    public long doneBytes() {
      return 0;
    }
  }

  @Test
  void twoNeighboursThatAPlanMayJoinAreJoinedByItsFirstStep() {
    Random random = new Random(SEED);
    for (int round = 0; round < 2000; round++) {
      long first = 1 + random.nextInt((int) TABLE / 2);
      long second = 1 + random.nextInt((int) TABLE / 2);
      long free = first + second + random.nextInt((int) TABLE);
      int outputs = random.nextInt(3);
      long step = StepPicker.stepBytes(TABLE, outputs);
      if (first + second <= UsableFreeSpace.ofPlans(free, step, TABLE)) {
        StepPicker<Long> choice =
            new StepPicker<>(
                List.of(new Extent(0L, first - 1), new Extent(first, first + second - 1)));
        Optional<StepPicker.Step<Long>> chosen = choice.next(step, TABLE, UsableFreeSpace.of(free));
        assertThat(chosen)
            .as("seed %d, round %d: %d and %d in %d", SEED, round, first, second, free)
            .hasValueSatisfying(
                cut -> assertThat(((StepPicker.Cut<Long>) cut).at()).isEqualTo(first + second - 1));
      }
    }
  }
}
