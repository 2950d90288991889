// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

/** A promise that a store broke, as its user would meet it. */
public final class CrashViolation extends RuntimeException {

  private static final long serialVersionUID = 1;

  /** What the user sees. */
  public enum Kind {
    /** The store does not open. */
    UNOPENABLE,
    /** An acknowledged write is missing. */
    LOST,
    /** What was deleted or overwritten is there again. */
    RESURRECTED,
    /** Some writes are there, but not earlier ones. */
    NO_PREFIX,
    /** Two openings, or a scan before and after a merge, show different contents. */
    UNSTABLE,
    /** A store that was opened again does not know how it was set up. */
    FORGOTTEN,
    /** An open snapshot or cursor does not show its own view. */
    VIEW,
    /** A live store shows something else than was written, or fails a call. */
    WRONG_ANSWER,
    /** Checksums, order or references on the disk are not sound. */
    UNSOUND,
    /** A file that nobody needs outlives an opening. */
    LEFTOVER,
    /** Memory or open files are not given back. */
    LEAK
  }

  private final Kind kind;

  CrashViolation(Kind kind, String message) {
    super(kind + ": " + message);
    this.kind = kind;
  }

  public CrashViolation(Kind kind, String message, Throwable cause) {
    super(kind + ": " + message, cause);
    this.kind = kind;
  }

  Kind kind() {
    return kind;
  }
}
