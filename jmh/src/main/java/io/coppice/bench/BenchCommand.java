// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.adaptive.AdaptiveOptions;
import io.coppice.bench.adaptive.AdaptiveSuite;
import io.coppice.bench.engine.Bench;
import io.coppice.bench.papers.PaperOptions;
import io.coppice.bench.papers.PaperSuite;
import io.coppice.bench.peers.PeerOptions;
import io.coppice.bench.peers.PeerSuite;
import io.coppice.bench.read.ReadOptions;
import io.coppice.bench.read.ReadSuite;
import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.suite.BenchExitCode;
import io.coppice.bench.suite.BenchmarkCommand;
import io.coppice.bench.suite.OptionReader;
import io.coppice.bench.suite.Suite;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;

/**
 * The command {@code bench}: compares the embedded store with RocksDB, and runs suites whose rows
 * have goals.
 */
@Command(name = "bench")
public final class BenchCommand extends BenchmarkCommand {

  private static final List<String> OF_SUITES =
      List.of(
          "scale", "seconds", "rows", "keep", "record", "only", "resume", "cgroup", "without-ycsb");

  private static final Path TARGET = Path.of("target", "bench");

  @Override
  protected int run(OptionReader reader) throws Exception {
    Suite suite = suite(given(), reader.progress());
    Path file = Files.createDirectories(TARGET).resolve("lock");
    try (FileChannel channel =
            FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        FileLock lock = channel.tryLock()) {
      if (lock == null) {
        err().println("Another run measures in " + TARGET.toAbsolutePath() + "; wait for its end.");
        err().println("Nothing was started.");
        return BenchExitCode.ENVIRONMENT;
      }
      return suite.run(typed());
    }
  }

  private Suite suite(Map<String, String> given, String progress) {
    String paper = given.remove("paper");
    String suite = given.get("suite");
    Suite.Console console = new Suite.Console(TARGET, out(), err(), drawn(progress));
    if (paper != null && suite != null) {
      throw new InvalidOptionsException(
          List.of("--suite and --paper are runs of their own; give one of them"));
    }
    if (paper != null) {
      return new PaperSuite(PaperOptions.parse(paper, given, unknown), console);
    }
    if (suite == null) {
      return new Bench(withoutSuite(given), console);
    }
    return switch (suite) {
      case ReadSuite.NAME -> new ReadSuite(ReadOptions.parse(given, unknown), console);
      case AdaptiveSuite.NAME -> new AdaptiveSuite(AdaptiveOptions.parse(given, unknown), console);
      default -> new PeerSuite(PeerOptions.parse(suite, given, unknown), console);
    };
  }

  private BenchOptions withoutSuite(Map<String, String> given) {
    OptionReader reader = new OptionReader(given);
    OF_SUITES.stream()
        .filter(given::containsKey)
        .forEach(
            name -> reader.fault("--%s is of a suite; give --suite, too, or leave it out", name));
    try {
      BenchOptions options = BenchOptions.parse(given, unknown);
      reader.check();
      return options;
    } catch (InvalidOptionsException e) {
      e.errors().forEach(error -> reader.fault("%s", error));
      throw new InvalidOptionsException(reader.faults());
    }
  }
}
