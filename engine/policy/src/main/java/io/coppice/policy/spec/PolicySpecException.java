// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy.spec;

import java.util.List;

/** Error in a policy's text or options. It lists every fault; the failed call changed nothing. */
public final class PolicySpecException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  private final transient List<String> errors;

  /**
   * Creates an exception that lists all faults, one per line.
   *
   * @param errors the faults, never empty; each names option, value and the allowed range
   */
  public PolicySpecException(List<String> errors) {
    super(String.join("\n", errors));
    this.errors = List.copyOf(errors);
  }

  /**
   * Returns every fault found, one text per fault: of the policy's name first, then of option
   * names, then of values in the order of the policy's options.
   */
  public List<String> errors() {
    return errors;
  }
}
