// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Searches in chains of causes. A chain may be circular, because {@link Throwable#initCause} checks
 * only its own argument, so each search ends after {@value #MOST} causes.
 */
public final class Causes {

  /** Maximum number of exceptions of a chain that a search examines. */
  static final int MOST = 16;

  private Causes() {}

  /** Returns the first match among a problem and its causes, or null. */
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

  /** Returns the innermost cause of a problem within the limit, or the problem itself. */
  public static Throwable innermost(Throwable problem) {
    Throwable cause = problem;
    for (int i = 1; i < MOST && cause.getCause() != null; i++) {
      cause = cause.getCause();
    }
    return cause;
  }

  /** Returns the message of a problem, or the simple name of its class if it has none. */
  public static String said(Throwable problem) {
    String message = problem.getMessage();
    return message == null ? problem.getClass().getSimpleName() : message;
  }
}
