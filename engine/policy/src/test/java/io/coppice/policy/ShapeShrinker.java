// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Makes a Shape smaller while something about it stays true: drops jobs, requests, levels, runs,
 * sources, segments, slices and claims one at a time, the large ones first, until none can be
 * spared; last it numbers the ranks anew.
 */
final class ShapeShrinker {

  private static final int MAX_TRIES = 20_000;

  private final Predicate<Shape> kept;
  private int tries;

  private ShapeShrinker(Predicate<Shape> kept) {
    this.kept = kept;
  }

  /**
   * The smallest shape found.
   *
   * @param shape for which {@code kept} is true
   * @param kept must hold of the result
   */
  static Shape shrink(Shape shape, Predicate<Shape> kept) {
    return new ShapeShrinker(kept).shrink(shape);
  }

  private Shape shrink(Shape shape) {
    Shape smallest = shape;
    for (Optional<Shape> next = smaller(smallest); next.isPresent(); next = smaller(smallest)) {
      smallest = next.get();
    }
    Shape dense = renumbered(smallest);
    return kept.test(dense) ? dense : smallest;
  }

  private Optional<Shape> smaller(Shape shape) {
    return Stream.of(
            withoutJobs(shape),
            withoutRequests(shape),
            withoutLevels(shape),
            withoutRuns(shape),
            changedRuns(shape))
        .flatMap(stream -> stream)
        .filter(candidate -> ++tries < MAX_TRIES && kept.test(candidate))
        .findFirst();
  }

  private static Stream<Shape> withoutJobs(Shape shape) {
    return shape.runningPlans().stream()
        .map(
            job -> {
              List<Shape.RunningPlan> jobs = new ArrayList<>(shape.runningPlans());
              jobs.remove(job);
              return new Shape(shape.rule(), shape.levels(), jobs, shape.requests());
            });
  }

  private static Stream<Shape> withoutRequests(Shape shape) {
    return shape.requests().stream()
        .sorted()
        .map(
            request -> {
              Set<Long> requests = new HashSet<>(shape.requests());
              requests.remove(request);
              return new Shape(shape.rule(), shape.levels(), shape.runningPlans(), requests);
            });
  }

  private static Stream<Shape> withoutLevels(Shape shape) {
    List<Shape> all = new ArrayList<>();
    List<LevelFacts> levels = shape.levels();
    int last = levels.size() - 1;
    if (last > 0 && levels.get(last).runs().isEmpty()) {
      all.add(with(shape, levels.subList(0, last)));
    }
    for (int level = 0; level < levels.size(); level++) {
      if (levels.get(level).runs().size() > 1) {
        all.add(with(shape, replaced(levels, level, new LevelFacts(List.of()))));
      }
    }
    return all.stream();
  }

  private static Stream<Shape> withoutRuns(Shape shape) {
    List<Shape> all = new ArrayList<>();
    for (int level = 0; level < shape.levels().size(); level++) {
      List<RunFacts> runs = shape.levels().get(level).runs();
      for (RunFacts run : runs) {
        List<RunFacts> others = new ArrayList<>(runs);
        others.remove(run);
        all.add(with(shape, replaced(shape.levels(), level, new LevelFacts(others))));
      }
    }
    return all.stream();
  }

  /** One run changed: without sources, without a segment, with a smaller or a free one. */
  private static Stream<Shape> changedRuns(Shape shape) {
    List<Shape> all = new ArrayList<>();
    for (int level = 0; level < shape.levels().size(); level++) {
      List<RunFacts> runs = shape.levels().get(level).runs();
      for (int place = 0; place < runs.size(); place++) {
        for (RunFacts run : changes(runs.get(place))) {
          LevelFacts changed = new LevelFacts(replaced(runs, place, run));
          all.add(with(shape, replaced(shape.levels(), level, changed)));
        }
      }
    }
    return all.stream();
  }

