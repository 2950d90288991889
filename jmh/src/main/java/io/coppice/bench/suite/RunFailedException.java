// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import io.coppice.bench.ExitCode;
import java.util.Optional;

/** A run ended without a report. */
public final class RunFailedException extends Exception {

  private static final long serialVersionUID = 1;

  private final int code;

  private RunFailedException(String reason, int code) {
    super(reason);
    this.code = code;
  }

  /** Ends a run for a wrong answer, or else as incomplete. */
  public RunFailedException(String reason, boolean wrongAnswer) {
    this(reason, wrongAnswer ? ExitCode.WRONG_ANSWERS : ExitCode.INCOMPLETE);
  }

  /** Throws if this machine lacks something. */
  public static void require(Optional<String> lacking) throws RunFailedException {
    if (lacking.isPresent()) {
      throw new RunFailedException(lacking.get(), ExitCode.ENVIRONMENT);
    }
  }

  public int code() {
    return code;
  }

  /** Returns the effect on the run. */
  public String consequence() {
    return switch (code) {
      case ExitCode.WRONG_ANSWERS -> "The run is void; no figure of it is printed.";
      case ExitCode.ENVIRONMENT -> "Nothing was started.";
      default -> "The run is incomplete; no figure of it is printed.";
    };
  }
}
