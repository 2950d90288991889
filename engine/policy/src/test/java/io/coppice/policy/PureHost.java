// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import io.coppice.policy.spec.ScriptQuestion;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** The policy alone: the drawing becomes a Shape with nothing in between. */
public final class PureHost implements ScriptHost {

  @Override
  public String answer(DrawnTree tree, ScriptQuestion question) {
    return question.answer(shape(tree), DrawnTree.DrawnTable::name);
  }

  @Override
  public boolean canDraw(DrawnTree tree) {
    return true;
  }

  /** The Shape as drawn; runs are numbered from 1 in the order of the drawing. */
  public static Shape shape(DrawnTree tree) {
    List<String> keys = tree.keys();
    Map<String, Long> ids = new HashMap<>();
    tree.levels().forEach(runs -> runs.forEach(run -> ids.put(run.name(), ids.size() + 1L)));
    List<LevelFacts> levels = new ArrayList<>();
    for (List<DrawnTree.DrawnRun> runs : tree.levels()) {
      List<RunFacts> facts = new ArrayList<>();
      for (DrawnTree.DrawnRun run : runs) {
        List<SegmentFacts> segments =
            run.segments().stream().map(segment -> facts(segment, keys)).toList();
        Set<Long> sources = run.sources().stream().map(ids::get).collect(Collectors.toSet());
        facts.add(new RunFacts(ids.get(run.name()), segments, sources));
      }
      levels.add(new LevelFacts(facts));
    }
    List<Shape.RunningPlan> jobs =
        tree.jobs().stream()
            .map(
                job ->
                    new Shape.RunningPlan(
                        job.level(),
                        ids.getOrDefault(job.run(), Target.NEW_RUN),
                        keys.indexOf(job.low()),
                        keys.indexOf(job.high())))
            .toList();
    return new Shape(tree.rule(), levels, jobs, tree.requests());
  }

  private static SegmentFacts facts(DrawnTree.DrawnSegment segment, List<String> keys) {
    return new SegmentFacts(
        segment.slices().stream().map(table -> facts(table, keys)).toList(),
        segment.group(),
        segment.parents());
  }

  private static SliceFacts facts(DrawnTree.DrawnTable table, List<String> keys) {
    return new SliceFacts(
        table.slice(),
        table.number(),
        keys.indexOf(table.low()),
        keys.indexOf(table.high()),
        table.bytes(),
        table.entries(),
        table.tombstones(),
        table.tableBytes(),
        table.claimed(),
        0,
        table.hidden());
  }
}
