// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.store;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.base.CorruptionException;
import io.coppice.recovery.Repairer;
import io.coppice.recovery.Verification;
import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.CommandProgress;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.format.JsonLines;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;

/**
 * The verb {@code store verify}, which checks the manifest, tables and logs of a store, see {@link
 * Repairer#verify}.
 */
final class StoreVerifyVerb {

  static final StoreVerb VERB =
      new StoreVerb(
          "verify",
          "Reads manifest, tables and logs of a store and verifies their checksums.",
          List.of(
              "It lists damage with file and offset, and changes nothing. store repair repairs a store."),
          List.of("DIRECTORY"),
          List.of(CommandOptions.JSON),
          List.of("verify data", "verify --json data"),
          StoreVerifyVerb::run);

  private StoreVerifyVerb() {}

  private static int run(StoreLine line, CommandOutput streams) {
    Path directory = line.directory();
    boolean json = line.json();
    line.complain();
    Verification found;
    try (CommandProgress progress = CommandProgress.on(streams, "verify", new double[] {1})) {
      found = Repairer.verify(directory, progress.part(0)::at);
    }
    if (json) {
      print(found, streams.out());
    } else {
      printText(found, streams.out());
    }
    return !found.damaged() ? ExitCode.DONE : ExitCode.FAILED;
  }

  private static void printText(Verification found, PrintWriter out) {
    found.damages().forEach(damage -> out.println("damage    " + damage.getMessage()));
    found
        .leftovers()
        .forEach(name -> out.println("leftover  " + name + ": no manifest entry refers to it"));
    if (found.tornBytes() > 0) {
      out.println(
          "torn      "
              + found.tornBytes()
              + " bytes at the ends of logs; opening the store ignores them");
    }
    found.doubts().forEach(doubt -> out.println("doubt     " + doubt));
    String verdict = found.sound() ? "sound: " : "no damage found, but see the doubts: ";
    out.println(
        (found.damaged() ? "damaged: " : verdict)
            + CommandOutput.count(found.tables(), "table")
            + ", "
            + CommandOutput.count(found.logs(), "log")
            + ", "
            + (found.entries() == 1 ? "1 entry" : found.entries() + " entries")
            + " read, "
            + CommandOutput.count(found.damages().size(), "damage"));
  }

  private static void print(Verification found, PrintWriter out) {
    ObjectNode root = JsonLines.object();
    root.put("sound", found.sound());
    root.put("tables", found.tables());
    root.put("logs", found.logs());
    root.put("entries", found.entries());
    root.put("torn_bytes", found.tornBytes());
    ArrayNode damages = root.putArray("damages");
    for (CorruptionException damage : found.damages()) {
      damages
          .addObject()
          .put("file", damage.file())
          .put("offset", damage.offset())
          .put("text", damage.getMessage());
    }
    ArrayNode doubts = root.putArray("doubts");
    found.doubts().forEach(doubts::add);
    ArrayNode leftovers = root.putArray("leftovers");
    found.leftovers().forEach(leftovers::add);
    JsonLines.print(root, out);
  }
}
