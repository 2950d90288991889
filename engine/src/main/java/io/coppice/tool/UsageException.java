// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import java.util.List;

/** What was asked cannot be done; every fault is listed. */
final class UsageException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient List<String> errors;

  /** Lists the faults, never empty. */
  UsageException(List<String> errors) {
    super(String.join("\n", errors));
    this.errors = List.copyOf(errors);
  }

  /** Every fault, in the order of the options. */
  List<String> errors() {
    return errors;
  }
}
