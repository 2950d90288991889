// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.format;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.policy.LevelFacts;
import io.coppice.policy.MergeRule;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.SliceFacts;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * A codec between a {@link Shape} and a JSON object. It leaves out default values: empty lists,
 * group 0, zero tombstones, a table equal to its slice, and false flags.
 */
final class ShapeJson {

  private ShapeJson() {}

  static void write(ObjectNode node, Shape shape) {
    node.put("rule", shape.rule().name().toLowerCase(Locale.ROOT));
    ArrayNode levels = node.putArray("levels");
    for (LevelFacts level : shape.levels()) {
      ArrayNode runs = levels.addObject().putArray("runs");
      level.runs().forEach(run -> write(runs.addObject(), run));
    }
    if (!shape.runningPlans().isEmpty()) {
      ArrayNode jobs = node.putArray("jobs");
      for (Shape.RunningPlan job : shape.runningPlans()) {
        jobs.addObject()
            .put("level", job.level())
            .put("run", job.run())
            .put("low", job.low())
            .put("high", job.high());
      }
    }
    numbers(node, "requests", shape.requests());
  }

  private static void write(ObjectNode node, RunFacts run) {
    node.put("id", run.id());
    numbers(node, "sources", run.sources());
    ArrayNode segments = node.putArray("segments");
    for (SegmentFacts segment : run.segments()) {
      ObjectNode fields = segments.addObject();
      ArrayNode slices = fields.putArray("slices");
      segment.slices().forEach(slice -> write(slices.addObject(), slice));
      if (segment.virtual()) {
        fields.put("group", segment.group()).put("parents", segment.parents());
      }
    }
  }

  private static void write(ObjectNode node, SliceFacts slice) {
    node.put("slice", slice.slice());
    if (slice.table() != slice.slice()) {
      node.put("table", slice.table());
    }
    node.put("low", slice.low());
    node.put("high", slice.high());
    node.put("bytes", slice.bytes());
    node.put("entries", slice.entries());
    if (slice.tombstones() != 0) {
      node.put("tombstones", slice.tombstones());
    }
    if (slice.tableBytes() != slice.bytes()) {
      node.put("table_bytes", slice.tableBytes());
    }
    if (slice.claimed()) {
      node.put("claimed", true);
    }
    if (slice.ended() != 0) {
      node.put("ended", slice.ended());
    }
    if (slice.hidden() != 0) {
      node.put("hidden", slice.hidden());
    }
  }

  /** Writes a set of numbers in ascending order. */
  static void numbers(ObjectNode node, String name, Set<Long> numbers) {
    if (!numbers.isEmpty()) {
      inOrder(node, name, new TreeSet<>(numbers));
    }
  }

  static void inOrder(ObjectNode node, String name, Collection<Long> numbers) {
    ArrayNode array = node.putArray(name);
    numbers.forEach(array::add);
  }

  /**
   * Returns the shape that an object describes.
   *
   * @throws IllegalArgumentException if a field is missing or wrong
   */
  static Shape read(JsonFields fields) {
    List<LevelFacts> levels = new ArrayList<>();
    for (JsonFields level : fields.objects("levels")) {
      levels.add(new LevelFacts(level.objects("runs").stream().map(ShapeJson::run).toList()));
    }
    List<Shape.RunningPlan> jobs =
        fields.objects("jobs").stream()
            .map(
                job ->
                    new Shape.RunningPlan(
                        job.whole("level"), job.number("run"), job.whole("low"), job.whole("high")))
            .toList();
    return new Shape(
        fields.constant("rule", MergeRule.class),
        levels,
        jobs,
        Set.copyOf(fields.numbers("requests")));
  }

  private static RunFacts run(JsonFields fields) {
    return new RunFacts(
        fields.number("id"),
        fields.objects("segments").stream().map(ShapeJson::segment).toList(),
        Set.copyOf(fields.numbers("sources")));
  }

  private static SegmentFacts segment(JsonFields fields) {
    return new SegmentFacts(
        fields.objects("slices").stream().map(ShapeJson::slice).toList(),
        fields.number("group", 0),
        fields.whole("parents", 0));
  }

  private static SliceFacts slice(JsonFields fields) {
    long slice = fields.number("slice");
    long bytes = fields.number("bytes");
    return new SliceFacts(
        slice,
        fields.number("table", slice),
        fields.whole("low"),
        fields.whole("high"),
        bytes,
        fields.number("entries"),
        fields.number("tombstones", 0),
        fields.number("table_bytes", bytes),
        fields.has("claimed") && fields.flag("claimed"),
        fields.number("ended", 0),
        fields.number("hidden", 0));
  }
}
