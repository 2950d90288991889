// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.store.CoppiceStore;
import io.coppice.bench.suite.ChildTask;
import io.coppice.bench.suite.Directories;
import io.coppice.bench.suite.ParentLines;
import io.coppice.workload.Values;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Process that compares variants of Coppice. Each round runs each contest once. A contest runs its
 * sides forth and back, so that a slow change of the machine's speed affects all of them alike. The
 * first round is not reported.
 */
final class RunsProcess {

  /**
   * Number of passes, forth and back, over the sides of a contest that mostly waits for the device.
   */
  private static final int WAITING_PASSES = 2;

  private static final int PASSES = 8;

  /** Duration of a cold contest in the first round, as a share of that in other rounds. */
  private static final double COLD_WARM_UP = 0.4;

  /** Divisor of a store's blocks: after that many were read, the files are evicted again. */
  private static final int EVICTED_SHARE = 100;

  private static final int BLOCK_BYTES = 4096;

  /** Divisor of a cycle's operations: that many run before it, unmeasured. */
  private static final int FIRST_SHARE = 8;

  private static final int MIN_FIRST = 25;

  /** Number of lookups of absent keys per block read, because filters exclude the others. */
  private static final int FILTERED_MISSES = 5;

  /** Largest share of the data that the operations of a cycle may load into the page cache. */
  private static final double GAINED_SHARE = 0.02;

  /** Share of the data in the page cache above which a side that should be cold counts as warm. */
  private static final double WARM_SHARE = 0.04;

  private final ReadOptions options;
  private final RunStores stores;

  /** Share of the data in the page cache right after opening, by variant. */
  private final Map<Variant, Double> openedShares = new HashMap<>();

  private final Map<Dataset, Clients> clients = new EnumMap<>(Dataset.class);
  private final ParentLines parent;
  private double allSeconds;
  private double doneSeconds;

  /**
   * Work of a process.
   *
   * @param data directory of all data sets
   * @param contests ids, in order
   */
  record Task(ReadOptions options, Path data, List<String> contests) implements ChildTask {
    @Override
    public void run(ParentLines parent) throws Exception {
      new RunsProcess(this, parent).run(contests.stream().map(Contest::named).toList());
    }
  }

  private RunsProcess(Task task, ParentLines parent) {
    this.parent = parent;
    this.options = task.options();
    this.stores = new RunStores(options.scale(), task.data());
    for (Dataset dataset : List.of(Dataset.RUNS, Dataset.FOREST)) {
      clients.put(
          dataset,
          new Clients(
              dataset.keys(options.scale()),
              new Values(dataset.valueBytes(), options.seed()),
              options.seed()));
    }
  }

  private void run(List<Contest> asked) throws IOException, InterruptedException {
    try (stores) {
      List<Contest> contests = new ArrayList<>();
      for (Contest contest : asked) {
        if (opens(contest)) {
          contests.add(contest);
        }
      }
      allSeconds = seconds(options, contests);
      Optional<Contest> cold = contests.stream().filter(Contest::cold).findFirst();
      if (cold.isPresent()) {
        device("before", cold.get());
      }
      for (int round = 0; round <= options.rounds(); round++) {
        List<Contest> order = new ArrayList<>(contests);
        if ((round & 1) != 0) {
          Collections.reverse(order);
        }
        for (Contest contest : order) {
          measure(contest, seconds(options, contest, round), round > 0);
        }
      }
      if (cold.isPresent()) {
        device("after", cold.get());
      }
      stores.readers((variant, reader) -> parent.say("store", variant.label() + " " + reader));
    } finally {
      clients.values().forEach(Clients::close);
    }
  }

  private void device(String when, Contest cold) throws IOException, InterruptedException {
    List<Path> tables =
        Directories.files(stores.directory(cold.sides().get(0).variant()), TablePageCache.TABLES);
    parent.say("store", "device_" + when + " " + DeviceReads.measure(tables));
  }

  /**
   * Returns the seconds that a side is measured. Cold sides have less in the first round, whose
   * purpose is to compile the code.
   */
  private static double seconds(ReadOptions options, Contest contest, int round) {
    return options.seconds() * (round == 0 && contest.cold() ? COLD_WARM_UP : 1);
  }

  /** Returns the seconds that all contests are measured in all rounds. */
  static double seconds(ReadOptions options, List<Contest> contests) {
    double seconds = 0;
    for (int round = 0; round <= options.rounds(); round++) {
      for (Contest contest : contests) {
        seconds += contest.sides().size() * seconds(options, contest, round);
      }
    }
    return seconds;
  }

