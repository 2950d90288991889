// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction.shape;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.primitives.Longs;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.SliceFacts;
import io.coppice.table.KeyWindow;
import io.coppice.table.TableMeta;
import io.coppice.version.Level;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import io.coppice.version.SliceSize;
import io.coppice.version.Version;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Shapes made from the one before beside shapes made from nothing. */
class ShapeCacheTest {

  private static final long SEED = Long.getLong("seed", 20261122L);
  private static final int STEPS = 3000;
  private static final long KEYS = 1L << 40;

  private final Random random = new Random(SEED);
  private final Claims claims = new Claims();
  private final List<Claims.Claim> jobs = new ArrayList<>();
  private final Set<Long> unreadable = new HashSet<>();
  private final Set<Long> leftOut = new HashSet<>();
  private final ShapeCache shapeCache = new ShapeCache(this::measured);
  private List<Level> levels = new ArrayList<>();
  private long next = 1;
  private boolean fails;
  private Map<Long, Integer> ended = Map.of();
  private Map<Long, Long> hides = Map.of();

  @Test
  void whateverChangesAShapeIsAsIfItWereMadeAnew() {
    for (int level = 0; level < 3; level++) {
      levels.add(new Level(List.of(run(List.of(), 20 + 40 * level))));
    }
    Set<RunFacts> kept = new HashSet<>();
    int same = 0;
    int failures = 0;
    for (int step = 0; step < STEPS; step++) {
      for (int changes = random.nextInt(3); changes >= 0; changes--) {
        change();
      }
      ended = random.nextInt(4) == 0 ? someEnded() : ended;
      hides = random.nextInt(4) == 0 ? someHidden() : hides;
      Version version = new Version(levels);
      Set<Long> without = random.nextInt(8) == 0 ? Set.of() : Set.copyOf(leftOut);
      long hidden = random.nextInt(4) == 0 ? anyRun().id() : -1;
      fails = random.nextInt(10) == 0;
      if (fails) {
        // Whether it has to measure anything or not, the next update is complete.
        try {
          shapeCache.of(version, run -> true, claims, without, ended, hides);
        } catch (IllegalStateException e) {
          failures++;
        }
      }
      fails = false;
      Shape made = shapeCache.of(version, run -> run.id() != hidden, claims, without, ended, hides);
      Shape anew = anew(version, hidden, without);
      // Both as text would be pages.
      assertThat(dense(made).equals(dense(anew))).as("seed %d, step %d", SEED, step).isTrue();
      for (LevelFacts level : made.levels()) {
        for (RunFacts run : level.runs()) {
          same += kept.stream().anyMatch(before -> before == run) ? 1 : 0;
        }
      }
      kept.clear();
      made.levels().forEach(level -> kept.addAll(level.runs()));
    }
    assertThat(same).as("runs that were kept").isGreaterThan(STEPS);
    assertThat(failures).as("updates that failed").isGreaterThan(STEPS / 100);
  }

  private Map<Long, Long> someHidden() {
    Map<Long, Long> some = new HashMap<>();
    someEnded().forEach((table, eighths) -> some.put(table, 10L * eighths));
    return some;
  }

  private Map<Long, Integer> someEnded() {
    Map<Long, Integer> some = new HashMap<>();
    for (Level level : levels) {
      for (Run run : level.runs()) {
        for (Segment segment : run.segments()) {
          if (random.nextInt(8) == 0) {
            some.put(segment.slices().get(0).table().number(), 1 + random.nextInt(8));
          }
        }
      }
    }
    return some;
  }

  private Shape anew(Version version, long hidden, Set<Long> without) {
    byte[][] bounds = VersionShapeBuilder.bounds(version, claims);
    VersionShapeBuilder anew =
        new VersionShapeBuilder(
            key -> 2 * Arrays.binarySearch(bounds, key, Arrays::compareUnsigned),
            VersionShapeBuilder.held(claims, without),
            slice -> measured(slice) == null ? SliceSize.ofTable(slice) : measured(slice),
            ended,
            hides);
    return anew.shape(version, run -> run.id() != hidden, anew::run, claims);
  }

