// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

/**
 * Signal that a plan no longer fits the current version, because a run that it names was removed: a merge consumed all its tables and had no output. The plan had no effect. The
 * policy is asked again at once.
 */
final class StalePlanException extends IllegalArgumentException {

  private static final long serialVersionUID = 1L;

  StalePlanException(IllegalArgumentException cause) {
    super("the shape has changed since the plan was made: " + cause.getMessage(), cause);
  }
}
