// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * A Shape as the drawing of a script, so that a failure can become a case. Tables bear the names of
 * their slices; sizes are rounded up to whole kibibytes. What scripts cannot draw stands in braces:
 * the slices of a virtual segment, and requests.
 */
final class ShapeText {

  private static final int LETTERS = 26;
  private static final long KIB = 1024;

  private final Shape shape;
  private final List<Integer> ranks;
  private final Map<Long, String> names = new HashMap<>();

  private ShapeText(Shape shape) {
    this.shape = shape;
    TreeSet<Integer> used = new TreeSet<>();
    ShapeLaws.slices(shape).forEach(slice -> used.addAll(List.of(slice.low(), slice.high())));
    shape.jobs().forEach(job -> used.addAll(List.of(job.low(), job.high())));
    ranks = List.copyOf(used);
    for (LevelFacts level : shape.levels()) {
      level.runs().forEach(run -> names.put(run.id(), "R" + run.id()));
    }
  }

  /** The drawing, and the budget if it binds. */
  static String of(Shape shape, Budget budget) {
    ShapeText text = new ShapeText(shape);
    StringBuilder out = new StringBuilder();
    out.append("shape ").append(shape.rule().name().toLowerCase(Locale.ROOT));
    for (int level = 0; level < shape.levels().size(); level++) {
      out.append("\n  L").append(level);
      for (RunFacts run : shape.levels().get(level).runs()) {
        out.append(out.charAt(out.length() - 1) == (char) ('0' + level) ? "  " : "\n      ");
        out.append(text.draw(run));
      }
    }
    for (Shape.Job job : shape.jobs()) {
      String run = text.names.containsKey(job.run()) ? " " + text.names.get(job.run()) : "";
      out.append("\n  job L").append(job.level()).append(run).append(' ');
      out.append(text.range(job.low(), job.high()));
    }
    if (!shape.requests().isEmpty()) {
      out.append("\n  {requests ").append(new TreeSet<>(shape.requests())).append('}');
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
            || shape.jobs().stream().anyMatch(job -> job.run() == run.id())
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
    return segment.virtual()
        ? "{group " + segment.group() + " of " + segment.parents() + ": " + slices + "}"
        : slices;
  }

  private String draw(TableFacts slice) {
    return "t"
        + slice.slice()
        + range(slice.low(), slice.high())
        + " "
        + kib(slice.bytes())
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
