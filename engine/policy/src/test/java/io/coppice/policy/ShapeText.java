// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A Shape as the drawing of a script, so that a failure can become a case. Sizes are rounded up to
 * whole kibibytes; a comment says which slices have another number than their names.
 */
final class ShapeText {

  private static final int LETTERS = 26;
  private static final long KIB = 1024;

  private final Shape shape;
  private final List<Integer> ranks;
  private final Map<Long, String> names = new HashMap<>();
  private final Map<Long, String> sliceNames = new TreeMap<>();

  private ShapeText(Shape shape) {
    this.shape = shape;
    Map<Long, Integer> slicesOf = new HashMap<>();
    for (SliceFacts slice : ShapeLaws.slices(shape)) {
      int number = slicesOf.merge(slice.table(), 1, Integer::sum);
      boolean only = slice.slice() == slice.table();
      sliceNames.put(slice.slice(), "t" + slice.table() + (only ? "" : "." + number));
    }
    TreeSet<Integer> used = new TreeSet<>();
    ShapeLaws.slices(shape).forEach(slice -> used.addAll(List.of(slice.low(), slice.high())));
    shape.runningPlans().forEach(job -> used.addAll(List.of(job.low(), job.high())));
    ranks = List.copyOf(used);
    for (LevelFacts level : shape.levels()) {
      level.runs().forEach(run -> names.put(run.id(), "R" + run.id()));
    }
  }

  /** The drawing, and the budget if it binds. */
  static String of(Shape shape, Budget budget) {
    ShapeText text = new ShapeText(shape);
    StringBuilder out = new StringBuilder();
    text.sliceNames.forEach(
        (slice, name) -> {
          if (name.contains(".")) {
            out.append("# ").append(name).append(" is slice ").append(slice).append('\n');
          }
        });
    out.append("shape ").append(shape.rule().name().toLowerCase(Locale.ROOT));
    for (int level = 0; level < shape.levels().size(); level++) {
      out.append("\n  L").append(level);
      for (RunFacts run : shape.levels().get(level).runs()) {
        out.append(out.charAt(out.length() - 1) == (char) ('0' + level) ? "  " : "\n      ");
        out.append(text.draw(run));
      }
    }
    for (Shape.RunningPlan job : shape.runningPlans()) {
      String run = text.names.containsKey(job.run()) ? " " + text.names.get(job.run()) : "";
      out.append("\n  job L").append(job.level()).append(run).append(' ');
      out.append(text.range(job.low(), job.high()));
    }
    for (long request : new TreeSet<>(shape.requests())) {
      out.append("\n  request ");
      out.append(shape.rule() == MergeRule.ADJACENT ? "G" + request : text.sliceNames.get(request));
    }
    if (!budget.equals(Budget.unlimited())) {
      out.append("\nbudget slots=").append(budget.freeSlots());
      if (budget.transientBytes() != Long.MAX_VALUE) {
        out.append(" space=").append(kib(budget.transientBytes()));
      }
    }
    return out.append('\n').toString();
  }

  private String draw(RunFacts run) {
    boolean named =
        !run.complete()
            || shape.runningPlans().stream().anyMatch(job -> job.run() == run.id())
            || shape.levels().stream()
                .flatMap(level -> level.runs().stream())
                .anyMatch(other -> other.sources().contains(run.id()));
    String sources =
        run.complete()
            ? ""
            : " from "
                + new TreeSet<>(run.sources())
                    .stream().map(names::get).collect(Collectors.joining(" "));
    String segments = run.segments().stream().map(this::draw).collect(Collectors.joining("  "));
    return ("run " + (named ? names.get(run.id()) : "") + sources + " " + segments)
        .replaceAll("run +", "run ")
        .strip();
  }

  private String draw(SegmentFacts segment) {
    String slices = segment.slices().stream().map(this::draw).collect(Collectors.joining(" "));
    String parents = segment.parents() == segment.slices().size() ? "" : "/" + segment.parents();
    return segment.virtual() ? "G" + segment.group() + parents + "{" + slices + "}" : slices;
  }

  private String draw(SliceFacts slice) {
    return sliceNames.get(slice.slice())
        + range(slice.low(), slice.high())
        + " "
        + kib(slice.bytes())
        + (slice.tableBytes() > slice.bytes() ? " of " + kib(slice.tableBytes()) : "")
        + (slice.hasTombstonesOnly() ? " deletions" : "")
        + (slice.claimed() ? " claimed" : "");
  }

  private String range(int low, int high) {
    return low == high ? "[" + key(low) + "]" : "[" + key(low) + ".." + key(high) + "]";
  }

  private static String kib(long bytes) {
    return (bytes + KIB - 1) / KIB + "K";
  }

  /** Words of one length, in the order of the ranks. */
  private String key(int rank) {
    StringBuilder word = new StringBuilder();
    int index = ranks.indexOf(rank);
    for (int size = ranks.size(); size > 0; size /= LETTERS) {
      word.insert(0, (char) ('a' + index % LETTERS));
      index /= LETTERS;
    }
    return word.toString();
  }
}
