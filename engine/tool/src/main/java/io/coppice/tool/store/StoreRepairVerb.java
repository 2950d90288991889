// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.store;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.recovery.RepairReport;
import io.coppice.recovery.Repairer;
import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.CommandProgress;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.format.JsonLines;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;

/** The verb {@code store repair}, which makes a damaged store open again. */
final class StoreRepairVerb {

  static final StoreVerb VERB =
      new StoreVerb(
          "repair",
          "Repairs a damaged store so that it opens, and lists what is lost.",
          List.of(
              "Copy the store first if there is space. Damaged files are moved to the directory lost",
              "inside the store. A sound store stays unchanged. The exit code is 1 if data is lost or",
              "if deleted keys may reappear."),
          List.of("DIRECTORY"),
          List.of(CommandOptions.JSON),
          List.of("repair data", "repair --json data"),
          StoreRepairVerb::run);

  private StoreRepairVerb() {}

  private static int run(StoreLine line, CommandOutput streams) throws IOException {
    Path directory = line.directory();
    boolean json = line.json();
    line.complain();
    RepairReport repair;
    try (CommandProgress progress = CommandProgress.on(streams, "repair", new double[] {1})) {
      repair = Repairer.repair(directory, progress.part(0)::at);
    }
    if (json) {
      print(repair, streams.out());
    } else {
      printText(repair, streams.out());
    }
    boolean whole =
        repair.losses().isEmpty() && !repair.deletedMayReturn() && !repair.after().damaged();
    return whole ? ExitCode.DONE : ExitCode.FAILED;
  }

  private static void printText(RepairReport repair, PrintWriter out) {
    if (repair.done().isEmpty()) {
      repair.after().doubts().forEach(doubt -> out.println("doubt  " + doubt));
      out.println(
          repair.after().sound()
              ? "the store is sound; nothing was changed"
              : "there is nothing to repair; nothing was changed");
      return;
    }
    repair.done().forEach(text -> out.println("done   " + text));
    repair.aside().forEach(name -> out.println("aside  lost/" + name));
    repair.losses().forEach(loss -> out.println("LOST   " + loss));
    if (repair.deletedMayReturn()) {
      out.println("Deleted keys and older values may reappear: see above.");
    }
    repair.after().doubts().forEach(doubt -> out.println("doubt  " + doubt));
    String verdict = repair.after().sound() ? "sound now: " : "repaired, but see the doubts: ";
    out.println(
        (repair.after().damaged() ? "STILL DAMAGED: " : verdict)
            + CommandOutput.count(repair.after().tables(), "table")
            + ", "
            + CommandOutput.count(repair.after().logs(), "log")
            + ", "
            + (repair.after().entries() == 1 ? "1 entry" : repair.after().entries() + " entries"));
  }

  private static void print(RepairReport repair, PrintWriter out) {
    ObjectNode root = JsonLines.object();
    root.put("sound", repair.after().sound());
    ArrayNode doubts = root.putArray("doubts");
    repair.after().doubts().forEach(doubts::add);
    root.put("deleted_may_return", repair.deletedMayReturn());
    ArrayNode done = root.putArray("done");
    repair.done().forEach(done::add);
    ArrayNode aside = root.putArray("aside");
    repair.aside().forEach(aside::add);
    ArrayNode losses = root.putArray("losses");
    for (RepairReport.Loss loss : repair.losses()) {
      losses
          .addObject()
          .put("file", loss.file())
          .put("above", loss.above() == null ? null : JsonLines.text(loss.above()))
          .put("inclusive", loss.inclusive())
          .put("up_to", loss.upTo() == null ? null : JsonLines.text(loss.upTo()))
          .put("text", loss.text());
    }
    JsonLines.print(root, out);
  }
}
