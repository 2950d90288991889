// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.report;

import io.coppice.bench.suite.ProgressLine;
import io.coppice.bench.suite.Suite;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Path;

/** Shared inputs of the tests of suites. */
public final class Fixtures {

  public static final Machine MACHINE =
      new Machine("cpu", 2, 1L << 30, "Linux", 0.1, "VM 17", "abc1234");

  private static final PrintWriter NOWHERE = new PrintWriter(Writer.nullWriter());

  private Fixtures() {}

  /** Returns a progress line without output. */
  public static ProgressLine progress() {
    return new ProgressLine(NOWHERE, false, 1, 1, System::nanoTime);
  }

  /** Returns a console in a directory with its output in a writer, without errors. */
  public static Suite.Console console(Path directory, Writer out) {
    return new Suite.Console(directory, new PrintWriter(out), NOWHERE, false);
  }
}
