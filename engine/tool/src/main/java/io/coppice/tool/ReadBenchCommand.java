// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.base.InvalidOptionsException;
import io.coppice.base.SearchScheme;
import io.coppice.io.Disk;
import io.coppice.io.PageCache;
import io.coppice.io.RealDisk;
import io.coppice.workload.TextTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * The command {@code read-bench}, which finds the fastest way to read many blocks at once on this
 * host.
 */
@Command(
    name = "read-bench",
    mixinStandardHelpOptions = true,
    sortOptions = false,
    header = "Measures ways to read blocks of 4 KiB at random places of a directory's files.",
    description = {
      "",
      "A query of a client reads so many blocks and waits for all of them. The ways: mapping and",
      "positional direct read one after another; pool reads by 16 threads, ring by io_uring. Those",
      "named direct go past the page cache. Before each round of the others the system is asked to",
      "forget the files, where io_uring is there to ask it. Files of 1 MiB and more count, and",
      "nothing is written. KB/query is what the device read for this process; times compares the",
      "queries with those of the faster serial way in the same rounds.",
      "",
      "With --schemes a query is a lookup without filters: its blocks are those of candidates,",
      "newest first, and a block is needed only if none in front of it has the key. Of a hit each",
      "block is as likely the one with the key as the others; of a miss none has it, and all are",
      "needed. serial reads by mapping and by positional direct; the others by pool and ring:",
      "fixed-count with 16 in flight, and a rest of two with them, priority-aware in batches of 8,",
      "adaptive with as many as pay.",
      "blocks/query is what was asked for, in vain or not.",
      ""
    },
    footer = {
      "",
      "Example: read-bench --clients 1,8 --blocks 17 --seconds 2 data",
      "         read-bench --schemes data",
      "Exit codes: 0 done, 1 failed, 2 wrong usage."
    })
final class ReadBenchCommand implements Callable<Integer> {

  private static final List<String> SOURCES =
      List.of("mapping", "positional direct", "pool", "pool direct", "ring", "ring direct");
  private static final int SERIAL_SOURCES = 2;
  private static final String BLOCKS_OF_READERS = "1,2,4,8,17,32";
  private static final String BLOCKS_OF_SCHEMES = "17";
  private static final int MAX_CLIENTS = 256;
  private static final int MAX_BLOCKS = 64;
  private static final double MAX_SECONDS = 3600;
  private static final long SEED = 42;

  /** Below this, the files fit into the caches of devices and hypervisors. */
  private static final long MIN_BYTES = 1L << 30;

  private final CommandOutput streams;

  @Parameters(paramLabel = "DIRECTORY", description = "With files of 1 MiB and more.")
  private Path directory;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "For each way, clients and blocks. Default 0.5.")
  private String seconds = "0.5";

  @Option(
      names = "--schemes",
      description = "Measures the search schemes over the readers, and not the readers alone.")
  private boolean schemes;

  @Option(
      names = "--clients",
      paramLabel = "N,...",
      description = "Threads that query at once, 1 to 256. Default 1,8.")
  private String clients = "1,8";

  /** The option, or null if it was not given. */
  @Option(
      names = "--blocks",
      paramLabel = "N,...",
      description =
          "Blocks of a query, 1 to 64. Default "
              + BLOCKS_OF_READERS
              + "; with --schemes "
              + BLOCKS_OF_SCHEMES
              + ".")
  private String blocks;

  @Option(names = "--json", description = "Prints JSON and nothing else on standard output.")
  private boolean json;

  private final List<String> faults = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  ReadBenchCommand(CommandOutput streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws IOException {
    List<Integer> clientCounts = numbers("--clients", clients, MAX_CLIENTS);
    List<Integer> blockCounts = numbers("--blocks", blocks(), MAX_BLOCKS);
    long nanos = nanos();
    BlockFiles files = files();
    if (!faults.isEmpty()) {
      throw new UsageException(faults);
    }
    try (Disk disk = RealDisk.openForReading(directory);
        Sources sources = new Sources(disk, files)) {
      boolean forgets = PageCache.drop(files.files());
      if (!forgets) {
        notes.add("nothing could be forgotten: rows not named direct may be of memory");
      }
      if (files.bytes() < MIN_BYTES) {
        notes.add(
            "warning: the files have "
                + ByteText.format(files.bytes())
                + ", so few that the device's own cache may answer; the times tell of it from "
                + ByteText.format(MIN_BYTES)
                + " on");
      }
      head(files);
      measure(
          new ReadBenchRun(files, sources.measured(), nanos, forgets, SEED),
          cells(clientCounts, blockCounts));
    }
    return ExitCode.DONE;
  }

  private String blocks() {
    if (blocks != null) {
      return blocks;
    }
    return schemes ? BLOCKS_OF_SCHEMES : BLOCKS_OF_READERS;
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
    double[] weights = new double[cells.size()];
    Arrays.fill(weights, 1);
    try (CommandProgress progress = CommandProgress.on(streams.err(), "read-bench", weights)) {
      for (int i = 0; i < cells.size(); i++) {
        List<ReadBenchResult> results = run.measure(cells.get(i), progress.part(i));
        ReadBenchResult serial = fasterSerial(results);
        for (ReadBenchResult each : results) {
          if (json) {
            JsonLines.print(each.json(serial, schemes), streams.out());
          }
          rows.add(each.row(serial, schemes));
        }
      }
    }
    if (!json) {
      TextTable.indented(rows).forEach(streams.out()::println);
    }
  }

  private static ReadBenchResult fasterSerial(List<ReadBenchResult> results) {
    return results.stream()
        .filter(each -> SOURCES.indexOf(each.source().name()) < SERIAL_SOURCES)
        .reduce((one, other) -> one.times(other) > 1 ? one : other)
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

  private BlockFiles files() throws IOException {
    if (!Files.isDirectory(directory)) {
      faults.add("DIRECTORY (" + directory + ") must be a directory");
      return null;
    }
    BlockFiles files = BlockFiles.in(directory);
    if (files.files().isEmpty()) {
      faults.add("DIRECTORY (" + directory + ") must have files of 1 MiB and more");
    }
    return files;
  }

  private long nanos() {
    try {
      double value = Double.parseDouble(seconds);
      if (value > 0 && value <= MAX_SECONDS) {
        return (long) (value * TimeUnit.SECONDS.toNanos(1));
      }
    } catch (NumberFormatException e) {
      // Text that is no number is reported below.
    }
    faults.add("--seconds (" + seconds + ") must be above 0 and at most " + (int) MAX_SECONDS);
    return 0;
  }

  private List<Integer> numbers(String option, String text, int most) {
    List<Integer> numbers = new ArrayList<>();
    for (String each : text.split(",", -1)) {
      try {
        int value = Integer.parseInt(each.trim());
        if (value >= 1 && value <= most) {
          numbers.add(value);
          continue;
        }
      } catch (NumberFormatException e) {
        // Reported below.
      }
      faults.add(option + " (" + each + ") must be whole numbers in 1.." + most);
    }
    return numbers;
  }

  /** The ways to read that work on this host. The reason why another does not becomes a note. */
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
