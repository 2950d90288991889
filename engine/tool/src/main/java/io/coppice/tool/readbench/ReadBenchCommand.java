// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.readbench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.coppice.base.InvalidOptionsException;
import io.coppice.base.SearchScheme;
import io.coppice.io.Disk;
import io.coppice.io.block.PageCache;
import io.coppice.io.disk.RealDisk;
import io.coppice.tool.cli.ByteText;
import io.coppice.tool.cli.CommandOptions;
import io.coppice.tool.cli.CommandOutput;
import io.coppice.tool.cli.CommandProgress;
import io.coppice.tool.cli.ExitCode;
import io.coppice.tool.format.JsonLines;
import io.coppice.workload.TextTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/**
 * The command {@code read-bench}, which finds the fastest way to read many blocks at once on this
 * host. Used by one thread.
 */
@Command(
    name = "read-bench",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    customSynopsis = "coppice-tool read-bench DIRECTORY [OPTIONS]",
    header = "Measures ways to read random blocks of 4 KiB from the files of a directory.",
    description = {
      "",
      "A query reads several blocks and waits for all of them. mapping and positional direct read",
      "one block after another. pool reads with 16 threads, ring with io_uring. direct bypasses the",
      "page cache; before each round of the other ways, Linux drops the files from the page cache if",
      "io_uring is available. The benchmark uses files of 1 MiB and more, and it writes nothing.",
      "KB/query is what the device read for this process. times compares the query rate with that of",
      "the faster serial way in the same rounds.",
      "",
      "With --schemes, a query is a lookup without filters: it checks candidate blocks, newest first,",
      "and needs a block only if no earlier block has the key. A hit finds the key in a random block;",
      "a miss needs all blocks. serial reads by mapping and by positional direct. The other schemes",
      "read by pool and by ring: fixed-count keeps 16 reads in flight, priority-aware reads batches of",
      "8, adaptive chooses the number. blocks/query counts all blocks requested.",
      ""
    },
    footer = {
      "",
      "Example: read-bench --clients 1,8 --blocks 17 --seconds 2 data",
      "Example: read-bench --schemes data",
      "Exit codes: 0 done, 1 failed, 2 wrong usage."
    })
public final class ReadBenchCommand implements Callable<Integer> {

  private static final List<String> SOURCES =
      List.of("mapping", "positional direct", "pool", "pool direct", "ring", "ring direct");
  private static final int SERIAL_SOURCES = 2;
  private static final List<Integer> BLOCKS_OF_READERS = List.of(1, 2, 4, 8, 17, 32);
  private static final List<Integer> BLOCKS_OF_SCHEMES = List.of(17);
  private static final List<Integer> CLIENTS = List.of(1, 8);
  private static final int MAX_CLIENTS = 256;
  private static final int MAX_BLOCKS = 64;
  private static final double MIN_SECONDS = 0.001;
  private static final double MAX_SECONDS = 3600;
  private static final double DEFAULT_SECONDS = 0.5;
  private static final long SEED = 42;

  /**
   * Least sum of file sizes, in bytes. Fewer bytes fit into the caches of devices and hypervisors.
   */
  private static final long MIN_BYTES = 1L << 30;

  private static final List<CommandOptions.Help> HELP =
      List.of(
          new CommandOptions.Help(
              "--seconds",
              "N",
              "Time for each combination of way, clients and blocks. Default: 0.5."),
          new CommandOptions.Help(
              "--schemes", "", "Measure search schemes on top of the readers, not readers alone."),
          new CommandOptions.Help(
              "--clients", "N,...", "Threads that query at once, 1 to 256. Default: 1,8."),
          new CommandOptions.Help(
              "--blocks",
              "N,...",
              "Blocks per query, 1 to 64. Default: 1,2,4,8,17,32; with --schemes 17."),
          CommandOptions.JSON);

  private final CommandOutput streams;
  private final CommandLine commandLine;

  private Path directory;
  private boolean schemes;
  private boolean json;
  private final List<String> notes = new ArrayList<>();

  private ReadBenchCommand(CommandOutput streams) {
    this.streams = streams;
    commandLine = new CommandLine(this);
  }

  /** Returns the command, ready to be added to another. */
  public static CommandLine commandLine(CommandOutput streams) {
    ReadBenchCommand command = new ReadBenchCommand(streams);
    CommandOptions.declare(command.commandLine.getCommandSpec(), HELP);
    CommandOptions.declarePlaces(command.commandLine.getCommandSpec());
    return command.commandLine;
  }

