// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import io.coppice.bench.suite.BenchExitCode;
import io.coppice.bench.suite.RunFailedException;

/**
 * Thrown when this machine lacks a resource that a comparison needs. The message names the resource
 * and the remedy.
 */
public final class EnvironmentException extends RunFailedException {

  /** Creates an exception whose message says what is missing. */
  public EnvironmentException(String message) {
    super(message, BenchExitCode.ENVIRONMENT, null);
  }
}
