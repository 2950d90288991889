// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.Directories;
import io.coppice.bench.engine.CoppiceStore;
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
 * Process that compares variants of Coppice. Each round runs each contest once, and each contest
 * alternates its sides forth and back, so that a drift of the machine affects all of them. The
 * first round is not reported.
 */
final class RunsProcess {

  /** Forth and back, of contests that mostly wait for the device. */
  private static final int WAITING_PASSES = 2;

  private static final int PASSES = 8;

  /** Time share of the first round of a cold contest. */
  private static final double COLD_WARM_UP = 0.4;

  /** Divisor of a store's blocks that may be read before its files are evicted again. */
  private static final int EVICTED_SHARE = 100;

  private static final int BLOCK_BYTES = 4096;

  /** Divisor of a cycle's operations that run before it, unmeasured. */
  private static final int FIRST_SHARE = 8;

  private static final int MIN_FIRST = 25;

  /** Lookups of absent keys that read one block, as the filters turn the others away. */
  private static final int FILTERED_MISSES = 5;

  /** Largest share of the data that a cycle may bring into the page cache. */
  private static final double GAINED_SHARE = 0.02;

  /** Share of cached data above which a cold side counts as warm. */
  private static final double WARM_SHARE = 0.04;

  private final ReadOptions options;
  private final RunStores stores;

  /** Share of the page cache after opening, by variant. */
  private final Map<Variant, Double> openedShares = new HashMap<>();

  private final Map<Dataset, Clients> clients = new EnumMap<>(Dataset.class);
  private final ParentLines parent;
  private double allSeconds;
  private double doneSeconds;

  RunsProcess(ReadTask task, ParentLines parent) {
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

  void run(List<Contest> asked) throws IOException, InterruptedException {
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
   * Returns the seconds of a side; cold sides have less in the first round, which compiles code.
   */
  private static double seconds(ReadOptions options, Contest contest, int round) {
    return options.seconds() * (round == 0 && contest.cold() ? COLD_WARM_UP : 1);
  }

  /** Returns the seconds that contests measure in all rounds. */
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
   * Opens the stores of a contest for the first time. Reports the contest as missing and returns
   * false if this machine cannot.
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
    Map<Contest.Side, Taken> taken = new HashMap<>();
    int passes = contest.waits() ? WAITING_PASSES : PASSES;
    for (int pass = 0; pass < passes; pass++) {
      for (Contest.Side side : order) {
        parent.at(contest.id(), doneSeconds / allSeconds);
        taken.merge(side, measure(contest, side, seconds / passes), Taken::and);
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

  private Taken measure(Contest contest, Contest.Side side, double seconds)
      throws IOException, InterruptedException {
    return side.variant().temperature() == Variant.Temperature.HOT
        ? work(contest, side, Clients.Until.seconds(seconds))
        : cold(contest, side, seconds);
  }

  /**
   * Measures a cold side in cycles. Before each cycle the page cache holds almost no data of the
   * files; otherwise the store is closed, its files are evicted, and it is reopened.
   */
  private Taken cold(Contest contest, Contest.Side side, double seconds)
      throws IOException, InterruptedException {
    Variant variant = side.variant();
    Path directory = stores.directory(variant);
    Taken all = Taken.NOTHING;
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
   * Makes sure that hardly more of the files is in memory than opening them reads.
   *
   * @param first operations done once it is opened, as each file is opened by the first read
   * @return the share that opening takes
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

  /** Returns the operations that read the permitted number of blocks into memory. */
  private long operationsOfCycle(Contest contest, Variant variant) {
    long blocks = options.scale().runsBytes() / BLOCK_BYTES / EVICTED_SHARE;
    if (!variant.filters()) {
      return Math.max(1, blocks / ReadScale.RUNS);
    }
    return contest.operation() == ReadOperation.MISS ? FILTERED_MISSES * blocks : blocks;
  }

  private Taken work(Contest contest, Contest.Side side, Clients.Until until)
      throws InterruptedException {
    CoppiceStore store = stores.with(side.variant(), side.scheme());
    Taken taken =
        clients
            .get(side.variant().dataset())
            .run(store, contest.operation(), contest.clients(), until);
    stores.checkReader(side.variant());
    return taken;
  }
}
