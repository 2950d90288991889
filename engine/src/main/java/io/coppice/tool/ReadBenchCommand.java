// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.base.InvalidOptionsException;
import io.coppice.io.Disk;
import io.coppice.io.PageCache;
import io.coppice.io.RealDisk;
import io.coppice.simulator.Progress;
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

/** The command {@code read-bench}: which way to read many blocks at once is fastest here? */
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
      ""
    },
    footer = {
      "",
      "Example: read-bench --clients 1,8 --blocks 17 --seconds 2 data",
      "Exit codes: 0 done, 1 failed, 2 wrong usage."
    })
final class ReadBenchCommand implements Callable<Integer> {

  private static final List<String> SOURCES =
      List.of("mapping", "positional direct", "pool", "pool direct", "ring", "ring direct");
  private static final int SERIAL_SOURCES = 2;
  private static final int MAX_CLIENTS = 256;
  private static final int MAX_BLOCKS = 64;
  private static final double MAX_SECONDS = 3600;
  private static final long SEED = 42;

  private final Streams streams;

  @Parameters(paramLabel = "DIRECTORY", description = "With files of 1 MiB and more.")
  private Path directory;

  @Option(
      names = "--seconds",
      paramLabel = "N",
      description = "For each way, clients and blocks. Default 0.5.")
  private String seconds = "0.5";

  @Option(
      names = "--clients",
      paramLabel = "N,...",
      description = "Threads that query at once, 1 to 256. Default 1,8.")
  private String clients = "1,8";

  @Option(
      names = "--blocks",
      paramLabel = "N,...",
      description = "Blocks of a query, 1 to 64. Default 1,2,4,8,17,32.")
  private String blocks = "1,2,4,8,17,32";

  @Option(names = "--json", description = "Prints JSON and nothing else on standard output.")
  private boolean json;

  private final List<String> faults = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  ReadBenchCommand(Streams streams) {
    this.streams = streams;
  }

  @Override
  public Integer call() throws IOException {
    List<Integer> clientCounts = numbers("--clients", clients, MAX_CLIENTS);
    List<Integer> blockCounts = numbers("--blocks", blocks, MAX_BLOCKS);
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
      head(files);
      measure(
          new ReadBenchRun(files, sources.open, nanos, forgets, SEED), clientCounts, blockCounts);
    }
    return ExitCode.DONE;
  }

  private void measure(ReadBenchRun run, List<Integer> clientCounts, List<Integer> blockCounts)
      throws IOException {
    int cells = clientCounts.size() * blockCounts.size();
    List<List<String>> rows = new ArrayList<>();
    rows.add(ReadBenchResult.HEAD);
    double[] weights = new double[cells];
    Arrays.fill(weights, 1);
    try (ProgressLine progress = ProgressLine.on(streams.err(), "read-bench", weights)) {
      int cell = 0;
      for (int clientCount : clientCounts) {
        for (int blockCount : blockCounts) {
          Progress place = progress.part(cell++);
          List<ReadBenchResult> results = run.measure(clientCount, blockCount, place);
          ReadBenchResult serial = fasterSerial(results);
          for (ReadBenchResult each : results) {
            if (json) {
              JsonLines.print(each.json(serial), streams.out());
            }
            rows.add(each.row(serial));
          }
        }
      }
    }
    if (!json) {
      TableText.aligned(rows).forEach(streams.out()::println);
    }
  }

  private static ReadBenchResult fasterSerial(List<ReadBenchResult> results) {
    return results.stream()
        .filter(each -> SOURCES.indexOf(each.source()) < SERIAL_SOURCES)
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
      // Then it is no number at all.
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
        // Said below.
      }
      faults.add(option + " (" + each + ") must be whole numbers in 1.." + most);
    }
    return numbers;
  }

  /** The ways that work here; of others it is noted why they do not. */
  private final class Sources implements AutoCloseable {

    private final List<BlockSource> open = new ArrayList<>();

    Sources(Disk disk, BlockFiles files) throws IOException {
      open.add(new BlockSource.Mappings(files));
      try {
        open.add(new BlockSource.DirectChannels(files));
      } catch (IOException | UnsupportedOperationException e) {
        notes.add("no direct reads: " + e.getMessage());
      }
      boolean direct = open.size() == SERIAL_SOURCES;
      for (String kind : List.of("pool", "ring")) {
        try {
          open.add(new BlockSource.Reader(disk, files, kind, false));
          if (direct) {
            open.add(new BlockSource.Reader(disk, files, kind, true));
          }
        } catch (InvalidOptionsException e) {
          notes.addAll(e.errors());
        }
      }
    }

    @Override
    public void close() throws IOException {
      for (BlockSource each : open) {
        each.close();
      }
    }
  }
}
