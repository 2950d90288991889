// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.store;

import io.coppice.Store;
import io.coppice.StoreStats;
import io.coppice.recovery.Checkpoint;
import io.coppice.tool.cli.ByteText;
import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.CommandProgress;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.format.JsonLines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The verbs about a whole store: {@code compact}, {@code checkpoint}. */
final class StoreWholeVerbs {

  static final List<StoreVerb> VERBS =
      List.of(
          new StoreVerb(
              "compact",
              "Merges each family into one run.",
              List.of("This frees the disk space of deleted and overwritten entries."),
              List.of("DIRECTORY"),
              List.of(CommandOptions.JSON, StoreLine.MEMORY),
              List.of("compact data"),
              StoreWholeVerbs::compact),
          new StoreVerb(
              "checkpoint",
              "Creates a second store with the contents of the first.",
              List.of(
                  "Tables are hard-linked, or copied if TARGET is on another file system. TARGET must be",
                  "missing or empty. The directory of the first store stays unchanged."),
              List.of("DIRECTORY", "TARGET"),
              List.of(CommandOptions.JSON, StoreLine.MEMORY),
              List.of("checkpoint data backup/2026-11-21"),
              StoreWholeVerbs::checkpoint));

  private StoreWholeVerbs() {}

  private static int compact(StoreLine line, CommandOutput streams) throws IOException {
    Path directory = line.directory();
    boolean json = line.json();
    long memory = line.memoryBytes();
    line.complain();
    try (Store store = StoreLine.write(directory, memory)) {
      StoreStats before = store.stats();
      CommandProgress progress =
          CommandProgress.on(
              streams,
              "compact",
              () -> (double) store.stats().mergeReadBytes() / Math.max(1, before.tableBytes()));
      try {
        store.compact();
      } finally {
        progress.close();
      }
      long after = store.stats().tableBytes();
      if (json) {
        JsonLines.print(
            JsonLines.object()
                .put("table_bytes_before", before.tableBytes())
                .put("table_bytes_after", after),
            streams.out());
      } else {
        streams
            .out()
            .println(
                "compacted "
                    + ByteText.format(before.tableBytes())
                    + " to "
                    + ByteText.format(after));
      }
    }
    return ExitCode.DONE;
  }

  private static int checkpoint(StoreLine line, CommandOutput streams) {
    Path directory = line.directory();
    Path target = Path.of(line.place(1));
    boolean json = line.json();
    long memory = line.memoryBytes();
    line.complain();
    Checkpoint made;
    try (Store store = StoreLine.read(directory, memory);
        CommandProgress progress = CommandProgress.on(streams, "checkpoint", new double[] {1})) {
      made = store.checkpoint(target, progress.part(0)::at);
    }
    if (json) {
      JsonLines.print(
          JsonLines.object()
              .put("tables", made.tables())
              .put("linked_bytes", made.linkedBytes())
              .put("copied_bytes", made.copiedBytes()),
          streams.out());
    } else {
      streams
          .out()
          .println(
              "checkpoint of "
                  + CommandOutput.count(made.tables(), "table")
                  + " in "
                  + target
                  + ": "
                  + ByteText.format(made.linkedBytes())
                  + " linked, "
                  + ByteText.format(made.copiedBytes())
                  + " copied");
    }
    return ExitCode.DONE;
  }
}
