// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.Benchmark;
import io.coppice.bench.store.StoreSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;

/** Measurements of completed trials. Used by one thread. */
public final class TrialResults {

  /** Failure of a query about a trial that has measured no store. */
  public static final class MissingException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final String trial;

    MissingException(String trial) {
      super("no round of " + trial);
      this.trial = trial;
    }

    /** Returns the id of the trial that has no measurements. */
    public String trial() {
      return trial;
    }
  }

  private final Map<String, List<Child.Outcome>> outcomes = new LinkedHashMap<>();
  private final Map<String, BenchOptions> options = new LinkedHashMap<>();

  private static String key(String trial, StoreSpec store) {
    return trial + " " + store.label();
  }

  void add(String trial, StoreSpec store, BenchOptions of, Child.Outcome outcome) {
    outcomes.computeIfAbsent(key(trial, store), absent -> new ArrayList<>()).add(outcome);
    options.putIfAbsent(trial, of);
  }

  /**
   * Returns the measured pairs of trial and store, each as the two names with a blank between them.
   */
  public Set<String> keys() {
    return outcomes.keySet();
  }

  /**
   * Returns the options of a trial that has begun.
   *
   * @throws MissingException if none of its stores has been measured
   */
  public BenchOptions options(String trial) {
    BenchOptions found = options.get(trial);
    if (found == null) {
      throw new MissingException(trial);
    }
    return found;
  }

  /** Returns whether any store was measured in a trial. */
  public boolean has(String trial) {
    return options.containsKey(trial);
  }

  /** Returns whether a store was measured in a trial. */
  public boolean has(String trial, StoreSpec store) {
    return outcomes.containsKey(key(trial, store));
  }

  /**
   * Returns the outcomes of a store, one per round.
   *
   * @throws MissingException if the trial has no measurements
   * @throws IllegalStateException if only other stores were measured
   */
  public List<Child.Outcome> rounds(String trial, StoreSpec store) {
    List<Child.Outcome> rounds = outcomes.get(key(trial, store));
    if (rounds == null && !has(trial)) {
      throw new MissingException(trial);
    }
    if (rounds == null) {
      throw new IllegalStateException(key(trial, store) + " was not measured");
    }
    return List.copyOf(rounds);
  }

  /**
   * Returns the last result of a benchmark in each round.
   *
   * @throws MissingException if the trial has no measurements
   * @throws IllegalStateException if only other stores were measured
   * @throws java.util.NoSuchElementException if a round lacks the benchmark
   */
  public List<CellResult> cells(String trial, StoreSpec store, Benchmark benchmark) {
    return rounds(trial, store).stream()
        .map(
            round ->
                round.results().stream()
                    .filter(result -> result.benchmark() == benchmark)
                    .reduce((earlier, later) -> later)
                    .orElseThrow())
        .toList();
  }

  /** Returns a figure of a benchmark in each round; throws as {@link #cells} does. */
  public double[] figures(
      String trial, StoreSpec store, Benchmark benchmark, ToDoubleFunction<CellResult> figure) {
    return cells(trial, store, benchmark).stream().mapToDouble(figure).toArray();
  }

  /** Returns each second of a benchmark in the first round; throws as {@link #rounds} does. */
  public List<Second> seconds(String trial, StoreSpec store, Benchmark benchmark) {
    return rounds(trial, store).get(0).seconds().stream()
        .filter(second -> second.benchmark() == benchmark)
        .toList();
  }
}
