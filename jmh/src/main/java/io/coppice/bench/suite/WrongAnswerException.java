// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

/** A store answered what was never written; every figure of the run is void. */
public final class WrongAnswerException extends RuntimeException {
  public WrongAnswerException(String message) {
    super(message);
  }
}
