// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench;

/** What a command of the bench jar ends with. */
public final class BenchExitCode {

  /** All done. */
  public static final int DONE = 0;

  /** An error nobody foresaw; it is printed. */
  public static final int UNEXPECTED = 1;

  /** Wrong usage; the nearest option is named. */
  public static final int USAGE = 2;

  /** Done, and the answer is no: rows differ. */
  public static final int WRONG_ANSWERS = 3;

  /** Something did not finish, or its figures are not valid. */
  public static final int INCOMPLETE = 4;

  /** The machine lacks something: a JDK, memory, disk. */
  public static final int ENVIRONMENT = 5;

  private BenchExitCode() {}
}
