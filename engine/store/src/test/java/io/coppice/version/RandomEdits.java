// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.bytes.Coding;
import io.coppice.table.KeyWindow;
import io.coppice.table.TableMeta;
import io.coppice.table.filter.FilterSlot;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * Draws legal edits, like those of a store at work: flushes, moves, regroupings, merges; of a
 * catalogue also families that come and go, and edits of several of them.
 */
public final class RandomEdits {

  private final Random random;
  private final LongSupplier numbers;
  private final int maxSlices;

  public RandomEdits(Random random, LongSupplier numbers, int maxSlices) {
    this.random = random;
    this.numbers = numbers;
    this.maxSlices = maxSlices;
  }

  /** An edit that is legal on this version. */
  public VersionEdit next(Version version) {
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

  /** An edit that is legal on this catalogue. */
  public VersionEdit next(ManifestState state) {
    List<ManifestState.Family> families = state.families();
    int next = state.marks().nextFamily();
    ManifestState.Family family = families.get(random.nextInt(families.size()));
    VersionEdit.Builder edit = VersionEdit.builder();
    switch (random.nextInt(30)) {
      case 0 -> edit.createFamily(next, "f" + next).family(next).append(flush().in(next));
      case 1 -> {
        if (family.number() != ManifestState.DEFAULT_FAMILY && families.size() > 3) {
          edit.dropFamily(family.number());
        } else {
          edit.createFamily(next, "f" + next).family(next).keyOrder("bytes");
        }
      }
      case 2 -> families.forEach(each -> edit.append(flush().in(each.number())));
      default -> edit.append(next(family.version()).in(family.number()));
    }
    return edit.build();
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
    return edit.walFloor(run, run % 2 == 0).policyText("policy " + run).build();
  }

  private VersionEdit change(Version version, List<Slice> slices) {
    Slice slice = slices.get(random.nextInt(slices.size()));
    VersionEdit.Builder edit = VersionEdit.builder();
    return switch (random.nextInt(6)) {
      case 5 -> cut(version, slice, edit);
      case 0 -> edit.removeSlice(slice.id()).build();
      case 1 -> edit.trimSlice(slice.id(), key(Coding.fixed32(turned(slice.low()), 0) + 1)).build();
      case 2 -> move(version, slice, edit);
      case 3 -> regroup(version, slice, edit);
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

  /** The segment of a slice, with what lies under it in the next older run, cut anew at random. */
  private VersionEdit regroup(Version version, Slice slice, VersionEdit.Builder edit) {
    List<Slice> inputs = new ArrayList<>();
    Segment upper = null;
    long[] target = null;
    for (long[] run : runs(version)) {
      for (Segment segment : version.run(run[1]).segments()) {
        if (upper == null && segment.slices().contains(slice)) {
          upper = segment;
          target = run;
          inputs.addAll(segment.slices());
        } else if (upper != null && target[2] + 1 == run[2] && overlap(upper, segment)) {
          inputs.addAll(segment.slices());
        }
      }
    }
    long[] next = runs(version).get(Math.min((int) target[2] + 1, runs(version).size() - 1));
    List<byte[]> cuts = new ArrayList<>();
    for (int at = 0; at < 1000; at += 1 + random.nextInt(200)) {
      cuts.add(key(at));
    }
    cuts.add(key(2000));
    List<List<EditOp.Piece>> segments = new ArrayList<>();
    byte[] low = null;
    for (byte[] high : cuts) {
      List<EditOp.Piece> pieces = new ArrayList<>();
      for (Slice input : inputs) {
        piece(input, low, high, pieces);
      }
      if (!pieces.isEmpty()) {
        segments.add(pieces);
      }
      low = high;
    }
    List<Long> ids = inputs.stream().map(Slice::id).toList();
    return edit.regroup((int) next[0], next[1], numbers.getAsLong(), ids, segments).build();
  }

  private VersionEdit cut(Version version, Slice slice, VersionEdit.Builder edit) {
    byte[] at = key(random.nextInt(1000));
    List<Long> above = new ArrayList<>();
    version.forEachRun(
        run -> {
          for (Segment segment : run.segments()) {
            if (segment.slices().contains(slice)) {
              for (Slice each : segment.slices()) {
                if (each.reachesTo(at) && Arrays.compareUnsigned(each.high(), at) > 0) {
                  above.add(numbers.getAsLong());
                }
              }
            }
          }
        });
    return edit.cutSegment(slice.id(), at, above).build();
  }

  private static boolean overlap(Segment a, Segment b) {
    return !a.isBelow(b) && !b.isBelow(a);
  }

  private void piece(Slice input, byte[] low, byte[] high, List<EditOp.Piece> pieces) {
    byte[] from = max(input.window().low(), low);
    byte[] to = input.window().high() == null ? high : min(input.window().high(), high);
    if (from != null && Arrays.compareUnsigned(from, to) >= 0) {
      return;
    }
    try {
      Slice slice = new Slice(numbers.getAsLong(), input.table(), new KeyWindow(from, to));
      pieces.add(new EditOp.Piece(slice.id(), slice.table().number(), slice.window()));
    } catch (IllegalArgumentException e) {
      assertThat(e).hasMessageContaining("shows no key");
    }
  }

  private static byte[] max(byte[] a, byte[] b) {
    return a == null ? b : b == null ? a : Arrays.compareUnsigned(a, b) > 0 ? a : b;
  }

  private static byte[] min(byte[] a, byte[] b) {
    return Arrays.compareUnsigned(a, b) < 0 ? a : b;
  }

  /** Level, id and place in the order of age of each run. */
  private static List<long[]> runs(Version version) {
    List<long[]> runs = new ArrayList<>();
    for (int level = 0; level < version.levels().size(); level++) {
      for (Run run : version.levels().get(level).runs()) {
        runs.add(new long[] {level, run.id(), runs.size()});
      }
    }
    return runs;
  }

  public static TableMeta meta(long number, int from, int to, Random random) {
    long sequence = random.nextInt(1000);
    return new TableMeta(
        number,
        4096 + random.nextInt(4096),
        10 + random.nextInt(100),
        random.nextInt(10),
        0,
        key(from),
        key(to),
        sequence,
        sequence + random.nextInt(1000),
        filterSlot(random.nextInt(50)));
  }

  private static FilterSlot filterSlot(int drawn) {
    return drawn == 0 ? FilterSlot.NONE : new FilterSlot(drawn * 7, 5 + drawn % 12, 1 + drawn % 9);
  }

  /** Big-endian, so that keys order as their numbers. */
  public static byte[] key(int number) {
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