  /** Null while its table cannot be read; later it can. */
  private SliceSize measured(Slice slice) {
    if (fails && random.nextInt(3) == 0) {
      throw new IllegalStateException("measuring fails");
    }
    boolean part = slice.lowExclusive() || slice.highCuts();
    if (part && unreadable.contains(slice.table().number())) {
      return null;
    }
    return part ? new SliceSize(slice.table().bytes() / 2, 5, 1) : SliceSize.ofTable(slice);
  }

  private void change() {
    switch (random.nextInt(8)) {
      case 0 -> claim();
      case 1 -> release();
      case 2 -> anyTable().ifPresent(table -> toggle(leftOut, table));
      case 3 -> unreadable.removeIf(table -> random.nextBoolean());
      case 4 -> replaceAnyRun();
      default -> replaceSegments();
    }
  }

  private static void toggle(Set<Long> numbers, long number) {
    if (!numbers.remove(number)) {
      numbers.add(number);
    }
  }

  private void claim() {
    Run run = anyRun();
    if (run.segments().isEmpty()) {
      return;
    }
    int from = random.nextInt(run.segments().size());
    int to = Math.min(run.segments().size(), from + 1 + random.nextInt(5));
    Set<Long> tables = new HashSet<>();
    for (Segment segment : run.segments().subList(from, to)) {
      segment.slices().forEach(slice -> tables.add(slice.table().number()));
    }
    tables.removeIf(claims::holds);
    byte[] low = run.segments().get(from).slices().get(0).low();
    Claims.Claim job = new Claims.Claim(1, run.id(), low, key(KEYS - random.nextInt(3)), tables);
    claims.take(job);
    jobs.add(job);
  }

  private void release() {
    if (!jobs.isEmpty()) {
      claims.release(jobs.remove(random.nextInt(jobs.size())));
    }
  }

  private Run anyRun() {
    List<Run> runs = levels.get(random.nextInt(levels.size())).runs();
    return runs.get(random.nextInt(runs.size()));
  }

  private Optional<Long> anyTable() {
    List<Segment> segments = anyRun().segments();
    return segments.isEmpty()
        ? Optional.empty()
        : Optional.of(
            segments.get(random.nextInt(segments.size())).slices().get(0).table().number());
  }

  private void replace(Run old, List<Run> instead) {
    List<Level> changed = new ArrayList<>();
    for (Level level : levels) {
      List<Run> runs = new ArrayList<>();
      for (Run run : level.runs()) {
        runs.addAll(run == old ? instead : List.of(run));
      }
      changed.add(new Level(runs.isEmpty() ? List.of(run(List.of(), 3)) : runs));
    }
    levels = changed;
  }

  /** It goes, splits its sources off, or gets a neighbour. */
  private void replaceAnyRun() {
    Run run = anyRun();
    switch (random.nextInt(3)) {
      case 0 -> replace(run, List.of());
      case 1 -> replace(run, List.of(new Run(run.id(), run.segments(), Set.of(next++))));
      default -> replace(run, List.of(run, run(List.of(), random.nextInt(30))));
    }
  }

  private Run run(List<Segment> segments, int more) {
    List<Segment> all = new ArrayList<>(segments);
    all.addAll(segments(0, KEYS, more));
    return new Run(next++, all, Set.of());
  }

  /** Some neighbours give way to others in the same room, which is soon a narrow one. */
  private void replaceSegments() {
    Run run = anyRun();
    int size = run.segments().size();
    int from = size == 0 ? 0 : random.nextInt(size);
    int to = Math.min(size, from + random.nextInt(4));
    long low = from == 0 ? 0 : Longs.fromByteArray(run.segments().get(from - 1).high()) + 1;
    long high = to == size ? KEYS : lowest(run.segments().get(to));
    List<Segment> changed = new ArrayList<>(run.segments().subList(0, from));
    changed.addAll(segments(low, high, random.nextInt(5)));
    changed.addAll(run.segments().subList(to, size));
    replace(run, List.of(new Run(run.id(), changed, run.sources())));
  }

