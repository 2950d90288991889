// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

/**
 * Failure of a store that returned other data than was written; it invalidates every figure of the
 * run.
 */
public final class WrongAnswerException extends RuntimeException {
  public WrongAnswerException(String message) {
    super(message);
  }
}
