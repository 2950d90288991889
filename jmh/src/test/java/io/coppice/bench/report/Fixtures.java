// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.report;

import io.coppice.bench.suite.ProgressLine;
import java.io.PrintWriter;
import java.io.Writer;

/** Shared inputs of the tests of suites. */
public final class Fixtures {

  public static final Machine MACHINE =
      new Machine("cpu", 2, 1L << 30, "Linux", 0.1, "VM 17", "abc1234");

  private Fixtures() {}

  /** Returns a progress line without output. */
  public static ProgressLine progress() {
    return new ProgressLine(new PrintWriter(Writer.nullWriter()), false, 1, 1, System::nanoTime);
  }
}
