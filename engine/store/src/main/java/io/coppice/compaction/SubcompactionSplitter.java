// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.policy.Plan;
import io.coppice.version.Level;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import io.coppice.version.Version;
import io.coppice.version.VersionEdit;
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
 * Splitter of a large merge into parts by key, so that several slots can work on it at once. Each
 * part is a merge of its own in every respect but its claim.
 *
 * <ol>
 *   <li>The cuts are at ends of slices of the largest input run and divide its bytes about equally.
 *   <li>One edit cuts every input segment that crosses a cut: two slices of one table replace one.
 *       If a merge ends early, these cuts are all that remains of its parts.
 *   <li>At a cut a part holds one more table of each other run on both sides. It therefore ends its
 *       steps earlier, so that the parts together take no more disk space than as many merges.
 * </ol>
 */
final class SubcompactionSplitter {

  /** Smallest number of tables that makes a part worth its edit and cursors. */
  static final int MIN_TABLES = 8;

  private SubcompactionSplitter() {}

  /**
   * Returns the number of parts to make, at least 1.
   *
   * @param runs number of runs that contain the inputs
   * @param inputBytes bytes of the inputs
   * @param tableBytes size of a full output in bytes
   * @param freeSlots merges that may run at once
   * @param transientBytes transient space of each part
   * @param transientBytesLeft transient space for all parts
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

  /**
   * Returns the number of outputs after which a step of a part ends; {@link Integer#MAX_VALUE} for
   * no limit.
   *
   * @param threshold this number for the undivided merge; 0 for no limit
   * @param runs number of runs that contain the inputs
   * @param parts number of parts of the merge
   */
  static int outputsPerStep(int threshold, int runs, int parts) {
    return threshold == 0
        ? Integer.MAX_VALUE
        : parts == 1 ? threshold : Math.max(1, threshold - (runs - 1));
  }

  /**
   * Returns up to {@code parts - 1} keys that divide the inputs, ascending, each once. Each key is
   * the last one of its part.
   *
   * @param inputs ids of the slices
   * @param bytes returns the size of a slice
   */
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
   * Adds the operations that cut the input segments to an edit.
   *
   * @param cuts keys from {@link #cuts}
   * @param numbers supplies slice ids
   * @return the ids of the new slices. It is null, and the edit unchanged, if a segment at a cut
   *     also contains slices outside the inputs
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
    // By original id of a slice, the id of its part above the cuts made until then.
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

  /**
   * Returns the input slices by part. Parts have ascending keys, their slices the order of the
   * version; empty parts are omitted.
   */
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
