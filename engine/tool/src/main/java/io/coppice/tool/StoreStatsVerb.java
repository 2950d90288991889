// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.FamilyStats;
import io.coppice.Store;
import io.coppice.StoreStats;
import io.coppice.policy.Plan;
import io.coppice.policy.Reason;
import io.coppice.policy.observe.Decision;
import io.coppice.workload.TextTable;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The verb {@code store stats}, which prints the contents of a store and the next plans of its
 * policies.
 */
final class StoreStatsVerb {

  static final StoreVerb VERB =
      new StoreVerb(
          "stats",
          "Prints families, levels, bytes, and how far compaction is behind.",
          List.of(
              "--why asks each policy what it would do next: the plan, the reason with what else",
              "stood for choice, and the cost. With --json the question is printed too, in the"
                  + " form",
              "that replay reads. Nothing is done."),
          List.of("DIRECTORY"),
          List.of(
              new CommandOptions.Help("--why", "", "Says what each policy would do, and why."),
              StoreLine.JSON,
              StoreLine.MEMORY),
          List.of("stats data", "stats --why data", "stats --json data"),
          StoreStatsVerb::run);

  private StoreStatsVerb() {}

  private static int run(StoreLine line, CommandOutput streams) {
    Path directory = line.directory();
    boolean why = line.options().flag("--why");
    boolean json = line.json();
    long memory = line.memoryBytes();
    line.complain();
    try (Store store = StoreLine.read(directory, memory)) {
      StoreStats stats = store.stats();
      List<Decision> decisions = why ? store.decisions() : List.of();
      if (json) {
        print(stats, streams.out());
        decisions.forEach(decision -> streams.out().println(JournalCodec.line(decision)));
      } else {
        tell(stats, streams.out());
        decisions.forEach(decision -> tell(decision, streams.out()));
      }
    }
    return ExitCode.DONE;
  }

  static void tell(StoreStats stats, PrintWriter out) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("family", "level", "runs", "segments", "virtual", "bytes"));
    for (FamilyStats family : stats.families()) {
      int depth = 0;
      for (StoreStats.LevelStats level : family.levels()) {
        rows.add(
            List.of(
                depth == 0 ? JsonLines.name(family.name()) : "",
                "L" + depth++,
                Integer.toString(level.runs()),
                Integer.toString(level.segments()),
                Integer.toString(level.virtualSegments()),
                ByteText.format(level.bytes())));
      }
    }
    TextTable.indented(rows).forEach(out::println);
    out.println();
    for (FamilyStats family : stats.families()) {
      out.println("policy of " + JsonLines.name(family.name()) + ": " + family.policy());
      out.println(
          "  tables "
              + ByteText.format(family.tableBytes())
              + ", logs in memory "
              + ByteText.format(family.memtableBytes())
              + ", merges wanted of "
              + ByteText.format(family.backlogBytes())
              + headroom(family));
    }
  }

  private static String headroom(FamilyStats family) {
    return family.headroomBytes() == 0
        ? ""
        : ", which need " + ByteText.format(family.headroomBytes()) + " of room";
  }

  private static void tell(Decision decision, PrintWriter out) {
    out.println();
    if (decision.plan().isEmpty()) {
      out.println(JsonLines.name(decision.family()) + " wants nothing");
      return;
    }
    Plan plan = decision.plan().get();
    Reason reason = plan.reason();
    out.println(
        JsonLines.name(decision.family())
            + " wants to "
            + PlanJson.kind(plan)
            + " "
            + plan.slices().size()
            + " slices, because "
            + reason.sentence());
    out.println(
        "  cost at most: "
            + ByteText.format(reason.cost().readBytes())
            + " read, "
            + ByteText.format(reason.cost().writeBytes())
            + " written, "
            + ByteText.format(reason.cost().transientBytes())
            + " of room for a while");
    for (Reason.Candidate candidate : reason.candidates()) {
      out.println("  candidate slice " + candidate.slice() + ", score " + candidate.score());
    }
  }

  static void print(StoreStats stats, PrintWriter out) {
    ObjectNode root = JsonLines.object();
    root.put("table_bytes", stats.tableBytes());
    root.put("backlog_bytes", stats.backlogBytes());
    root.put("headroom_bytes", stats.headroomBytes());
    root.put("reader", stats.reader());
    StoreStats.FilterStats filters = stats.filters();
    root.putObject("filters")
        .put("bytes", filters.bytes())
        .put("loaded", filters.loaded())
        .put("absent", filters.absent())
        .put("evictions", filters.evictions())
        .put("rebuilt", filters.rebuilt());
    ArrayNode families = root.putArray("families");
    for (FamilyStats family : stats.families()) {
      ObjectNode node = families.addObject();
      node.put("name", family.name());
      node.put("policy", family.policy());
      node.put("table_bytes", family.tableBytes());
      node.put("memtable_bytes", family.memtableBytes());
      node.put("backlog_bytes", family.backlogBytes());
      node.put("headroom_bytes", family.headroomBytes());
      ArrayNode levels = node.putArray("levels");
      for (StoreStats.LevelStats level : family.levels()) {
        levels
            .addObject()
            .put("runs", level.runs())
            .put("segments", level.segments())
            .put("virtual_segments", level.virtualSegments())
            .put("bytes", level.bytes());
      }
    }
    JsonLines.print(root, out);
  }
}
