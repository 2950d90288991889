// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cost;

import static io.coppice.bench.report.Texts.text;

import io.coppice.bench.report.FigureTable;
import io.coppice.bench.report.Machine;
import io.coppice.bench.suite.BenchmarkCommand;
import io.coppice.bench.suite.OptionReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import javax.management.JMException;
import picocli.CommandLine.Command;

/** The command {@code planning}: measures the cost of planning in a node with many SSTables. */
@Command(name = "planning", sortOptions = false)
public final class PlanningCommand extends BenchmarkCommand {

  private static final int MAX_TABLES = 20_000;
  private static final int MAX_FLUSHES = 1000;
  private static final int MAX_SECONDS = 600;

  /** Share of a core that planning may take. */
  private static final double AIM = 0.01;

  private record Load(int tables, int flushes, int warmUp, int seconds, List<String> policies) {}

  /**
   * A row of the result table.
   *
   * @param tables number of SSTables
   * @param deep most SSTables that overlap one key
   * @param flush cost of the requests after a flush
   * @param poll cost of the requests of a poll
   * @param seconds seconds between flushes that make planning take its allowed share of a core
   */
  record Row(
      String policy,
      String arrangement,
      int tables,
      int deep,
      Cost flush,
      Cost poll,
      double seconds) {
    double percentOfCore() {
      return 100 * Cost.share(flush, poll, seconds);
    }

    double secondsAtAim() {
      return Cost.secondsAt(AIM, flush, poll);
    }
  }

  @Override
  protected int run(OptionReader reader) throws Exception {
    Load load =
        new Load(
            (int) reader.number("tables", 0, 1, MAX_TABLES),
            (int) reader.number("flushes", 0, 1, MAX_FLUSHES),
            (int) reader.number("warm-up", 0, 0, MAX_FLUSHES),
            (int) reader.number("seconds", 0, 1, MAX_SECONDS),
            reader.list("policies", ""));
    List<String> arrangements = reader.listOf("arrangements", "ordered", "overlapping");
    if (!load.policies.stream().allMatch(policy -> policy.matches("[a-z-]+"))) {
      reader.fault("--policies (%s) must be names of policies", reader.text("policies", ""));
    }
    Optional<Path> javaHome = reader.path("java-home");
    reader.check();
    FigureTable table = table(Row.class, reader);
    for (String name : arrangements) {
      // Each has a node of its own, because the SSTables of one alone fill much of the heap.
      try (PlannedNode node = PlannedNode.start(directory(), javaHome)) {
        measure(node, Arrangement.valueOf(name.toUpperCase(Locale.ROOT)), load, table);
      }
    }
    return end(
        table, text("deep: most SSTables over one key; load after: %.1f", Machine.now().load()));
  }

  private void measure(PlannedNode node, Arrangement arrangement, Load load, FigureTable table)
      throws IOException, InterruptedException, JMException {
    node.make(arrangement, load.tables, load.policies.get(0));
    for (String policy : load.policies) {
      node.change(arrangement, policy);
      for (int i = 0; i < load.warmUp; i++) {
        node.meter().flush(arrangement.carriedOut());
        node.readFigures(arrangement);
      }
      List<long[]> afterFlushes = new ArrayList<>();
      List<long[]> polls = new ArrayList<>();
      for (int i = 0; i < load.flushes; i++) {
        TimeUnit.SECONDS.sleep(load.seconds);
        afterFlushes.add(node.meter().flush(arrangement.carriedOut()));
        polls.add(node.meter().poll());
      }
      table.add(
          new Row(
              policy,
              arrangement.name().toLowerCase(Locale.ROOT),
              node.meter().getTables(),
              node.meter().getMaxOverlap(),
              Cost.of(afterFlushes),
              Cost.of(polls),
              load.seconds));
    }
  }
}
