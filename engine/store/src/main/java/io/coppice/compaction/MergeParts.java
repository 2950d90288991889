// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.manifest.Level;
import io.coppice.manifest.Run;
import io.coppice.manifest.Segment;
import io.coppice.manifest.Slice;
import io.coppice.manifest.Version;
import io.coppice.manifest.VersionEdit;
import io.coppice.policy.Plan;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;

/**
 * Cuts the inputs of a large merge by key, so that several slots can work on it at once. Each part
 * is a merge of its own in every respect but its claim.
 *
 * <ol>
 *   <li>The cuts lie at ends of slices of the run that has most bytes, where about equal bytes of
 *       it lie between them.
 *   <li>One edit cuts every segment of the inputs that reaches across: two slices of one table take
 *       the place of one. If a merge ends early, that is all that remains of its parts.
 *   <li>On both sides of a cut a part holds one more table of each other run. For that it ends its
 *       steps earlier, so that parts together fill the disk by no more than as many merges.
 * </ol>
 */
final class MergeParts {

  /** Parts are worth their edit and their cursors from so many tables on. */
  static final int MIN_TABLES = 8;

  private MergeParts() {}

  /**
   * How many parts to make, at least 1.
   *
   * @param runs runs that the inputs lie in
   * @param inputBytes bytes of the inputs
   * @param freeSlots merges that may run at once
   * @param transientBytes what each part may fill
   * @param transientBytesLeft what all of them may fill
   */
  static int count(
      Plan.Merge plan,
      int runs,
      long inputBytes,
      long tableBytes,
      int freeSlots,
      long transientBytes,
      long transientBytesLeft) {
    if (plan.cleaningThreshold() > 0 && plan.cleaningThreshold() < runs) {
      return 1;
    }
    long most = Math.min(freeSlots, inputBytes / MIN_TABLES / Math.max(1, tableBytes));
    if (transientBytes > 0) {
      most = Math.min(most, transientBytesLeft / transientBytes);
    }
    return (int) Math.max(1, most);
  }

  /** Outputs after which a step of a part ends. */
  static int outputsAStep(int threshold, int runs, int parts) {
    return threshold == 0
        ? Integer.MAX_VALUE
        : parts == 1 ? threshold : Math.max(1, threshold - (runs - 1));
  }

  /** Up to {@code parts - 1} keys, ascending, after which to cut. */
  static List<byte[]> cuts(
      Version version, Set<Long> inputs, ToLongFunction<Slice> bytes, int parts) {
    List<Slice> largest = List.of();
    long most = 0;
    for (Level level : version.levels()) {
      for (Run run : level.runs()) {
        List<Slice> chosen = new ArrayList<>();
        for (Segment segment : run.segments()) {
          segment.slices().stream().filter(s -> inputs.contains(s.id())).forEach(chosen::add);
        }
        long sum = chosen.stream().mapToLong(bytes).sum();
        if (sum > most) {
          most = sum;
          largest = chosen;
        }
      }
    }
    List<byte[]> cuts = new ArrayList<>();
    long passed = 0;
    for (int i = 0; i + 1 < largest.size() && cuts.size() + 1 < parts; i++) {
      passed += bytes.applyAsLong(largest.get(i));
      if (passed >= most / parts * (cuts.size() + 1)) {
        byte[] key = largest.get(i).high();
        if (cuts.isEmpty() || Arrays.compareUnsigned(cuts.get(cuts.size() - 1), key) < 0) {
          cuts.add(key);
        }
      }
    }
    return cuts;
  }

  /**
   * Adds to an edit what cuts the segments of the inputs.
   *
   * @param numbers gives slice ids
   * @return the ids of the slices new with it, or null if a segment in the way has slices that are
   *     no inputs: then nothing is added
   */
  static Set<Long> cut(
      Version version,
      Set<Long> inputs,
      List<byte[]> cuts,
      LongSupplier numbers,
      VersionEdit.Builder edit) {
    Set<Long> fresh = new HashSet<>();
    VersionEdit.Builder whole = VersionEdit.builder();
    for (Level level : version.levels()) {
      for (Run run : level.runs()) {
        for (Segment segment : run.segments()) {
          long in = segment.slices().stream().filter(s -> inputs.contains(s.id())).count();
          if (in == 0) {
            continue;
          }
          if (!cut(segment, in == segment.slices().size(), cuts, numbers, whole, fresh)) {
            return null;
          }
        }
      }
    }
    edit.addAll(whole.build().ops());
    return fresh;
  }

  private static boolean cut(
      Segment segment,
      boolean ours,
      List<byte[]> cuts,
      LongSupplier numbers,
      VersionEdit.Builder edit,
      Set<Long> fresh) {
    // By the slice it had at first the id that it has above the cuts so far.
    Map<Long, Long> ids = new HashMap<>();
    for (Slice slice : segment.slices()) {
      ids.put(slice.id(), slice.id());
    }
    byte[] before = null;
    for (byte[] key : cuts) {
      List<Long> above = new ArrayList<>();
      boolean below = false;
      Slice beyond = null;
      for (Slice slice : segment.slices()) {
        below |= slice.reachesTo(key) && reachesAbove(slice, before);
        beyond = reachesAbove(slice, key) ? slice : beyond;
      }
      before = key;
      if (!below || beyond == null) {
        continue;
      }
      if (!ours) {
        return false;
      }
      long named = ids.get(beyond.id());
      for (Slice slice : segment.slices()) {
        if (slice.reachesTo(key) && reachesAbove(slice, key)) {
          long id = numbers.getAsLong();
          above.add(id);
          ids.put(slice.id(), id);
          fresh.add(id);
        }
      }
      edit.cutSegment(named, key, above);
    }
    return true;
  }

  /** The slices chosen, by part, in the order of the version; parts without any are left out. */
  static List<List<Slice>> parts(Version version, Set<Long> inputs, List<byte[]> cuts) {
    List<List<Slice>> parts = new ArrayList<>();
    for (int i = 0; i < cuts.size(); i++) {
      parts.add(new ArrayList<>());
    }
    parts.add(new ArrayList<>());
    version.forEachSlice(
        slice -> {
          if (inputs.contains(slice.id())) {
            int part = 0;
            while (part < cuts.size() && reachesAbove(slice, cuts.get(part))) {
              part++;
            }
            parts.get(part).add(slice);
          }
        });
    parts.removeIf(List::isEmpty);
    return parts;
  }

  private static boolean reachesAbove(Slice slice, byte[] key) {
    return key == null || Arrays.compareUnsigned(slice.high(), key) > 0;
  }
}
