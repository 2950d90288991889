// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.step;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.coppice.policy.step.StepPicker.Cut;
import io.coppice.testing.Seeds;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Inputs here have ten bytes a key, so that all sizes can be counted by hand. */
final class StepPickerTest {

  private static final long SEED = Seeds.first();
  private static final long ALL = Long.MAX_VALUE;

  private record Input(Integer first, Integer last, Integer cursor)
      implements StepPicker.StepInput<Integer> {

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
        new StepPicker<>(List.of(input(1, 10), input(5, 30))).choose(ALL, ALL);
    assertThat(cut).contains(new Cut<>(30, 360, 360, 0));
  }

  @Test
  void allInOneStepIsAllOrNothing() {
    StepPicker<Integer> choice =
        new StepPicker<>(List.of(input(11, 20), input(21, 30), new Input(1, 30, 10)));
    long files = UsableFreeSpace.files(400, ALL);
    assertThat(choice.whole(ALL, 500 + files)).contains(new Cut<>(30, 400, 500, 0));
    assertThat(choice.whole(ALL, 499 + files)).isEmpty();
  }

  @Test
  void cutsAtTheEndOfAnInputOnly() {
    StepPicker<Integer> choice =
        new StepPicker<>(List.of(input(1, 10), input(11, 20), input(21, 30), input(1, 30)));
    assertThat(choice.choose(200, ALL)).contains(new Cut<>(10, 200, 200, 100));
    assertThat(choice.choose(300, ALL)).contains(new Cut<>(20, 400, 400, 200));
  }

  @Test
  void whatWasMergedBeforeIsNotReadAgainButDead() {
    StepPicker<Integer> choice =
        new StepPicker<>(List.of(input(11, 20), input(21, 30), new Input(1, 30, 10)));
    assertThat(choice.deadBytesBefore()).isEqualTo(100);
    assertThat(choice.restBytes()).isEqualTo(400);
    assertThat(choice.choose(200, ALL)).contains(new Cut<>(20, 200, 300, 200));
    assertThat(choice.choose(ALL, ALL)).contains(new Cut<>(30, 400, 500, 0));
  }

  @Test
  void ofCutsNearTheSizeTakesTheOneWithTheFewestDeadBytes() {
    StepPicker<Integer> choice =
        new StepPicker<>(
            List.of(input(1, 48), input(49, 52), input(53, 55), input(1, 52), input(53, 200)));
    assertThat(choice.choose(1000, ALL)).contains(new Cut<>(52, 1040, 1040, 0));
  }

  @Test
  void wideInputsThatEndCloseToEachOtherGoTogether() {
    StepPicker<Integer> choice =
        new StepPicker<>(List.of(input(1, 97), input(2, 98), input(1, 99), input(3, 100)));
    assertThat(choice.choose(100, ALL)).contains(new Cut<>(100, 3910, 3910, 0));
    assertThat(choice.choose(100, 3905)).map(Cut::at).contains(99);
  }

  @Test
  void takesSmallerStepsWhereSpaceIsShortAndNoneWhereItIsTooShort() {
    StepPicker<Integer> choice =
        new StepPicker<>(List.of(input(1, 10), input(11, 20), input(21, 30), input(1, 30)));
    assertThat(choice.choose(ALL, 600)).map(Cut::at).contains(30);
    assertThat(choice.choose(ALL, 599)).as("less is dead").map(Cut::at).contains(10);
    assertThat(choice.choose(ALL, 200)).map(Cut::at).contains(10);
    assertThat(choice.choose(ALL, 199)).isEmpty();
    assertThat(choice.least()).isEqualTo(new Cut<>(10, 200, 200, 100));
  }

  /** A share of the keys from low to high, evenly among them; one key is a byte where it is 1. */
  private record Sized(long low, long high, long cursor, double density)
      implements StepPicker.StepInput<Long> {

    Sized(long low, long bytes) {
      this(low, bytes, bytes);
    }

    Sized(long low, long keys, long bytes) {
      this(low, low + keys - 1, low - 1, (double) bytes / keys);
    }

    Sized merged(long at) {
      return new Sized(low, high, at, density);
    }

    Sized rest() {
      return new Sized(cursor + 1, high, cursor, density);
    }

    @Override
    public Long first() {
      return low;
    }

    @Override
    public Long last() {
      return high;
    }

    @Override
    public long bytes() {
      return bytesUpTo(high);
    }

    @Override
    public long bytesUpTo(Long key) {
      return Math.round((key - low + 1) * density);
    }

    @Override
    public long doneBytes() {
      return bytesUpTo(cursor);
    }
  }

