// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.engine;

/** A store answered what was never written; every figure of the run is void. */
final class WrongAnswerException extends RuntimeException {
  WrongAnswerException(String message) {
    super(message);
  }
}
