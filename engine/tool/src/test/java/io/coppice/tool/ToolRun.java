// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import io.coppice.tool.cli.CommandOutput;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.function.LongSupplier;

/** The tool jar without a process: what a command printed and how it ended. */
public final class ToolRun {

  /**
   * A clock that stands still. With it a command reports no progress, and no simulation runs out of
   * time, however slow the machine is.
   */
  public static final LongSupplier STANDING = () -> 0;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final int code;

  private ToolRun(String... args) {
    code =
        Main.run(
            args,
            new CommandOutput(new PrintWriter(out, true), new PrintWriter(err, true), STANDING));
  }

  public static ToolRun of(String... args) {
    return new ToolRun(args);
  }

  public int code() {
    return code;
  }

  public String out() {
    return out.toString();
  }

  public String err() {
    return err.toString();
  }
}
