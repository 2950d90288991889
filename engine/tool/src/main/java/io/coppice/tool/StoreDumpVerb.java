// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.io.Disk;
import io.coppice.io.RealDisk;
import io.coppice.recovery.Dump;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The verb {@code store dump}, which prints the contents of a store's files. */
final class StoreDumpVerb {

  static final StoreVerb VERB =
      new StoreVerb(
          "dump",
          "Prints what is in the files of a store: envelopes, edits, log records, blocks, slots.",
          List.of(
              "Without FILE, of all files. Keys are printed, values only with --values. A damaged",
              "file is printed as far as it can be read."),
          List.of("DIRECTORY", "[FILE...]"),
          List.of(
              new CommandOptions.Help("--values", "", "Prints values, not only their lengths.")),
          List.of("dump data CURRENT 000007.manifest", "dump --values data 000012.wal"),
          StoreDumpVerb::run);

  private StoreDumpVerb() {}

  private static int run(StoreLine line, CommandOutput streams) throws IOException {
    Path directory = line.directory();
    boolean values = line.options().flag("--values");
    List<String> files = line.rest(1);
    for (String file : files) {
      if (file.contains("/") || file.equals("LOCK")) {
        line.options().fault("FILE (" + file + ") must be the name of a file of the store");
      }
    }
    line.complain();
    try (Disk disk = RealDisk.openForReading(directory);
        CommandProgress progress = CommandProgress.beside(streams.err(), "dump")) {
      int damages = Dump.write(disk, files, values, streams.out()::println, progress.part(0)::at);
      return damages == 0 ? ExitCode.DONE : ExitCode.FAILED;
    }
  }
}
