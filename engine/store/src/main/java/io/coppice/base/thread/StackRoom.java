// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.thread;

/**
 * Check for remaining stack before an operation that must not be interrupted halfway. The operation
 * calls it first. Too deep a recursion of the program then ends in a StackOverflowError before the
 * operation begins.
 */
public final class StackRoom {

  /** Number of nested large frames that {@link #require} enters. */
  private static final int FRAMES = 2;

  /**
   * Number of nested calls that {@link #requireMuch} makes; each takes 14 bytes of stack compiled,
   * and 80 interpreted.
   */
  private static final int CALLS = 512;

  /** Always false. It is volatile, so that the compilers do not know this. */
  private static volatile boolean never;

  private StackRoom() {}

  /**
   * Checks that the thread has at least 8 KiB of stack left, enough for about fifty nested calls.
   * Takes a few nanoseconds.
   *
   * @throws StackOverflowError if it has less
   */
  public static void require() {
    LargeFrame.enter(FRAMES, never);
  }

  /**
   * Checks that the thread has at least 4 KiB of stack left, enough to release the resources of a
   * read. Takes half the time of {@link #require}.
   *
   * @throws StackOverflowError if it has less
   */
  public static void requireLittle() {
    LargeFrame.enter(1, never);
  }

  /**
   * Checks that the thread has stack left for about a hundred nested calls. Takes about a
   * microsecond.
   *
   * @throws StackOverflowError if it has less
   */
  public static void requireMuch() {
    descend(CALLS);
  }

  private static int descend(int calls) {
    if (calls == 0) {
      require();
      return 0;
    }
    return 1 + descend(calls - 1);
  }
}