  @Test
  void anyInputsThatFitARoundAreMergedToTheirEndsWithinTheLimit() {
    Random random = new Random(SEED);
    for (int round = 0; round < 100; round++) {
      String seeded = "seed " + SEED + ", round " + round;
      List<Sized> inputs = new ArrayList<>();
      int runs = 1 + random.nextInt(7);
      for (int run = 0; run < runs; run++) {
        boolean aligned = random.nextBoolean();
        for (long key = 0; key < 40L << 20; ) {
          long bytes = aligned ? 4L << 20 : (1 << 20) + random.nextInt(4 << 20);
          inputs.add(new Sized(key, bytes));
          key += bytes;
        }
      }
      long largest = inputs.stream().mapToLong(Sized::bytes).max().orElseThrow();
      long limit = 5 * largest / 2 + random.nextInt(4 << 20);
      long target = random.nextInt(40 << 20);
      List<Sized> left = Rounds.take(inputs, limit, 4 << 20, false).orElseThrow();
      while (!left.isEmpty()) {
        StepPicker<Long> choice = new StepPicker<>(left);
        Optional<StepPicker.Step<Long>> step = choice.next(target, 4 << 20, limit);
        assertThat(step).as(seeded + ", limit " + limit + ", left " + left).isPresent();
        assertThat(step.get().peakBytes()).as(seeded).isLessThanOrEqualTo(limit);
        left = cut(left, ((Cut<Long>) step.get()).at());
        long dead = left.stream().mapToLong(Sized::doneBytes).sum();
        assertThat(dead).as(seeded).isEqualTo(step.get().deadBytesAfter());
      }
    }
  }

  private static List<Sized> cut(List<Sized> inputs, long at) {
    List<Sized> left = new ArrayList<>();
    for (Sized input : inputs) {
      if (input.high > at) {
        left.add(input.low > at ? input : input.merged(at));
      }
    }
    return left;
  }

  /**
   * Runs as a forest leaves them: the SSTables of a run end below where a power of two divides all,
   * each at the last key that it happens to have there.
   */
  private static List<Sized> forest(Random random, long table) {
    List<Sized> inputs = new ArrayList<>();
    long keys = 64 * table;
    int most = 1 + random.nextInt(8);
    for (int shards = 4; shards <= 64; shards *= 4) {
      for (int run = 1 + random.nextInt(most); run > 0; run--) {
        // An SSTable of a smaller run spans more keys: of those it has some.
        for (int shard = 0; shard < shards; shard++) {
          long missing = 1 + random.nextInt((int) (table / 1000));
          inputs.add(new Sized(shard * (keys / shards), keys / shards - missing, table));
        }
      }
    }
    return inputs;
  }

  /**
   * How far a merge of a {@link #forest} may fill the disk, in SSTables, where nothing is dropped.
   * No input is more than half merged when a step exceeds the wanted size: it would be trimmed. The
   * step then merges at most the keys of one SSTable of the smallest shard, from all runs.
   */
  private static double highestPeak(List<Sized> forest) {
    double peak = 0;
    for (Sized input : forest) {
      if (input.low == 0) {
        double merged = (double) (1 << 20) / (input.high + 1);
        peak += merged > 0.9 ? 1 : 0.5 + merged;
      }
    }
    return peak;
  }

  @Test
  void aSparingMergeKeepsNearWhatIsWantedAndWritesLittleTwice() {
    Random random = new Random(SEED);
    long table = 1 << 20;
    for (int round = 0; round < 60; round++) {
      List<Sized> left = forest(random, table);
      int depth = left.stream().filter(input -> input.low == 0).toList().size();
      double kept = random.nextBoolean() ? 1 : 0.4 + random.nextDouble() / 2;
      double highest = highestPeak(left);
      long wanted = 4 * table;
      String seeded = "seed " + SEED + ", round " + round + ", depth " + depth + ", kept " + kept;
      long all = left.stream().mapToLong(Sized::bytes).sum();
      double known = 1;
      double filled = 0;
      double peak = 0;
      double written = 0;
      int steps = 0;
      int small = 0;
      for (; !left.isEmpty(); steps++) {
        StepPicker.Step<Long> step =
            new StepPicker<>(left).sparing(10 * table, table, wanted, (long) filled, known);
        long before = left.stream().mapToLong(Sized::bytes).sum();
        boolean cuts = step instanceof Cut<Long>;
        small += cuts && step.stepBytes() * kept < table / 4 ? 1 : 0;
        left = step instanceof Cut<Long> cut ? cut(left, cut.at()) : whole(left, step);
        double output = step.stepBytes() * (cuts ? kept : 1);
        peak = Math.max(peak, filled + output);
        written += output;
        long rest = cuts ? 0 : step.stepBytes();
        filled += output + left.stream().mapToLong(Sized::bytes).sum() - before - rest;
        known = cuts ? kept : known;
        assertThat(steps).as(seeded).isLessThan(2_000);
      }
      assertThat(small).as("small SSTables, " + seeded).isLessThan((int) (all * kept / table / 10));
      double allowed = Math.max((double) wanted / table, kept * highest);
      assertThat(peak / table).as(seeded).isLessThanOrEqualTo(allowed);
      assertThat(written / all).as(seeded).isBetween(0.999 * kept, kept < 1 ? 1.1 * kept : 1.5);
      assertThat(filled).as(seeded).isCloseTo((kept - 1) * all, within(1.0 * steps + depth));
    }
  }

  /** What is left of it is one input. */
  private static List<Sized> whole(List<Sized> inputs, StepPicker.Step<Long> step) {
    Sized input = (Sized) ((StepPicker.Trim<Long>) step).input();
    List<Sized> left = new ArrayList<>(inputs);
    left.remove(input);
    left.add(input.rest());
    return left;
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
        StepPicker<Integer> choice = new StepPicker<>(left);
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
