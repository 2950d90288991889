// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.simulate;

import io.coppice.simulator.Scenario;
import io.coppice.simulator.SimulationProgress;
import io.coppice.simulator.SimulationReport;
import io.coppice.tool.cli.CommandProgress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiFunction;

/** A runner of scenarios, two at a time. Used by one thread. */
public final class Simulations {

  // A key-exact simulation takes gigabytes. Two fit into memory and keep two cores busy.
  public static final int THREADS = 2;

  private final BiFunction<Scenario, SimulationProgress, SimulationReport> simulator;
  private final CommandProgress progress;

  /** Creates a runner that uses a simulator function and reports progress. */
  public Simulations(
      BiFunction<Scenario, SimulationProgress, SimulationReport> simulator,
      CommandProgress progress) {
    this.simulator = simulator;
    this.progress = progress;
  }

  /** Returns the expected amounts of work of scenarios, relative to each other, in their order. */
  public static double[] weights(List<Scenario> scenarios) {
    return scenarios.stream().mapToDouble(Scenario::work).toArray();
  }

  /**
   * Runs scenarios and waits for their reports.
   *
   * @return the reports in the order of the scenarios
   * @throws IllegalStateException if a scenario fails or the wait is interrupted
   */
  List<SimulationReport> run(List<Scenario> scenarios) {
    return run(scenarios, 0);
  }

  /**
   * Runs scenarios and waits for their reports, like {@link #run(List)}.
   *
   * @param firstPart the part of the progress for the first scenario; the others follow
   */
  public List<SimulationReport> run(List<Scenario> scenarios, int firstPart) {
    ExecutorService threads =
        Executors.newFixedThreadPool(
            Math.min(THREADS, Math.max(1, scenarios.size())),
            task -> {
              Thread thread = new Thread(task, "coppice-simulation");
              thread.setDaemon(true);
              return thread;
            });
    try {
      List<Future<SimulationReport>> futures = new ArrayList<>();
      for (int i = 0; i < scenarios.size(); i++) {
        Scenario scenario = scenarios.get(i);
        SimulationProgress part = progress.part(firstPart + i);
        futures.add(threads.submit(() -> simulator.apply(scenario, part)));
      }
      List<SimulationReport> reports = new ArrayList<>();
      for (Future<SimulationReport> future : futures) {
        reports.add(result(future));
      }
      return reports;
    } finally {
      threads.shutdownNow();
    }
  }

  private static SimulationReport result(Future<SimulationReport> future) {
    try {
      return future.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("a simulation failed: " + e.getCause(), e.getCause());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }
}
