// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.cli;

import java.util.List;

/** Error of a command line that cannot be carried out, with every fault. */
public final class UsageException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient List<String> errors;

  /**
   * Creates an exception for these faults.
   *
   * @param errors the faults, at least one
   */
  public UsageException(List<String> errors) {
    super(String.join("\n", errors));
    this.errors = List.copyOf(errors);
  }

  /** Returns every fault, the first one found first. */
  List<String> errors() {
    return errors;
  }
}
