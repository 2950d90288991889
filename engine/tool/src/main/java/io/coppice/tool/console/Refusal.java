// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.console;

/**
 * An accepted request that cannot be fulfilled; the message is for users, and the status is that of
 * HTTP.
 */
final class Refusal extends Exception {

  private static final long serialVersionUID = 1;

  private final int status;

  Refusal(int status, String message) {
    super(message);
    this.status = status;
  }

  int status() {
    return status;
  }
}
