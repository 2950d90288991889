// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

/** This machine lacks something that a comparison needs. The message says what, and what to do. */
public final class EnvironmentException extends Exception {

  /** Says what is missing. */
  public EnvironmentException(String message) {
    super(message);
  }
}