  private static long lowest(Segment segment) {
    return segment.slices().stream()
        .mapToLong(slice -> Longs.fromByteArray(slice.low()))
        .min()
        .orElseThrow();
  }

  /** Segments of one to three slices in the first part of a range of keys. */
  private List<Segment> segments(long low, long high, int count) {
    List<Segment> segments = new ArrayList<>();
    long width = (high - low) / (2L * Math.max(1, count));
    for (int i = 0; i < count && width > 16; i++) {
      List<Slice> slices = new ArrayList<>();
      for (int left = random.nextInt(3); left >= 0; left--) {
        slices.add(slice(low + i * width, low + (i + 1) * width - 1));
      }
      boolean virtual = slices.size() > 1;
      segments.add(new Segment(slices, virtual ? next++ : 0, virtual ? slices.size() : 0));
    }
    return segments;
  }

  private Slice slice(long from, long to) {
    long low = from + random.nextInt(4);
    long high = to - random.nextInt(4);
    boolean opens = random.nextBoolean();
    boolean closes = random.nextBoolean();
    long bytes = 1000 + random.nextInt(1000);
    TableMeta table =
        new TableMeta(
            next++,
            bytes,
            10,
            2,
            0,
            key(opens ? Math.max(0, low - 2) : low),
            key(closes ? high + 2 : high),
            1,
            1,
            TableMeta.NO_FILTER);
    if (random.nextInt(20) == 0) {
      unreadable.add(table.number());
    }
    KeyWindow window = new KeyWindow(opens ? key(low) : null, closes ? key(high) : null);
    return new Slice(next++, table, window);
  }

  private static byte[] key(long number) {
    return Longs.toByteArray(number);
  }

  /** The same shape with ranks counted from 0, so that only their order tells. */
  private static Shape dense(Shape shape) {
    TreeSet<Integer> even = new TreeSet<>();
    for (LevelFacts level : shape.levels()) {
      for (RunFacts run : level.runs()) {
        for (SegmentFacts segment : run.segments()) {
          for (SliceFacts slice : segment.slices()) {
            even.add(slice.low() & ~1);
            even.add(slice.high());
          }
        }
      }
    }
    shape.runningPlans().forEach(job -> even.addAll(Set.of(job.low(), job.high())));
    Map<Integer, Integer> places = new HashMap<>();
    even.forEach(rank -> places.put(rank, 2 * places.size()));
    List<LevelFacts> levels = new ArrayList<>();
    for (LevelFacts level : shape.levels()) {
      levels.add(new LevelFacts(level.runs().stream().map(run -> dense(run, places)).toList()));
    }
    List<Shape.RunningPlan> jobs = new ArrayList<>();
    for (Shape.RunningPlan job : shape.runningPlans()) {
      jobs.add(
          new Shape.RunningPlan(
              job.level(), job.run(), places.get(job.low()), places.get(job.high())));
    }
    return new Shape(shape.rule(), levels, jobs, shape.requests());
  }

  private static RunFacts dense(RunFacts run, Map<Integer, Integer> places) {
    List<SegmentFacts> segments = new ArrayList<>();
    for (SegmentFacts segment : run.segments()) {
      List<SliceFacts> slices = new ArrayList<>();
      for (SliceFacts slice : segment.slices()) {
        slices.add(
            new SliceFacts(
                slice.slice(),
                slice.table(),
                places.get(slice.low() & ~1) + (slice.low() & 1),
                places.get(slice.high()),
                slice.bytes(),
                slice.entries(),
                slice.tombstones(),
                slice.tableBytes(),
                slice.claimed()));
      }
      segments.add(new SegmentFacts(slices, segment.group(), segment.parents()));
    }
    return new RunFacts(run.id(), segments, run.sources());
  }
}
