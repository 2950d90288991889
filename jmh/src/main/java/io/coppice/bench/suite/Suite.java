// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import io.coppice.bench.report.Machine;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;

/** Base of a run with progress and a report, which removes its data however it ends. */
public abstract class Suite {

  /**
   * Output of a run.
   *
   * @param target directory of reports and data
   * @param out receives the report
   * @param err receives progress and errors
   * @param drawn whether progress is redrawn in place
   */
  public record Console(Path target, PrintWriter out, PrintWriter err, boolean drawn) {}

  protected final Console console;
  protected final Path target;
  protected final PrintWriter out;
  protected final PrintWriter err;

  /** Directory of the data, which only this run uses. */
  protected final Path data;

  private final boolean resumable;
  private ProgressLine progress;

  /**
   * Creates a run that has not begun.
   *
   * @param data name of its data directory below {@code console.target}
   * @param resumable whether an interrupted run can resume
   */
  protected Suite(Console console, String data, boolean resumable) {
    this.console = console;
    this.target = console.target;
    this.out = console.out;
    this.err = console.err;
    this.data = target.resolve(data).toAbsolutePath();
    this.resumable = resumable;
  }

  /** Returns the directories that the run fills and removes. */
  protected Path[] filled() {
    return new Path[] {data};
  }

  /**
   * Makes all measurements and prints the report.
   *
   * @param command command line that repeats the run
   * @throws RunFailedException if the run ends without a report
   */
  protected abstract void measure(String command, Machine machine)
      throws IOException, InterruptedException, RunFailedException;

  /**
   * Runs the suite and returns its exit code. A {@link RunFailedException} is printed. Called once.
   *
   * @param command command line that repeats the run
   */
  public final int run(String command) throws IOException, InterruptedException {
    DataAtExit leftover = DataAtExit.of(filled());
    try {
      measure(command, Machine.now());
      return BenchExitCode.DONE;
    } catch (RunFailedException e) {
      erase();
      err.println(e.getMessage());
      boolean continues = resumable && e.code() == BenchExitCode.INCOMPLETE;
      err.println(e.consequence() + (continues ? " --resume takes it up again." : ""));
      return e.code();
    } finally {
      erase();
      leftover.remove();
    }
  }

  /**
   * Returns a new progress display, which the run erases at its end.
   *
   * @param cells number of steps in all rounds
   * @param cellsOfRound number of steps in a round
   */
  protected final ProgressLine progress(int cells, int cellsOfRound) {
    progress = new ProgressLine(err, console.drawn, cells, cellsOfRound, System::nanoTime);
    return progress;
  }

  protected final ProgressLine progress() {
    return progress;
  }

  private void erase() {
    if (progress != null) {
      progress.erase();
    }
  }
}
