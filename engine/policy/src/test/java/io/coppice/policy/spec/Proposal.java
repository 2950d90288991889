// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.spec;

import io.coppice.policy.Budget;
import io.coppice.policy.Plan;
import io.coppice.policy.PlanCost;
import io.coppice.policy.Reason;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.SliceFacts;
import io.coppice.policy.Target;
import io.coppice.policy.check.PlanCheck;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongFunction;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A plan that a script proposes in words, such as {@code merge t9 t7 -> L1 new from L0.0 L0.1}, and
 * what {@link PlanCheck} says to it, with tables and runs by their drawn names. The form stands in
 * {@code docs/explanation/policy-contract.md}.
 */
final class Proposal {

  private static final Pattern FORM =
      Pattern.compile(
          "(merge|move|delay|drop)((?: t[\\d.]+)+)(?: -> L(\\d+)(?:\\.(\\d+)| new(?: from((?: L\\d+\\.\\d+)+))?))?"
              + "((?: [a-z]+=[\\w.]+)*)");
  private static final Pattern SLICE = Pattern.compile("\\bslice (\\d+)");
  private static final Pattern SLICES = Pattern.compile("\\bslices \\[([\\d, ]+)]");
  private static final Pattern RUN = Pattern.compile("\\brun (\\d+)");

  private final Shape shape;
  private final Map<String, SliceFacts> drawn = new LinkedHashMap<>();
  private final Map<Long, String> names = new LinkedHashMap<>();
  private final Map<String, Long> runs = new LinkedHashMap<>();

  Proposal(Shape shape, LongFunction<String> tableNames) {
    this.shape = shape;
    for (int level = 0; level < shape.levels().size(); level++) {
      List<RunFacts> stack = shape.levels().get(level).runs();
      for (int place = 0; place < stack.size(); place++) {
        runs.put("L" + level + "." + place, stack.get(place).id());
        for (SegmentFacts segment : stack.get(place).segments()) {
          for (SliceFacts slice : segment.slices()) {
            String name = tableNames.apply(slice.slice());
            drawn.put(name, slice);
            names.put(slice.slice(), name);
          }
        }
      }
    }
  }

  /** {@code legal}, or the law broken and how. */
  String verdict(String text, Budget budget, int maxLevel) {
    return PlanCheck.fault(shape, plan(text), budget, maxLevel).map(this::named).orElse("legal");
  }

  private Plan plan(String text) {
    Matcher form = FORM.matcher(text);
    if (!form.matches() || form.group(1).equals("drop") != (form.group(3) == null)) {
      throw new IllegalArgumentException("'" + text + "' is no plan");
    }
    List<Long> slices = Arrays.stream(form.group(2).strip().split(" ")).map(this::idOf).toList();
    Map<String, String> extras = extras(form.group(6));
    Reason reason = Reason.of("proposed", "proposed").costing(forecast(slices, extras));
    return switch (form.group(1)) {
      case "merge" -> {
        int cleaning = Integer.parseInt(extras.getOrDefault("cleaning", "0"));
        yield new Plan.Merge(slices, target(form), cleaning, reason);
      }
      case "move" -> new Plan.Move(slices, target(form), free(reason));
      case "delay" -> {
        int segments = Integer.parseInt(extras.getOrDefault("segments", "1"));
        long after = extras.containsKey("after") ? idOf(extras.get("after")) : 0;
        yield new Plan.Delay(slices, target(form), segments, after, free(reason));
      }
      default -> new Plan.Drop(slices, free(reason));
    };
  }

  private static Reason free(Reason reason) {
    return reason.costing(PlanCost.FREE_OF_COST);
  }

  /** The true forecast of a merge that cleans at its end, but for what the text says otherwise. */
  private PlanCost forecast(List<Long> slices, Map<String, String> extras) {
    Set<Long> inputs = new HashSet<>(slices);
    long bytes =
        drawn.values().stream()
            .filter(slice -> inputs.contains(slice.slice()))
            .mapToLong(SliceFacts::bytes)
            .sum();
    return new PlanCost(
        size(extras, "reads", bytes), size(extras, "writes", bytes), size(extras, "space", bytes));
  }

  private static long size(Map<String, String> extras, String name, long otherwise) {
    String text = extras.get(name);
    return text == null ? otherwise : SizeText.parse(text + "iB").orElseThrow();
  }

  private static Map<String, String> extras(String text) {
    Map<String, String> extras = new LinkedHashMap<>();
    for (String extra : text.isBlank() ? new String[0] : text.strip().split(" ")) {
      extras.put(extra.split("=")[0], extra.split("=")[1]);
    }
    if (!Set.of("segments", "after", "cleaning", "reads", "writes", "space")
        .containsAll(extras.keySet())) {
      throw new IllegalArgumentException("of " + extras.keySet() + " not all are understood");
    }
    return extras;
  }

  /** A table that is not drawn gets an identity that nothing has. */
  private long idOf(String name) {
    SliceFacts slice = drawn.get(name);
    if (slice != null) {
      return slice.slice();
    }
    long id = Long.MAX_VALUE - names.size();
    names.put(id, name);
    return id;
  }

  private long runOf(String name) {
    Long run = runs.get(name);
    if (run == null) {
      run = Long.MAX_VALUE - runs.size();
      runs.put(name, run);
    }
    return run;
  }

  private Target target(Matcher form) {
    int level = Integer.parseInt(form.group(3));
    if (form.group(4) != null) {
      return Target.join(level, runOf("L" + level + "." + form.group(4)));
    }
    Set<Long> sources = new HashSet<>();
    if (form.group(5) != null) {
      List.of(form.group(5).strip().split(" ")).forEach(name -> sources.add(runOf(name)));
    }
    return Target.newest(level, sources);
  }

  /** A message of PlanCheck with names as drawn in place of identities. */
  private String named(String message) {
    String text = SLICES.matcher(message).replaceAll(ids -> nameAll(ids.group(1)));
    text = SLICE.matcher(text).replaceAll(id -> name(names, id));
    Map<Long, String> places = new LinkedHashMap<>();
    runs.forEach((name, id) -> places.put(id, name));
    return RUN.matcher(text).replaceAll(id -> name(places, id));
  }

  private String nameAll(String ids) {
    List<String> all = new ArrayList<>();
    for (String id : ids.split(", ")) {
      all.add(names.getOrDefault(Long.parseLong(id), id));
    }
    return String.join(" ", all);
  }

  private static String name(Map<Long, String> names, MatchResult id) {
    return Optional.ofNullable(names.get(Long.parseLong(id.group(1)))).orElse(id.group());
  }
}
