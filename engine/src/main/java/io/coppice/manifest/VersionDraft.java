// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A Version in the making: one edit applied to one base. Looks once at every slice of the base, and
 * copies only the runs that the edit touches. Used by one thread, once.
 */
final class VersionDraft {

  /** Where a slice named by the edit is, or null as the run of one that has left. */
  private record Place(Slice slice, RunDraft run) {}

  /** A run, and the place among the slices of one segment. */
  private record Origin(RunDraft run, int indexInSegment) {}

  private final Version base;
  private final List<List<RunDraft>> levels = new ArrayList<>();
  private final Map<Long, RunDraft> runs = new HashMap<>();
  private final Map<Long, Place> named = new HashMap<>();
  private final Set<Long> tablesNamed = new HashSet<>();

  /** Slices new with this edit; what they may overlap is the concern of whoever merged them. */
  private final Set<Long> added = new HashSet<>();

  /** Where each slice that moves came from. */
  private final Map<Long, Origin> movedFrom = new HashMap<>();

  private long nextNumber;
  private long lastSequence;
  private long walFloor;
  private String keyOrder;
  private String policy;

  VersionDraft(Version base, VersionEdit edit) {
    this.base = base;
    this.nextNumber = base.marks().nextNumber();
    this.lastSequence = base.marks().lastSequence();
    this.walFloor = base.marks().walFloor();
    this.keyOrder = base.marks().keyOrder();
    this.policy = base.marks().policy();
    for (Level level : base.levels()) {
      List<RunDraft> drafts = new ArrayList<>();
      for (Run run : level.runs()) {
        RunDraft draft = new RunDraft(run);
        drafts.add(draft);
        runs.put(run.id(), draft);
      }
      levels.add(drafts);
    }
    locateSlices(edit);
    for (EditOp op : edit.ops()) {
      apply(op);
    }
  }

  Version build() {
    numberRunsByAge();
    dropSpentRuns();
    int depth = levels.size();
    while (depth > 1 && levels.get(depth - 1).isEmpty()) {
      depth--;
    }
    List<Level> built = new ArrayList<>();
    for (List<RunDraft> level : levels.subList(0, depth)) {
      built.add(new Level(level.stream().map(RunDraft::build).toList()));
    }
    Version version =
        new Version(built, new Version.Marks(nextNumber, lastSequence, walFloor, keyOrder, policy));
    checkAgeOfMoved(version);
    return version;
  }

  private void locateSlices(VersionEdit edit) {
    Numbers ids = new Numbers();
    Numbers numbers = new Numbers();
    for (EditOp op : edit.ops()) {
      if (op instanceof EditOp.AddTable add) {
        ids.add(add.slice());
        numbers.add(add.table().number());
      } else if (op instanceof EditOp.RemoveSlice remove) {
        ids.add(remove.slice());
      } else if (op instanceof EditOp.TrimSlice trim) {
        ids.add(trim.slice());
      } else if (op instanceof EditOp.MoveSlice move) {
        ids.add(move.slice());
      }
    }
    if (ids.isEmpty()) {
      return;
    }
    for (RunDraft draft : runs.values()) {
      Run run = draft.run;
      ids.forEachIn(
          run.sliceIds(),
          place -> named.put(run.sliceIds()[place], new Place(run.slice(place), draft)));
      numbers.forEachIn(run.tableNumbers(), place -> tablesNamed.add(run.tableNumbers()[place]));
    }
  }

  private void apply(EditOp op) {
    if (op instanceof EditOp.AddTable add) {
      addTable(add);
    } else if (op instanceof EditOp.RemoveSlice remove) {
      Place place = place(remove.slice());
      place.run.replace(place.slice, null);
      named.put(remove.slice(), new Place(place.slice, null));
    } else if (op instanceof EditOp.TrimSlice trim) {
      trim(trim);
    } else if (op instanceof EditOp.MoveSlice move) {
      move(move);
    } else if (op instanceof EditOp.AddRun run) {
      addRun(run);
    } else if (op instanceof EditOp.NextNumber next) {
      nextNumber = raise("next number", nextNumber, next.number());
    } else if (op instanceof EditOp.LastSequence last) {
      lastSequence = raise("last sequence", lastSequence, last.sequence());
    } else if (op instanceof EditOp.WalFloor floor) {
      walFloor = raise("log floor", walFloor, floor.number());
    } else if (op instanceof EditOp.KeyOrder order) {
      check(
          keyOrder.isEmpty() || keyOrder.equals(order.name()),
          "the key order is " + keyOrder + " and cannot become " + order.name());
      keyOrder = order.name();
    } else if (op instanceof EditOp.PolicyText text) {
      policy = text.text();
    }
  }

