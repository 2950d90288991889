// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

/** Exit codes of the bench jar's commands. */
public final class BenchExitCode {

  /** The command has done all its work. */
  public static final int DONE = 0;

  /** An unexpected error ended the command, which has printed it. */
  public static final int UNEXPECTED = 1;

  /** The command line is wrong; the error message names the nearest option. */
  public static final int USAGE = 2;

  /** The command ran to its end and found wrong answers: rows differ from the written ones. */
  public static final int WRONG_ANSWERS = 3;

  /** Part of the run is unfinished, or its figures are invalid. */
  public static final int INCOMPLETE = 4;

  /** The machine lacks something: a JDK, memory, disk. */
  public static final int ENVIRONMENT = 5;

  private BenchExitCode() {}
}
