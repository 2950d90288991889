// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

/** The node did not start, died, or refused something. The message names its log. */
public final class NodeException extends Exception {

  /** Creates an exception whose message says what happened and where to look. */
  public NodeException(String message, Throwable cause) {
    super(message, cause);
  }
}