  private void addTable(EditOp.AddTable op) {
    check(!named.containsKey(op.slice()), "slice " + op.slice() + " exists already");
    check(tablesNamed.add(op.table().number()), "table " + op.table().number() + " exists already");
    RunDraft run = run(op.level(), op.run());
    Slice slice = Slice.whole(op.slice(), op.table());
    run.add(slice);
    named.put(op.slice(), new Place(slice, run));
    added.add(op.slice());
    used(op.slice());
    used(op.table().number());
    lastSequence = Math.max(lastSequence, op.table().maxSequence());
  }

  private void trim(EditOp.TrimSlice op) {
    Place place = place(op.slice());
    Slice old = place.slice;
    byte[] low = old.window().low();
    check(
        low == null || Arrays.compareUnsigned(low, op.newLow()) < 0,
        "slice " + op.slice() + " already begins at or above the new bound");
    Slice trimmed = new Slice(old.id(), old.table(), old.window().above(op.newLow()));
    place.run.replace(old, trimmed);
    named.put(op.slice(), new Place(trimmed, place.run));
  }

  private void move(EditOp.MoveSlice op) {
    Place place = place(op.slice());
    RunDraft target = run(op.level(), op.run());
    check(target != place.run, "slice " + op.slice() + " is already in run " + op.run());
    movedFrom.putIfAbsent(op.slice(), new Origin(place.run, place.run.indexInSegment(op.slice())));
    place.run.replace(place.slice, null);
    target.add(place.slice);
    named.put(op.slice(), new Place(place.slice, target));
  }

  private void addRun(EditOp.AddRun op) {
    check(!runs.containsKey(op.run()), "run " + op.run() + " exists already");
    check(
        op.level() >= 0 && op.level() < Version.MAX_LEVELS,
        "level " + op.level() + " is not from 0 to " + (Version.MAX_LEVELS - 1));
    for (long source : op.sources()) {
      check(runs.containsKey(source), "run " + source + " cannot feed another: there is none");
    }
    while (levels.size() <= op.level()) {
      levels.add(new ArrayList<>());
    }
    RunDraft run = new RunDraft(new Run(op.run(), List.of(), op.sources()));
    levels.get(op.level()).add(0, run);
    runs.put(op.run(), run);
    used(op.run());
  }

  private Place place(long slice) {
    Place place = named.get(slice);
    check(place != null && place.run != null, "there is no slice " + slice);
    return place;
  }

  private RunDraft run(int level, long id) {
    RunDraft run = runs.get(id);
    check(
        run != null && level >= 0 && level < levels.size() && levels.get(level).contains(run),
        "there is no run " + id + " in level " + level);
    return run;
  }

  private void used(long number) {
    nextNumber = Math.max(nextNumber, number + 1);
  }

  private void numberRunsByAge() {
    int age = 0;
    for (List<RunDraft> level : levels) {
      for (RunDraft run : level) {
        run.age = age++;
      }
    }
  }

  /** A run without segments and without living sources is gone; so is the source that it was. */
  private void dropSpentRuns() {
    boolean changed = true;
    while (changed) {
      changed = false;
      for (RunDraft run : runs.values()) {
        run.keepSources(runs.keySet());
      }
      for (List<RunDraft> level : levels) {
        for (RunDraft run : List.copyOf(level)) {
          if (run.spent()) {
            level.remove(run);
            runs.remove(run.id());
            changed = true;
          }
        }
      }
    }
  }

