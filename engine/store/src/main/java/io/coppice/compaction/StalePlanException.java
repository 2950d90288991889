// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

/**
 * Signal that a plan no longer fits the current version. The plan names a run that has disappeared:
 * all of the run's contents went into a merge that left no output. Nothing has happened; the policy
 * is asked again. This is no failure.
 */
final class StalePlanException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  StalePlanException(IllegalArgumentException cause) {
    super("the shape has changed since the plan was made: " + cause.getMessage(), cause);
  }
}
