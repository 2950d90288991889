// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.store;

import io.coppice.io.Disk;
import io.coppice.io.disk.RealDisk;
import io.coppice.recovery.Dump;
import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.CommandProgress;
import io.coppice.tool.cli.ExitCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The verb {@code store dump}, which prints the contents of a store's files. */
final class StoreDumpVerb {

  static final StoreVerb VERB =
      new StoreVerb(
          "dump",
          "Prints the contents of store files: envelopes, edits, log records, blocks, slots.",
          List.of(
              "Without FILE it prints all files. It prints keys, and values only with --values. It prints",
              "a damaged file up to the damage."),
          List.of("DIRECTORY", "[FILE...]"),
          List.of(new CommandOptions.Help("--values", "", "Print values, not only their lengths.")),
          List.of("dump data CURRENT 000007.manifest", "dump --values data 000012.wal"),
          StoreDumpVerb::run);

  private StoreDumpVerb() {}

  private static int run(StoreLine line, CommandOutput streams) throws IOException {
    Path directory = line.directory();
    boolean values = line.options().flag("--values");
    List<String> files = line.rest(1);
    for (String file : files) {
      if (file.contains("/") || file.equals("LOCK")) {
        line.options()
            .fault(
                "FILE ("
                    + file
                    + ") must be the name of a file in the store, other than LOCK, without a path");
      }
    }
    line.complain();
    try (Disk disk = RealDisk.openForReading(directory);
        CommandProgress progress = CommandProgress.beside(streams, "dump")) {
      int damages = Dump.write(disk, files, values, streams.out()::println, progress.part(0)::at);
      return damages == 0 ? ExitCode.DONE : ExitCode.FAILED;
    }
  }
}
