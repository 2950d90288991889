// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import io.coppice.bench.BenchExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;

/** A run with progress and a report, which leaves no data behind however it ends. */
public abstract class Suite {

  /**
   * Streams that a run writes to.
   *
   * @param target directory of reports and data
   * @param drawn whether progress is drawn over and over
   */
  public record Console(Path target, PrintWriter out, PrintWriter err, boolean drawn) {}

  protected final Console console;
  protected final Path target;
  protected final PrintWriter out;
  protected final PrintWriter err;

  /** Directory of the data, for the run's exclusive use. */
  protected final Path data;

  private final boolean resumable;
  private ProgressLine progress;

  /**
   * Makes a run that has not begun.
   *
   * @param data name of the directory of the data
   * @param resumable whether a run that was broken off can go on
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

  /** Measures everything and prints the report. */
  protected abstract void measure(String command, Machine machine)
      throws IOException, InterruptedException, RunFailedException;

  /** Returns the exit code of a whole run. */
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

  /** Returns the line that shows progress; the run erases it. */
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
