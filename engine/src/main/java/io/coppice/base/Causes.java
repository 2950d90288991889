// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Chains of causes. A chain may be a circle, as {@link Throwable#initCause} checks its own argument
 * only, so each walk ends after {@value #MOST} causes.
 */
public final class Causes {

  /** Longest chain that is followed. */
  static final int MOST = 16;

  private Causes() {}

  /** Returns the first of a problem and its causes that is so, or null. */
  public static @Nullable Throwable first(
      @Nullable Throwable problem, Predicate<Throwable> wanted) {
    Throwable cause = problem;
    for (int i = 0; i < MOST && cause != null; i++) {
      if (wanted.test(cause)) {
        return cause;
      }
      cause = cause.getCause();
    }
    return null;
  }

  /** Returns the innermost cause of a problem that is followed, or the problem itself. */
  public static Throwable innermost(Throwable problem) {
    Throwable cause = problem;
    for (int i = 1; i < MOST && cause.getCause() != null; i++) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** Returns what a problem says: its message, or without one the simple name of its class. */
  public static String said(Throwable problem) {
    String message = problem.getMessage();
    return message == null ? problem.getClass().getSimpleName() : message;
  }
}
