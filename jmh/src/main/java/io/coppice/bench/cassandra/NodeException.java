// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import io.coppice.bench.suite.BenchExitCode;
import io.coppice.bench.suite.RunFailedException;

/** A node that did not start, died or refused a request. The message names its log. */
public final class NodeException extends RunFailedException {

  /**
   * Creates an exception whose message states the failure and where to look.
   *
   * @param cause null without one
   */
  public NodeException(String message, Throwable cause) {
    super(message, BenchExitCode.INCOMPLETE, cause);
  }
}
