// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.List;

/** A policy's text or options are wrong. Nothing was changed; every fault is listed. */
public final class PolicySpecException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  private final transient List<String> errors;

  /**
   * Lists all faults, one a line.
   *
   * @param errors never empty; each names option, value and what is allowed
   */
  public PolicySpecException(List<String> errors) {
    super(String.join("\n", errors));
    this.errors = List.copyOf(errors);
  }

  /** Every fault found, in the order of the options given. */
  public List<String> errors() {
    return errors;
  }
}
