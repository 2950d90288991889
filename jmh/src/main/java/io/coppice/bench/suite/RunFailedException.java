// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import java.util.Optional;

/** Failure that ends a run without a report. */
public class RunFailedException extends Exception {

  private static final long serialVersionUID = 1;

  private final int code;

  /**
   * Creates the failure of a run.
   *
   * @param cause null without one
   */
  protected RunFailedException(String reason, int code, Throwable cause) {
    super(reason, cause);
    this.code = code;
  }

  /**
   * Creates the failure of a run.
   *
   * @param wrongAnswer whether a store gave a wrong answer; otherwise the run is incomplete
   */
  public RunFailedException(String reason, boolean wrongAnswer) {
    this(reason, wrongAnswer ? BenchExitCode.WRONG_ANSWERS : BenchExitCode.INCOMPLETE, null);
  }

  /**
   * Checks that this machine has a resource.
   *
   * @param lacking description of the lack; empty if there is none
   * @throws RunFailedException with the description
   */
  public static void require(Optional<String> lacking) throws RunFailedException {
    if (lacking.isPresent()) {
      throw new RunFailedException(lacking.get(), BenchExitCode.ENVIRONMENT, null);
    }
  }

  public final int code() {
    return code;
  }

  /** Returns a sentence about the effect on the run. */
  public final String consequence() {
    return switch (code) {
      case BenchExitCode.WRONG_ANSWERS -> "The run is void; no figure of it is printed.";
      case BenchExitCode.ENVIRONMENT -> "Nothing was started.";
      default -> "The run is incomplete; no figure of it is printed.";
    };
  }
}
