// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import io.coppice.base.Coding;
import io.coppice.table.TableMeta;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.LongSupplier;

/** Draws legal edits: flushes, moves, trims and removals, like those of a store at work. */
final class RandomEdits {

  private final Random random;
  private final LongSupplier numbers;
  private final int maxSlices;

  RandomEdits(Random random, LongSupplier numbers, int maxSlices) {
    this.random = random;
    this.numbers = numbers;
    this.maxSlices = maxSlices;
  }

  /** An edit that is legal on this version. */
  VersionEdit next(Version version) {
    while (true) {
      List<Slice> slices = version.slices();
      VersionEdit edit =
          slices.isEmpty() || (slices.size() < maxSlices && random.nextInt(3) == 0)
              ? flush()
              : change(version, slices);
      try {
        version.apply(edit);
        return edit;
      } catch (IllegalArgumentException e) {
        // Drawn blindly, so some would overlap; another draw will do.
        continue;
      }
    }
  }

  private VersionEdit flush() {
    long run = numbers.getAsLong();
    VersionEdit.Builder edit = VersionEdit.builder().addRun(0, run, Set.of());
    int from = random.nextInt(900);
    for (int i = 0; i <= random.nextInt(4); i++) {
      int to = from + random.nextInt(60);
      edit.addTable(0, run, numbers.getAsLong(), meta(numbers.getAsLong(), from, to, random));
      from = to + 1 + random.nextInt(20);
    }
    return edit.walFloor(run).policyText("policy " + run).build();
  }

  private VersionEdit change(Version version, List<Slice> slices) {
    Slice slice = slices.get(random.nextInt(slices.size()));
    VersionEdit.Builder edit = VersionEdit.builder();
    return switch (random.nextInt(4)) {
      case 0 -> edit.removeSlice(slice.id()).build();
      case 1 -> edit.trimSlice(slice.id(), key(Coding.fixed32(turned(slice.low()), 0) + 1)).build();
      case 2 -> move(version, slice, edit);
      default -> merge(version, slice, edit);
    };
  }

  private VersionEdit move(Version version, Slice slice, VersionEdit.Builder edit) {
    List<long[]> runs = runs(version);
    long[] run = runs.get(random.nextInt(runs.size()));
    if (random.nextInt(3) == 0) {
      long fresh = numbers.getAsLong();
      int level = 1 + random.nextInt(4);
      return edit.addRun(level, fresh, Set.of(run[1])).moveSlice(slice.id(), level, fresh).build();
    }
    return edit.moveSlice(slice.id(), (int) run[0], run[1]).build();
  }

  private VersionEdit merge(Version version, Slice slice, VersionEdit.Builder edit) {
    List<long[]> runs = runs(version);
    long[] run = runs.get(random.nextInt(runs.size()));
    int low = Coding.fixed32(turned(slice.table().smallestKey()), 0);
    int high = Coding.fixed32(turned(slice.table().largestKey()), 0);
    return edit.removeSlice(slice.id())
        .addTable(
            (int) run[0], run[1], numbers.getAsLong(), meta(numbers.getAsLong(), low, high, random))
        .build();
  }

  private static List<long[]> runs(Version version) {
    List<long[]> runs = new ArrayList<>();
    for (int level = 0; level < version.levels().size(); level++) {
      for (Run run : version.levels().get(level).runs()) {
        runs.add(new long[] {level, run.id()});
      }
    }
    return runs;
  }

  static TableMeta meta(long number, int from, int to, Random random) {
    long sequence = random.nextInt(1000);
    return new TableMeta(
        number,
        4096 + random.nextInt(4096),
        10 + random.nextInt(100),
        random.nextInt(10),
        key(from),
        key(to),
        sequence,
        sequence + random.nextInt(1000),
        random.nextInt(50) - 1);
  }

  /** Big-endian, so that keys order as their numbers. */
  static byte[] key(int number) {
    byte[] key = new byte[Integer.BYTES];
    Coding.putFixed32(key, 0, Integer.reverseBytes(number));
    return key;
  }

  private static byte[] turned(byte[] key) {
    byte[] number = new byte[Integer.BYTES];
    for (int i = 0; i < number.length; i++) {
      number[i] = key[number.length - 1 - i];
    }
    return number;
  }
}