  private static List<RunFacts> changes(RunFacts run) {
    List<RunFacts> all = new ArrayList<>();
    for (long source : new TreeSet<>(run.sources())) {
      Set<Long> sources = new HashSet<>(run.sources());
      sources.remove(source);
      all.add(new RunFacts(run.id(), run.segments(), sources));
    }
    for (int i = 0; i < run.segments().size(); i++) {
      SegmentFacts segment = run.segments().get(i);
      List<SegmentFacts> fewer = new ArrayList<>(run.segments());
      fewer.remove(i);
      all.add(new RunFacts(run.id(), fewer, run.sources()));
      for (SegmentFacts change : changes(segment)) {
        all.add(new RunFacts(run.id(), replaced(run.segments(), i, change), run.sources()));
      }
    }
    return all;
  }

  private static List<SegmentFacts> changes(SegmentFacts segment) {
    List<SegmentFacts> all = new ArrayList<>();
    for (int i = 0; segment.slices().size() > 1 && i < segment.slices().size(); i++) {
      List<SliceFacts> fewer = new ArrayList<>(segment.slices());
      fewer.remove(i);
      all.add(new SegmentFacts(fewer, segment.group(), segment.parents()));
    }
    if (segment.claimed()) {
      all.add(segment.unclaimed());
    }
    return all;
  }

  private static <T> List<T> replaced(List<T> list, int index, T item) {
    List<T> copy = new ArrayList<>(list);
    copy.set(index, item);
    return copy;
  }

  /** Other levels; runs that are gone feed nothing. */
  private static Shape with(Shape shape, List<LevelFacts> levels) {
    Set<Long> living = new HashSet<>();
    levels.forEach(level -> level.runs().forEach(run -> living.add(run.id())));
    List<LevelFacts> tidy = new ArrayList<>();
    for (LevelFacts level : levels) {
      List<RunFacts> runs = new ArrayList<>();
      for (RunFacts run : level.runs()) {
        Set<Long> sources = new HashSet<>(run.sources());
        sources.retainAll(living);
        runs.add(new RunFacts(run.id(), run.segments(), sources));
      }
      tidy.add(new LevelFacts(runs));
    }
    return new Shape(shape.rule(), tidy, shape.runningPlans(), shape.requests());
  }

  /** The ranks that something begins or ends at, without gaps between them. */
  private static Shape renumbered(Shape shape) {
    TreeSet<Integer> used = new TreeSet<>();
    ShapeLaws.slices(shape).forEach(slice -> used.addAll(List.of(slice.low(), slice.high())));
    shape.runningPlans().forEach(job -> used.addAll(List.of(job.low(), job.high())));
    List<Integer> ranks = List.copyOf(used);
    List<LevelFacts> levels = new ArrayList<>();
    for (LevelFacts level : shape.levels()) {
      List<RunFacts> runs = new ArrayList<>();
      for (RunFacts run : level.runs()) {
        List<SegmentFacts> segments =
            run.segments().stream().map(segment -> renumbered(segment, ranks)).toList();
        runs.add(new RunFacts(run.id(), segments, run.sources()));
      }
      levels.add(new LevelFacts(runs));
    }
    List<Shape.RunningPlan> jobs =
        shape.runningPlans().stream()
            .map(
                job ->
                    new Shape.RunningPlan(
                        job.level(),
                        job.run(),
                        ranks.indexOf(job.low()),
                        ranks.indexOf(job.high())))
            .toList();
    return new Shape(shape.rule(), levels, jobs, shape.requests());
  }

  private static SegmentFacts renumbered(SegmentFacts segment, List<Integer> ranks) {
    List<SliceFacts> slices =
        segment.slices().stream()
            .map(
                slice ->
                    new SliceFacts(
                        slice.slice(),
                        slice.table(),
                        ranks.indexOf(slice.low()),
                        ranks.indexOf(slice.high()),
                        slice.bytes(),
                        slice.entries(),
                        slice.tombstones(),
                        slice.tableBytes(),
                        slice.claimed(),
                        slice.ended(),
                        slice.hidden()))
            .toList();
    return new SegmentFacts(slices, segment.group(), segment.parents());
  }
}
