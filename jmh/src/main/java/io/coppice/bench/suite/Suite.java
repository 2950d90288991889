// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import io.coppice.bench.BenchExitCode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;

/** A run with progress and a report, which leaves no data behind however it ends. */
public abstract class Suite {

  protected final Path target;
  protected final PrintWriter out;
  protected final PrintWriter err;
  private final boolean drawn;
  private ProgressLine progress;

  /**
   * Makes a run that has not begun.
   *
   * @param target directory of reports and data
   * @param drawn whether progress is drawn over and over
   */
  protected Suite(Path target, PrintWriter out, PrintWriter err, boolean drawn) {
    this.target = target;
    this.out = out;
    this.err = err;
    this.drawn = drawn;
  }

  /** Returns the directories that the run fills and removes. */
  protected abstract Path[] data();

  /** Returns how an incomplete run can go on; empty if it cannot. */
  protected String resumption() {
    return "";
  }

  /** Measures everything and prints the report. */
  protected abstract void measure(String command, Machine machine)
      throws IOException, InterruptedException, RunFailedException;

  /** Returns the exit code of a whole run. */
  public final int run(String command) throws IOException, InterruptedException {
    DataAtExit leftover = DataAtExit.of(data());
    try {
      measure(command, Machine.now());
      return BenchExitCode.DONE;
    } catch (RunFailedException e) {
      erase();
      err.println(e.getMessage());
      err.println(e.consequence() + (e.code() == BenchExitCode.INCOMPLETE ? resumption() : ""));
      return e.code();
    } finally {
      erase();
      leftover.remove();
    }
  }

  /** Returns the line that shows progress; the run erases it. */
  protected final ProgressLine progress(int cells, int cellsOfRound) {
    progress = new ProgressLine(err, drawn, cells, cellsOfRound, System::nanoTime);
    return progress;
  }

  protected final ProgressLine progress() {
    return progress;
  }

  protected final boolean drawn() {
    return drawn;
  }

  private void erase() {
    if (progress != null) {
      progress.erase();
    }
  }
}