  @Override
  public Integer call() throws IOException {
    CommandOptions options = CommandOptions.of(commandLine);
    schemes = options.flag("--schemes");
    json = options.flag(CommandOptions.JSON.name());
    final List<Integer> clientCounts = options.integers("--clients", 1, MAX_CLIENTS, CLIENTS);
    final List<Integer> blockCounts =
        options.integers(
            "--blocks", 1, MAX_BLOCKS, schemes ? BLOCKS_OF_SCHEMES : BLOCKS_OF_READERS);
    final double seconds = options.decimal("--seconds", MIN_SECONDS, MAX_SECONDS, DEFAULT_SECONDS);
    BlockFiles files = files(options);
    options.complain();
    try (Disk disk = RealDisk.openForReading(directory);
        Sources sources = new Sources(disk, files)) {
      boolean forgets = PageCache.drop(files.files());
      if (!forgets) {
        notes.add(
            "warning: the page cache cannot be dropped here; rows without direct may measure"
                + " memory");
      }
      if (files.bytes() < MIN_BYTES) {
        notes.add(
            "warning: the files have "
                + ByteText.format(files.bytes())
                + ", which may fit in caches of the device; use at least "
                + ByteText.format(MIN_BYTES)
                + " to measure the device");
      }
      head(files);
      measure(
          new ReadBenchRun(
              files,
              sources.measured(),
              (long) (seconds * TimeUnit.SECONDS.toNanos(1)),
              forgets,
              SEED),
          cells(clientCounts, blockCounts));
    }
    return ExitCode.DONE;
  }

  private List<ReadBenchCell> cells(List<Integer> clientCounts, List<Integer> blockCounts) {
    List<ReadBenchCell> cells = new ArrayList<>();
    for (int clientCount : clientCounts) {
      for (int blockCount : blockCounts) {
        if (schemes) {
          cells.add(new ReadBenchCell(clientCount, blockCount, true));
        }
        cells.add(new ReadBenchCell(clientCount, blockCount, false));
      }
    }
    return cells;
  }

  private void measure(ReadBenchRun run, List<ReadBenchCell> cells) throws IOException {
    List<List<String>> rows = new ArrayList<>();
    rows.add(ReadBenchResult.head(schemes));
    ObjectNode document = JsonLines.object();
    ArrayNode all = document.putArray("rows");
    double[] weights = new double[cells.size()];
    Arrays.fill(weights, 1);
    try (CommandProgress progress = CommandProgress.on(streams, "read-bench", weights)) {
      for (int i = 0; i < cells.size(); i++) {
        List<ReadBenchResult> results = run.measure(cells.get(i), progress.part(i));
        ReadBenchResult serial = fasterSerial(results);
        for (ReadBenchResult each : results) {
          all.add(each.json(serial, schemes));
          rows.add(each.row(serial, schemes));
        }
      }
    }
    if (json) {
      JsonLines.print(document, streams.out());
    } else {
      TextTable.indented(rows).forEach(streams.out()::println);
    }
  }

  private static ReadBenchResult fasterSerial(List<ReadBenchResult> results) {
    return results.stream()
        .filter(each -> SOURCES.indexOf(each.source().name()) < SERIAL_SOURCES)
        .reduce((one, other) -> one.perSecond() > other.perSecond() ? one : other)
        .orElseThrow();
  }

  private void head(BlockFiles files) {
    if (json) {
      notes.forEach(streams.err()::println);
      return;
    }
    streams
        .out()
        .println(
            files.files().size() + " files, " + ByteText.format(files.bytes()) + ", " + directory);
    notes.forEach(streams.out()::println);
    streams.out().println();
  }

  private BlockFiles files(CommandOptions options) throws IOException {
    List<String> places = options.places(List.of("DIRECTORY"));
    if (places.isEmpty()) {
      return null;
    }
    directory = Path.of(places.get(0));
    if (!Files.isDirectory(directory)) {
      options.fault("DIRECTORY (" + directory + ") must be a directory that exists");
      return null;
    }
    BlockFiles files = BlockFiles.in(directory);
    if (files.files().isEmpty()) {
      options.fault(
          "DIRECTORY ("
              + directory
              + ") must contain files of 1 MiB and more; fill it with store bench");
    }
    return files;
  }

  /** The ways to read that work on this host. For each other way, a note gives the reason. */
  private final class Sources implements AutoCloseable {

    /** Sources that read one block after another. */
    private final List<BlockSource> serial = new ArrayList<>();

    /** Sources that read several blocks at once. */
    private final List<BlockSource.Reader> readers = new ArrayList<>();

    Sources(Disk disk, BlockFiles files) throws IOException {
      serial.add(new BlockSource.Mappings(files));
      try {
        serial.add(new BlockSource.DirectChannels(files));
      } catch (IOException | UnsupportedOperationException e) {
        notes.add("no direct reads: " + e.getMessage());
      }
      boolean direct = serial.size() == SERIAL_SOURCES;
      for (String kind : List.of("pool", "ring")) {
        try {
          readers.add(new BlockSource.Reader(disk, files, kind, false));
          if (direct) {
            readers.add(new BlockSource.Reader(disk, files, kind, true));
          }
        } catch (InvalidOptionsException e) {
          notes.addAll(e.errors());
        }
      }
    }

    /** Returns the sources to compare, serial ones first. */
    List<BlockSource> measured() {
      List<BlockSource> measured = new ArrayList<>(serial);
      if (!schemes) {
        measured.addAll(readers);
        return measured;
      }
      for (SearchScheme scheme : SearchScheme.values()) {
        if (scheme != SearchScheme.SERIAL) {
          readers.forEach(reader -> measured.add(new BlockSource.Scheme(reader, scheme)));
        }
      }
      return measured;
    }

    @Override
    public void close() throws IOException {
      for (BlockSource each : serial) {
        each.close();
      }
      for (BlockSource each : readers) {
        each.close();
      }
    }
  }
}
