// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.store;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.FamilyStats;
import io.coppice.Store;
import io.coppice.StoreStats;
import io.coppice.policy.Plan;
import io.coppice.policy.Reason;
import io.coppice.policy.observe.Decision;
import io.coppice.tool.cli.ByteText;
import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.format.JournalCodec;
import io.coppice.tool.format.JsonLines;
import io.coppice.tool.format.PlanJson;
import io.coppice.workload.TextTable;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The verb {@code store stats}, which prints the contents of a store and the next plans of its
 * policies.
 */
final class StoreStatsVerb {

  static final StoreVerb VERB =
      new StoreVerb(
          "stats",
          "Prints families, levels, bytes, and pending compaction.",
          List.of(
              "--why asks each policy for its next plan, the reason, the other candidates, and the cost.",
              "--journal writes the decisions of all policies to a file for replay. Nothing is merged."),
          List.of("DIRECTORY"),
          List.of(
              new CommandOptions.Help("--why", "", "Print the next plan of each policy."),
              new CommandOptions.Help(
                  "--journal", "FILE", "File for the decisions of --why, for replay."),
              CommandOptions.JSON,
              StoreLine.MEMORY),
          List.of("stats data", "stats --why data", "stats --json data"),
          StoreStatsVerb::run);

  private StoreStatsVerb() {}

  private static int run(StoreLine line, CommandOutput streams) throws IOException {
    Path directory = line.directory();
    Optional<Path> journal = line.options().newFile("--journal");
    boolean why = line.options().flag("--why");
    boolean json = line.json();
    long memory = line.memoryBytes();
    line.complain();
    try (Store store = StoreLine.read(directory, memory)) {
      StoreStats stats = store.stats();
      List<Decision> decisions = why || journal.isPresent() ? store.decisions() : List.of();
      if (journal.isPresent()) {
        Files.write(
            journal.get(), (Iterable<String>) decisions.stream().map(JournalCodec::line)::iterator);
      }
      if (json) {
        ObjectNode root = document(stats);
        if (why) {
          ArrayNode all = root.putArray("decisions");
          decisions.forEach(decision -> all.add(JournalCodec.document(decision)));
        }
        JsonLines.print(root, streams.out());
      } else {
        print(stats, streams.out());
        if (why) {
          decisions.forEach(decision -> print(decision, streams.out()));
        }
      }
    }
    return ExitCode.DONE;
  }

  static void print(StoreStats stats, PrintWriter out) {
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
              + ", in memtables "
              + ByteText.format(family.memtableBytes())
              + ", pending merges "
              + ByteText.format(family.backlogBytes())
              + headroom(family));
    }
  }

  private static String headroom(FamilyStats family) {
    return family.headroomBytes() == 0
        ? ""
        : ", which need " + ByteText.format(family.headroomBytes()) + " of free disk";
  }

  private static void print(Decision decision, PrintWriter out) {
    out.println();
    if (decision.plan().isEmpty()) {
      out.println(JsonLines.name(decision.family()) + " needs no merge");
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
            + (plan.slices().size() == 1 ? " slice, because " : " slices, because ")
            + reason.sentence());
    out.println(
        "  cost at most: "
            + ByteText.format(reason.cost().readBytes())
            + " read, "
            + ByteText.format(reason.cost().writeBytes())
            + " written, "
            + ByteText.format(reason.cost().transientBytes())
            + " of transient space");
    for (Reason.Candidate candidate : reason.candidates()) {
      out.println("  candidate slice " + candidate.slice() + ", score " + candidate.score());
    }
  }

  /** Returns the statistics as JSON. */
  static ObjectNode document(StoreStats stats) {
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
    return root;
  }
}
