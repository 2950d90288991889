// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

import io.coppice.bench.report.RecordJson;
import io.coppice.bench.store.BenchOptions;
import io.coppice.bench.store.ResourceCheck;
import io.coppice.bench.store.StoreSpec;
import io.coppice.bench.suite.ProgressLine;
import io.coppice.bench.suite.RunFailedException;
import io.coppice.bench.suite.SavedResults;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runner of the trials of a suite. Each round runs all trials and their stores, and every second
 * round runs them in reverse order. At most one store is on disk at a time. The outcome of a
 * process is saved as soon as the process ends, so a later run can resume.
 *
 * @param data directory of the stores, for exclusive use
 */
public record Trials(List<Trial> trials, Path data, SavedResults kept) {

  /** Returns the number of processes in all rounds. */
  public static int processes(List<Trial> trials) {
    return trials.stream().mapToInt(trial -> trial.rounds() * trial.stores().size()).sum();
  }

  /** Returns the seconds that all rounds take on a machine of nominal speed. */
  public static double seconds(List<Trial> trials) {
    return trials.stream()
        .mapToDouble(trial -> trial.seconds() * trial.rounds() * trial.stores().size())
        .sum();
  }

  /**
   * Returns the store that a label of a trial names.
   *
   * @throws IllegalArgumentException naming every fault of the label
   */
  public static StoreSpec store(String label) {
    List<String> faults = new ArrayList<>();
    StoreSpec store = StoreSpec.parse(label, "split-forest", faults);
    if (!faults.isEmpty()) {
      throw new IllegalArgumentException(String.join("; ", faults));
    }
    return store;
  }

  /**
   * Removes the saved outcomes of these trials from an interrupted run, and leaves those of other
   * trials.
   *
   * @param kept directory of the saved outcomes, which may be missing
   * @throws IOException if a file cannot be deleted
   */
  public static void forget(List<Trial> trials, Path kept) throws IOException {
    for (Trial trial : trials) {
      for (int round = 1; round <= trial.rounds(); round++) {
        for (StoreSpec store : trial.stores()) {
          Files.deleteIfExists(kept.resolve(name(trial, store, round) + ".txt"));
        }
      }
    }
  }

  private static String name(Trial trial, StoreSpec store, int round) {
    return trial.id() + "-" + store.label().replace(':', '_') + "-" + round;
  }

  /**
   * Checks before the first trial that the machine has the disk space and memory for all of them.
   *
   * @param target directory of the run
   * @throws RunFailedException if it has not; the message names the trial and the resource
   */
  public static void requireRoom(List<Trial> trials, Path target)
      throws IOException, RunFailedException {
    for (Trial trial : trials) {
      for (StoreSpec store : trial.stores()) {
        RunFailedException.require(
            ResourceCheck.lacking(trial.room().with(List.of(store)), target)
                .map(lacking -> trial.id() + " " + store.label() + ": " + lacking));
      }
    }
  }

  /**
   * Measures all trials and returns their results.
   *
   * @throws RunFailedException if a process failed or a store returned a wrong answer; outcomes of
   *     earlier processes are saved
   */
  public TrialResults run() throws IOException, InterruptedException, RunFailedException {
    TrialResults measured = new TrialResults();
    int rounds = trials.stream().mapToInt(Trial::rounds).max().orElse(0);
    for (int round = 1; round <= rounds; round++) {
      for (Trial trial : trials) {
        if (round <= trial.rounds()) {
          measure(trial, round, measured);
        }
      }
    }
    return measured;
  }

  private void measure(Trial trial, int round, TrialResults measured)
      throws IOException, InterruptedException, RunFailedException {
    BenchOptions options =
        measured.has(trial.id()) ? measured.options(trial.id()) : trial.options().apply(measured);
    int count = trial.stores().size();
    for (int i = 0; i < count; i++) {
      StoreSpec store = trial.stores().get(round % 2 == 1 ? i : count - 1 - i);
      measured.add(trial.id(), store, options, outcome(trial, store, round, options));
    }
  }

  private Child.Outcome outcome(Trial trial, StoreSpec store, int round, BenchOptions options)
      throws IOException, InterruptedException, RunFailedException {
    BenchOptions own = options.with(List.of(store));
    return kept.get(
        kept.file(name(trial, store, round), RecordJson.line(own)),
        trial.seconds(),
        Child.Outcome.class,
        () -> {
          ProgressLine progress = kept.progress();
          progress.begin(
              trial.id() + " " + store.label() + " round " + round,
              own.benchmarks().size(),
              trial.seconds());
          Child.Outcome outcome = new Child(store, data, own, progress).inOneStep().run();
          outcome.check();
          return outcome;
        });
  }
}
