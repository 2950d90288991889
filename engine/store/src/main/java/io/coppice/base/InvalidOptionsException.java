// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import java.util.List;

/**
 * Invalid options, or a library that the data or options need and the class path lacks. Nothing was
 * changed.
 */
public final class InvalidOptionsException extends StoreException {

  private final transient List<String> errors;

  /**
   * Lists all faults, one per line.
   *
   * @param errors never empty; each names option, value and allowed values
   */
  public InvalidOptionsException(List<String> errors) {
    super(String.join(System.lineSeparator(), errors), null);
    this.errors = List.copyOf(errors);
  }

  /** Returns every fault, in the order of the options; none in a deserialized exception. */
  public List<String> errors() {
    return errors == null ? List.of() : errors;
  }
}