  /**
   * A slice that moved must keep its place in age against all it overlaps, or an old value would
   * hide a newer one.
   */
  private void checkAgeOfMoved(Version version) {
    for (long id : movedFrom.keySet()) {
      Place place = named.get(id);
      if (place.run == null || added.contains(id)) {
        continue;
      }
      Slice moved = place.slice;
      byte[] low = moved.low();
      for (Level level : version.levels()) {
        for (Run run : level.runs()) {
          List<Segment> segments = run.segments();
          for (int i = run.ceiling(low, 0, low.length); i < segments.size(); i++) {
            Segment segment = segments.get(i);
            if (Segment.of(moved).isBelow(segment)) {
              break;
            }
            checkAge(moved, place.run, segment, runs.get(run.id()));
          }
        }
      }
    }
  }

  private void checkAge(Slice moved, RunDraft home, Segment segment, RunDraft run) {
    for (int i = 0; i < segment.slices().size(); i++) {
      Slice other = segment.slices().get(i);
      if (other.id() == moved.id() || added.contains(other.id()) || !other.overlaps(moved)) {
        continue;
      }
      Origin otherAfter = new Origin(run, i);
      Origin otherBefore = movedFrom.getOrDefault(other.id(), otherAfter);
      int before = compareAges(movedFrom.get(moved.id()), otherBefore);
      int after = compareAges(new Origin(home, 0), otherAfter);
      check(before == after, moved + " would pass " + other + ", which it overlaps");
    }
  }

  /** Newest first. */
  private static int compareAges(Origin a, Origin b) {
    return a.run == b.run
        ? Integer.compare(a.indexInSegment, b.indexInSegment)
        : Integer.compare(a.run.age, b.run.age);
  }

  private static long raise(String what, long from, long to) {
    check(to >= from, "the " + what + " is " + from + " and cannot fall to " + to);
    return to;
  }

  private static void check(boolean legal, String wrong) {
    if (!legal) {
      throw new IllegalArgumentException("illegal edit: " + wrong);
    }
  }

  /** A run and what the edit does to its slices. */
  private static final class RunDraft {
    private final Run run;
    private final Map<Long, Slice> replaced = new HashMap<>();
    private final Map<Long, Slice> joined = new HashMap<>();
    private Set<Long> sources;
    private int left;

    /** Counted over all levels, newest first, before spent runs go. */
    private int age;

    RunDraft(Run run) {
      this.run = run;
      this.sources = run.sources();
      this.left = run.sliceIds().length;
    }

    long id() {
      return run.id();
    }

    void add(Slice slice) {
      joined.put(slice.id(), slice);
      left++;
    }

    /** Exchanges a slice of this run; null takes it out. */
    void replace(Slice slice, Slice replacement) {
      Map<Long, Slice> home = joined.containsKey(slice.id()) ? joined : replaced;
      if (replacement != null) {
        home.put(slice.id(), replacement);
        return;
      }
      left--;
      if (home == joined) {
        joined.remove(slice.id());
      } else {
        replaced.put(slice.id(), null);
      }
    }

    int indexInSegment(long slice) {
      for (Segment segment : run.segments()) {
        for (int i = 0; segment.slices().size() > 1 && i < segment.slices().size(); i++) {
          if (segment.slices().get(i).id() == slice) {
            return i;
          }
        }
      }
      return 0;
    }

    void keepSources(Set<Long> living) {
      if (!living.containsAll(sources)) {
        sources = new HashSet<>(sources);
        sources.retainAll(living);
      }
    }

    boolean spent() {
      return left == 0 && sources.isEmpty();
    }

    Run build() {
      if (replaced.isEmpty() && joined.isEmpty() && sources.equals(run.sources())) {
        return run;
      }
      List<Segment> segments = new ArrayList<>(run.segments().size() + joined.size());
      for (Segment segment : run.segments()) {
        Segment kept = segment;
        for (Slice slice : segment.slices()) {
          if (kept != null && replaced.containsKey(slice.id())) {
            kept = kept.with(slice.id(), replaced.get(slice.id()));
          }
        }
        if (kept != null) {
          segments.add(kept);
        }
      }
      if (!joined.isEmpty()) {
        for (Slice slice : joined.values()) {
          segments.add(Segment.of(slice));
        }
        Collections.sort(segments, (a, b) -> Arrays.compareUnsigned(a.high(), b.high()));
      }
      return new Run(run.id(), segments, sources);
    }
  }
}