  /**
   * Opens the stores of a contest for the first time. If this machine cannot open one, reports the
   * contest as missing and returns false.
   */
  private boolean opens(Contest contest) throws IOException {
    for (Contest.Side side : contest.sides()) {
      Variant variant = side.variant();
      try {
        stores.with(variant, side.scheme());
      } catch (InvalidOptionsException e) {
        parent.say("missing", contest.id() + " " + String.join("; ", e.errors()));
        return false;
      }
      if (variant.temperature() == Variant.Temperature.HOT) {
        TablePageCache.load(stores.directory(variant));
      }
      if (variant.temperature() == Variant.Temperature.EVICTED) {
        stores.close(variant);
      }
    }
    return true;
  }

  private void measure(Contest contest, double seconds, boolean reported)
      throws IOException, InterruptedException {
    List<Contest.Side> order = new ArrayList<>(contest.sides());
    Map<Contest.Side, Clients.Taken> taken = new HashMap<>();
    int passes = contest.waits() ? WAITING_PASSES : PASSES;
    for (int pass = 0; pass < passes; pass++) {
      for (Contest.Side side : order) {
        parent.at(contest.id(), doneSeconds / allSeconds);
        taken.merge(side, measure(contest, side, seconds / passes), Clients.Taken::and);
        doneSeconds += seconds / passes;
      }
      Collections.reverse(order);
    }
    if (reported) {
      contest
          .sides()
          .forEach(
              side ->
                  parent.say(
                      "sample", contest.id() + " " + side.name() + " " + taken.get(side).text()));
    }
  }

  private Clients.Taken measure(Contest contest, Contest.Side side, double seconds)
      throws IOException, InterruptedException {
    return side.variant().temperature() == Variant.Temperature.HOT
        ? work(contest, side, Clients.Until.seconds(seconds))
        : cold(contest, side, seconds);
  }

  /**
   * Measures a cold side in cycles. Before each cycle the page cache must hold almost none of the
   * data; otherwise the store is closed, its files are evicted, and it is opened again.
   */
  private Clients.Taken cold(Contest contest, Contest.Side side, double seconds)
      throws IOException, InterruptedException {
    Variant variant = side.variant();
    Path directory = stores.directory(variant);
    Clients.Taken all = Clients.Taken.NOTHING;
    double warmest = 0;
    long operations = operationsOfCycle(contest, variant);
    for (int cycle = 0; cycle < options.scale().maxCycles() && all.seconds() < seconds; cycle++) {
      double opened = openCold(contest, side, operations / FIRST_SHARE, directory);
      all = all.and(work(contest, side, new Clients.Until(seconds - all.seconds(), operations)));
      double gained = TablePageCache.share(directory) - opened;
      warmest = Math.max(warmest, gained);
      if (gained < GAINED_SHARE / 2) {
        // Little or nothing of it stays.
        operations *= 2;
      }
    }
    if (variant.temperature() == Variant.Temperature.EVICTED) {
      // Its mappings would keep pages in memory for the others.
      stores.close(variant);
      openedShares.remove(variant);
    }
    if (warmest > WARM_SHARE) {
      parent.say("warm", contest.id() + " " + side.name() + " " + warmest);
    }
    return all;
  }

  /**
   * Opens a store so that little more of its files is in memory than the opening itself reads.
   *
   * @param first number of unmeasured operations after the opening, because the first read of a
   *     table opens its file
   * @return the share of the data that the opening reads
   */
  private double openCold(Contest contest, Contest.Side side, long first, Path directory)
      throws IOException, InterruptedException {
    Variant variant = side.variant();
    Double opened = openedShares.get(variant);
    if (opened != null && TablePageCache.share(directory) < opened + GAINED_SHARE / 2) {
      return opened;
    }
    stores.close(variant);
    TablePageCache.evict(directory);
    work(contest, side, new Clients.Until(options.seconds(), Math.max(MIN_FIRST, first)));
    double share = TablePageCache.share(directory);
    openedShares.put(variant, share);
    return share;
  }

  /**
   * Returns the number of operations in a cycle: they read the allowed number of blocks into
   * memory.
   */
  private long operationsOfCycle(Contest contest, Variant variant) {
    long blocks = options.scale().runsBytes() / BLOCK_BYTES / EVICTED_SHARE;
    if (!variant.filters()) {
      return Math.max(1, blocks / ReadScale.RUNS);
    }
    return contest.operation() == ReadOperation.MISS ? FILTERED_MISSES * blocks : blocks;
  }

  private Clients.Taken work(Contest contest, Contest.Side side, Clients.Until until)
      throws InterruptedException {
    CoppiceStore store = stores.with(side.variant(), side.scheme());
    Clients.Taken taken =
        clients
            .get(side.variant().dataset())
            .run(store, contest.operation(), contest.clients(), until);
    stores.checkReader(side.variant());
    return taken;
  }
}
