// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

/**
 * Signal that a plan no longer fits the current version, because a run that it names has
 * disappeared. All contents of the run went into a merge without output. The policy is asked again
 * at once.
 */
final class StalePlanException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  StalePlanException(IllegalArgumentException cause) {
    super("the shape has changed since the plan was made: " + cause.getMessage(), cause);
  }
}
