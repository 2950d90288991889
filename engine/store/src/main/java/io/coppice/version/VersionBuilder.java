// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import io.coppice.table.KeyWindow;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Builder of a version: applies the level changes of one edit to one base. It passes over every
 * slice of the base once and copies only the runs that the edit changes. Used by one thread, once.
 */
final class VersionBuilder {

  /**
   * Present position of a slice that the edit names; its run is null once the slice was removed.
   */
  private static final class Place {
    final Slice slice;
    final RunBuilder run;

    Place(Slice slice, RunBuilder run) {
      this.slice = slice;
      this.run = run;
    }
  }

  private final List<List<RunBuilder>> levels = new ArrayList<>();
  private final Map<Long, RunBuilder> runs = new HashMap<>();
  private final Map<Long, Place> named = new HashMap<>();
  private final Set<Long> tablesNamed = new HashSet<>();

  /**
   * Ids of the slices added by this edit. The merge that wrote their tables is responsible for
   * their overlap.
   */
  private final Set<Long> added = new HashSet<>();

  /**
   * Original positions of each slice that the edit moves; after a regrouping there may be several.
   */
  private final Map<Long, List<RunBuilder.Origin>> movedFrom = new HashMap<>();

  private final Set<Long> groups = new HashSet<>();
  private boolean hasCut;

  /** One more than the largest number that the edit uses, or 0. */
  private long nextNumber;

  /** Largest sequence number of the added tables. */
  private long lastSequence;

  private long lastFlush;

  /**
   * Applies the level changes.
   *
   * @param ops level changes in order; others are ignored
   * @throws IllegalArgumentException if one is illegal
   */
  VersionBuilder(Version base, List<EditOp> ops) {
    lastFlush = base.lastFlush();
    for (Level level : base.levels()) {
      List<RunBuilder> drafts = new ArrayList<>();
      for (Run run : level.runs()) {
        RunBuilder draft = new RunBuilder(run);
        drafts.add(draft);
        runs.put(run.id(), draft);
      }
      levels.add(drafts);
    }
    locateSlices(ops);
    for (EditOp op : ops) {
      apply(op);
    }
  }

  /**
   * Returns the version after the edit.
   *
   * @throws IllegalArgumentException if segments of a run now overlap, or a moved slice has passed
   *     one that it overlaps
   */
  Version build() {
    numberRunsByAge();
    int depth = levels.size();
    while (depth > 1 && levels.get(depth - 1).isEmpty()) {
      depth--;
    }
    List<Level> built = new ArrayList<>();
    for (List<RunBuilder> level : levels.subList(0, depth)) {
      built.add(new Level(level.stream().map(RunBuilder::build).toList()));
    }
    Version version = new Version(built, lastFlush);
    new AgeCheck(runs, movedFrom, added).check(version);
    return version;
  }

  /**
   * Returns one more than the largest number that the edit adds for a run, slice, group or table; 0
   * if it adds none. The next free number must be at least this.
   */
  long nextNumber() {
    return nextNumber;
  }

  /** Returns the largest sequence number of the added tables; 0 if there is none. */
  long lastSequence() {
    return lastSequence;
  }

  private void locateSlices(List<EditOp> ops) {
    SortedLongSet ids = new SortedLongSet();
    SortedLongSet numbers = new SortedLongSet();
    for (EditOp op : ops) {
      if (op instanceof EditOp.AddTable add) {
        ids.add(add.slice());
        numbers.add(add.table().number());
      } else if (op instanceof EditOp.RemoveSlice remove) {
        ids.add(remove.slice());
      } else if (op instanceof EditOp.TrimSlice trim) {
        ids.add(trim.slice());
      } else if (op instanceof EditOp.MoveSlice move) {
        ids.add(move.slice());
      } else if (op instanceof EditOp.Regroup regroup) {
        regroup.slices().forEach(ids::add);
        regroup.segments().forEach(pieces -> pieces.forEach(piece -> ids.add(piece.slice())));
        groups.addAll(groupsOfBase());
      } else if (op instanceof EditOp.CutSegment cut) {
        ids.add(cut.slice());
        cut.above().forEach(ids::add);
      }
    }
    if (ids.isEmpty()) {
      return;
    }
    for (RunBuilder draft : runs.values()) {
      Run run = draft.run();
      ids.forEachIn(
          run.sliceIds(),
          place -> named.put(run.sliceIds()[place], new Place(run.slice(place), draft)));
      numbers.forEachIn(run.tableNumbers(), place -> tablesNamed.add(run.tableNumbers()[place]));
    }
  }

