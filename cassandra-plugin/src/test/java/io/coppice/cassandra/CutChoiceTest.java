// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.cassandra.CutChoice.Cut;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Inputs here have ten bytes a key, so that all sizes can be counted by hand. */
final class CutChoiceTest {

  private static final long SEED = Long.getLong("seed", 20261121L);
  private static final long ALL = Long.MAX_VALUE;

  private record Input(Integer first, Integer last, Integer cursor)
      implements CutChoice.Extent<Integer> {

    @Override
    public long bytes() {
      return 10L * (last - first + 1);
    }

    @Override
    public long bytesUpTo(Integer key) {
      assertThat(key).isBetween(first, last - 1);
      return 10L * (key - first + 1);
    }

    @Override
    public long doneBytes() {
      return cursor == null ? 0 : bytesUpTo(cursor);
    }
  }

  private static Input input(int first, int last) {
    return new Input(first, last, null);
  }

  @Test
  void noSizeWantedIsOneStep() {
    Optional<Cut<Integer>> cut =
        new CutChoice<>(List.of(input(1, 10), input(5, 30))).choose(ALL, ALL);
    assertThat(cut).contains(new Cut<>(30, 360, 360, 0));
  }

  @Test
  void cutsAtTheEndOfAnInputOnly() {
    CutChoice<Integer> choice =
        new CutChoice<>(List.of(input(1, 10), input(11, 20), input(21, 30), input(1, 30)));
    assertThat(choice.choose(200, ALL)).contains(new Cut<>(10, 200, 200, 100));
    assertThat(choice.choose(300, ALL)).contains(new Cut<>(20, 400, 400, 200));
  }

  @Test
  void whatWasMergedBeforeIsNotReadAgainButDead() {
    CutChoice<Integer> choice =
        new CutChoice<>(List.of(input(11, 20), input(21, 30), new Input(1, 30, 10)));
    assertThat(choice.deadBytes()).isEqualTo(100);
    assertThat(choice.restBytes()).isEqualTo(400);
    assertThat(choice.choose(200, ALL)).contains(new Cut<>(20, 200, 300, 200));
    assertThat(choice.choose(ALL, ALL)).contains(new Cut<>(30, 400, 500, 0));
  }

  @Test
  void ofCutsNearTheSizeTakesTheOneWithTheFewestDeadBytes() {
    CutChoice<Integer> choice =
        new CutChoice<>(
            List.of(input(1, 48), input(49, 52), input(53, 55), input(1, 52), input(53, 200)));
    assertThat(choice.choose(1000, ALL)).contains(new Cut<>(52, 1040, 1040, 0));
  }

  @Test
  void wideInputsThatEndCloseToEachOtherGoTogether() {
    CutChoice<Integer> choice =
        new CutChoice<>(List.of(input(1, 97), input(2, 98), input(1, 99), input(3, 100)));
    assertThat(choice.choose(100, ALL)).contains(new Cut<>(100, 3910, 3910, 0));
    assertThat(choice.choose(100, 3905)).map(Cut::at).contains(99);
  }

  @Test
  void takesSmallerStepsWhereSpaceIsShortAndNoneWhereItIsTooShort() {
    CutChoice<Integer> choice =
        new CutChoice<>(List.of(input(1, 10), input(11, 20), input(21, 30), input(1, 30)));
    assertThat(choice.choose(ALL, 600)).map(Cut::at).contains(30);
    assertThat(choice.choose(ALL, 599)).as("less is dead").map(Cut::at).contains(10);
    assertThat(choice.choose(ALL, 200)).map(Cut::at).contains(10);
    assertThat(choice.choose(ALL, 199)).isEmpty();
    assertThat(choice.least()).isEqualTo(new Cut<>(10, 200, 200, 100));
  }

  @Test
  void halvesItsStepsWhileTheDisksHaveNoRoom() {
    CutChoice<Integer> choice =
        new CutChoice<>(
            List.of(input(1, 10), input(11, 20), input(21, 30), input(31, 40), input(1, 40)));
    assertThat(choice.choose(ALL, ALL, bytes -> true)).map(Cut::stepBytes).contains(800L);
    assertThat(choice.choose(ALL, ALL, bytes -> bytes < 800)).map(Cut::stepBytes).contains(400L);
    assertThat(choice.choose(ALL, ALL, bytes -> bytes < 300)).map(Cut::stepBytes).contains(200L);
    assertThat(choice.choose(ALL, ALL, bytes -> false)).isEmpty();
    assertThat(choice.choose(ALL, 700, bytes -> bytes < 600)).map(Cut::stepBytes).contains(400L);
  }

  @Test
  void anyInputsAreMergedToTheirEndsWithinTheLimit() {
    Random random = new Random(SEED);
    for (int round = 0; round < 400; round++) {
      String seeded = "seed " + SEED + ", round " + round;
      List<Input> left = new ArrayList<>();
      int runs = 1 + random.nextInt(5);
      for (int run = 0; run < runs; run++) {
        for (int key = random.nextInt(10); key < 200; ) {
          int last = key + random.nextInt(1 + random.nextInt(60));
          left.add(input(key, last));
          key = last + 1 + random.nextInt(5);
        }
      }
      long limit = random.nextBoolean() ? ALL : 500 + random.nextInt(20_000);
      long target = random.nextInt(3000);
      while (!left.isEmpty()) {
        CutChoice<Integer> choice = new CutChoice<>(left);
        Optional<Cut<Integer>> chosen = choice.choose(target, limit);
        if (chosen.isEmpty()) {
          assertThat(choice.least().peakBytes()).as(seeded).isGreaterThan(limit);
          break;
        }
        Cut<Integer> cut = chosen.get();
        assertThat(cut).as(seeded).isEqualTo(counted(left, cut.at()));
        assertThat(cut.peakBytes()).as(seeded).isLessThanOrEqualTo(limit);
        left = after(left, cut.at(), seeded);
      }
    }
  }

  /** The same figures, key by key. */
  private static Cut<Integer> counted(List<Input> inputs, int at) {
    long step = 0;
    long dead = 0;
    long deadBefore = 0;
    for (Input input : inputs) {
      for (int key = input.first; key <= input.last; key++) {
        boolean done = input.cursor != null && key <= input.cursor;
        deadBefore += done ? 10 : 0;
        step += !done && key <= at ? 10 : 0;
        dead += input.last > at && key <= at ? 10 : 0;
      }
    }
    return new Cut<>(at, step, deadBefore + step, dead);
  }

  private static List<Input> after(List<Input> inputs, int at, String seeded) {
    List<Input> left = new ArrayList<>();
    for (Input input : inputs) {
      if (input.last > at) {
        left.add(input.first > at ? input : new Input(input.first, input.last, at));
      }
    }
    assertThat(left.size()).as(seeded).isLessThan(inputs.size());
    return left;
  }
}
