// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

/**
 * Signal that a plan does not fit the current version any longer: a merge consumed all tables of a
 * run that the plan names, and had no output. The plan had no effect. The policy is asked again at
 * once.
 */
final class StalePlanException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  StalePlanException(IllegalArgumentException cause) {
    super("the shape has changed since the plan was made: " + cause.getMessage(), cause);
  }
}
