// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.cli;

/** The exit codes of the tool jar's commands. */
public final class ExitCode {

  /** The command has succeeded. */
  public static final int DONE = 0;

  /** The command failed, or its answer is no: for instance, a journal replays differently. */
  public static final int FAILED = 1;

  /** The usage was wrong; every fault was named, and the command did not start. */
  public static final int USAGE = 2;

  private ExitCode() {}
}
