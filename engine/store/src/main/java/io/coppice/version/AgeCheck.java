// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Check of the age order after an edit. A slice that moved or was regrouped must keep its age
 * relative to every slice it overlaps; otherwise an old value would hide a newer one.
 */
final class AgeCheck {

  private final Map<Long, RunBuilder> runs;
  private final Map<Long, List<RunBuilder.Origin>> movedFrom;
  private final Set<Long> added;

  /**
   * Creates the check of one edit.
   *
   * @param runs all runs after the edit, with their age
   * @param movedFrom original positions of each slice that the edit moves or regroups
   * @param added slices added by the edit, which the check ignores
   */
  AgeCheck(
      Map<Long, RunBuilder> runs, Map<Long, List<RunBuilder.Origin>> movedFrom, Set<Long> added) {
    this.runs = runs;
    this.movedFrom = movedFrom;
    this.added = added;
  }

  /**
   * Checks every slice that the edit moved or regrouped.
   *
   * @param version version after the edit
   * @throws IllegalArgumentException if one has passed a slice that it overlaps
   */
  void check(Version version) {
    if (movedFrom.isEmpty()) {
      return;
    }
    for (Level level : version.levels()) {
      for (Run run : level.runs()) {
        RunBuilder home = runs.get(run.id());
        if (home.hasJoined()) {
          for (Segment segment : run.segments()) {
            check(version, segment, home);
          }
        }
      }
    }
  }

  private void check(Version version, Segment segment, RunBuilder home) {
    for (int i = 0; i < segment.slices().size(); i++) {
      Slice slice = segment.slices().get(i);
      if (movedFrom.containsKey(slice.id()) && !added.contains(slice.id())) {
        check(version, new RunBuilder.Origin(slice, home, i));
      }
    }
  }

  private void check(Version version, RunBuilder.Origin moved) {
    byte[] low = moved.slice().low();
    Segment alone = Segment.of(moved.slice());
    for (Level level : version.levels()) {
      for (Run run : level.runs()) {
        List<Segment> segments = run.segments();
        for (int i = run.ceiling(low, 0, low.length); i < segments.size(); i++) {
          Segment segment = segments.get(i);
          if (alone.isBelow(segment)) {
            break;
          }
          check(moved, segment, runs.get(run.id()));
        }
      }
    }
  }

  private void check(RunBuilder.Origin moved, Segment segment, RunBuilder run) {
    for (int i = 0; i < segment.slices().size(); i++) {
      Slice other = segment.slices().get(i);
      if (other.id() == moved.slice().id()
          || added.contains(other.id())
          || !other.overlaps(moved.slice())) {
        continue;
      }
      int after = moved.compareAge(new RunBuilder.Origin(other, run, i));
      List<RunBuilder.Origin> others = movedFrom.get(other.id());
      for (RunBuilder.Origin before : movedFrom.get(moved.slice().id())) {
        for (RunBuilder.Origin otherBefore : others == null ? List.of(run.origin(other)) : others) {
          // Ranges that overlap pairwise have a key in common.
          if (before.slice().overlaps(otherBefore.slice())
              && before.slice().overlaps(other)
              && otherBefore.slice().overlaps(moved.slice())
              && before.compareAge(otherBefore) != after) {
            VersionBuilder.check(
                false, moved.slice() + " would pass " + other + ", which it overlaps");
          }
        }
      }
    }
  }
}