  private Set<Long> groupsOfBase() {
    Set<Long> found = new HashSet<>();
    if (groups.isEmpty()) {
      for (RunBuilder draft : runs.values()) {
        for (Segment segment : draft.run().segments()) {
          found.add(segment.group());
        }
      }
    }
    return found;
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
    } else if (op instanceof EditOp.Regroup regroup) {
      regroup(regroup);
    } else if (op instanceof EditOp.CutSegment cut) {
      cut(cut);
    } else if (op instanceof EditOp.AddRun run) {
      addRun(run);
    }
  }

  private void addTable(EditOp.AddTable op) {
    check(!named.containsKey(op.slice()), "slice " + op.slice() + " exists already");
    check(tablesNamed.add(op.table().number()), "table " + op.table().number() + " exists already");
    RunBuilder run = run(op.level(), op.run());
    Slice slice = Slice.whole(op.slice(), op.table());
    run.add(Segment.of(slice));
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
    RunBuilder target = run(op.level(), op.run());
    check(target != place.run, "slice " + op.slice() + " is already in run " + op.run());
    check(!hasCut, "one edit cannot both move slices and cut segments");
    movedFrom.put(op.slice(), origins(op.slice(), place));
    place.run.replace(place.slice, null);
    target.add(Segment.of(place.slice));
    named.put(op.slice(), new Place(place.slice, target));
  }

  private List<RunBuilder.Origin> origins(long slice, Place place) {
    List<RunBuilder.Origin> known = movedFrom.get(slice);
    if (known != null) {
      return known;
    }
    return added.contains(slice) ? List.of() : List.of(place.run.origin(place.slice));
  }

  private void regroup(EditOp.Regroup op) {
    RunBuilder target = run(op.level(), op.run());
    check(!hasCut, "one edit cannot both move slices and cut segments");
    check(op.group() > 0 && groups.add(op.group()), "group " + op.group() + " exists already");
    used(op.group());
    Map<Long, List<Slice>> old = new HashMap<>();
    // Slices cut from one table share their origins, so that repeated regroupings do not multiply
    // them.
    Map<Long, Set<RunBuilder.Origin>> origins = new HashMap<>();
    boolean allAdded = true;
    for (long id : op.slices()) {
      Place place = place(id);
      long table = place.slice.table().number();
      allAdded &= added.contains(id);
      old.computeIfAbsent(table, x -> new ArrayList<>()).add(place.slice);
      origins.computeIfAbsent(table, x -> new LinkedHashSet<>()).addAll(origins(id, place));
      place.run.replace(place.slice, null);
      named.put(id, new Place(place.slice, null));
    }
    Map<Long, List<RunBuilder.Origin>> from = new HashMap<>();
    origins.forEach((table, known) -> from.put(table, List.copyOf(known)));
    Map<Long, List<Slice>> now = new HashMap<>();
    for (List<EditOp.Piece> pieces : op.segments()) {
      List<Slice> slices = new ArrayList<>();
      for (EditOp.Piece piece : pieces) {
        Slice slice = slice(piece, old);
        slices.add(slice);
        now.computeIfAbsent(piece.table(), x -> new ArrayList<>()).add(slice);
        movedFrom.put(slice.id(), from.get(piece.table()));
        if (allAdded) {
          added.add(slice.id());
        }
        named.put(slice.id(), new Place(slice, target));
      }
      target.add(new Segment(slices, op.group(), old.size()));
    }
    for (Map.Entry<Long, List<Slice>> table : old.entrySet()) {
      List<Slice> shown = now.getOrDefault(table.getKey(), List.of());
      check(
          SliceCoverage.overlap(shown) == null && SliceCoverage.same(table.getValue(), shown),
          "group " + op.group() + " shows other keys of table " + table.getKey() + " than before");
    }
  }

  private Slice slice(EditOp.Piece piece, Map<Long, List<Slice>> old) {
    check(!named.containsKey(piece.slice()), "slice " + piece.slice() + " exists already");
    List<Slice> shares = old.get(piece.table());
    check(shares != null, "table " + piece.table() + " is not among those that are regrouped");
    used(piece.slice());
    return new Slice(piece.slice(), shares.get(0).table(), piece.window());
  }

  /**
   * Cuts a segment in two. An edit that cuts must move no slice, because the original positions of
   * cut slices are unknown.
   */
  private void cut(EditOp.CutSegment op) {
    check(movedFrom.isEmpty(), "one edit cannot both move slices and cut segments");
    hasCut = true;
    Place place = place(op.slice());
    Segment segment = place.run.segment(place.slice);
    List<Slice> lower = new ArrayList<>();
    List<Slice> upper = new ArrayList<>();
    Iterator<Long> above = op.above().iterator();
    for (Slice slice : segment.slices()) {
      if (Arrays.compareUnsigned(slice.high(), op.high()) <= 0) {
        lower.add(slice);
      } else if (!slice.reachesTo(op.high())) {
        upper.add(slice);
      } else {
        check(above.hasNext(), "the cut names no new slice for " + slice);
        long id = above.next();
        check(!named.containsKey(id), "slice " + id + " exists already");
        used(id);
        KeyWindow window = slice.window();
        lower.add(new Slice(slice.id(), slice.table(), new KeyWindow(window.low(), op.high())));
        upper.add(new Slice(id, slice.table(), new KeyWindow(op.high(), window.high())));
      }
    }
    check(
        !above.hasNext() && !lower.isEmpty() && !upper.isEmpty(),
        "the cut does not fit the segment of slice " + op.slice());
    for (Slice slice : segment.slices()) {
      place.run.replace(slice, null);
    }
    attach(lower, segment, place.run);
    attach(upper, segment, place.run);
  }

  private void attach(List<Slice> slices, Segment like, RunBuilder run) {
    run.add(new Segment(slices, like.group(), like.parents()));
    for (Slice slice : slices) {
      named.put(slice.id(), new Place(slice, run));
    }
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
    RunBuilder run = new RunBuilder(new Run(op.run(), List.of(), op.sources()));
    List<RunBuilder> level = levels.get(op.level());
    level.add(op.level() == 0 ? newestOf(op.sources(), level) : 0, run);
    runs.put(op.run(), run);
    used(op.run());
    if (op.level() == 0 && op.sources().isEmpty()) {
      lastFlush = Math.max(lastFlush, op.run());
    }
  }

  /**
   * Returns the index for a new run of level 0: directly above the newest of its sources. A flush
   * may have arrived since the plan was made, and the older data of the run must not hide it.
   */
  private static int newestOf(Set<Long> sources, List<RunBuilder> level) {
    int place = 0;
    while (place < level.size() && !sources.contains(level.get(place).id())) {
      place++;
    }
    return place < level.size() ? place : 0;
  }

  private Place place(long slice) {
    Place place = named.get(slice);
    check(place != null && place.run != null, "there is no slice " + slice);
    return place;
  }

  private RunBuilder run(int level, long id) {
    RunBuilder run = runs.get(id);
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
    for (List<RunBuilder> level : levels) {
      for (RunBuilder run : level) {
        run.age(age++);
      }
    }
  }

  static void check(boolean legal, String wrong) {
    if (!legal) {
      throw new IllegalArgumentException("illegal edit: " + wrong);
    }
  }
}
