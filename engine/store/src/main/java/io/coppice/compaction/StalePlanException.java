// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

/**
 * A plan names a run that has left since the plan was made: whatever was in the run went into a
 * merge of which nothing remained. Nothing has happened; the policy is asked again. Not a failure.
 */
final class StalePlanException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  StalePlanException(IllegalArgumentException cause) {
    super("the shape has changed since the plan was made: " + cause.getMessage(), cause);
  }
}
