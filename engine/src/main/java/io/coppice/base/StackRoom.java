// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

/**
 * Tests whether a thread has stack left for an operation that must not be cut off in its middle.
 * The operation calls it first. A recursion of the program that is too deep then ends in a
 * StackOverflowError before the operation has begun.
 */
public final class StackRoom {

  /** Large frames of {@link #require}. */
  private static final int FRAMES = 2;

  /** Calls of {@link #requireMuch}; each takes 14 bytes of stack compiled, and 80 interpreted. */
  private static final int CALLS = 512;

  /** Always false, which the compilers do not know. */
  private static volatile boolean never;

  private StackRoom() {}

  /**
   * Returns if the thread has at least 8 KiB of stack left, enough for about fifty nested calls.
   * Takes a few nanoseconds.
   *
   * @throws StackOverflowError if it has less
   */
  public static void require() {
    LargeFrame.enter(FRAMES, never);
  }

  /**
   * Returns if the thread has at least 4 KiB of stack left, enough to give back what a read holds.
   * Takes half the time of {@link #require}.
   *
   * @throws StackOverflowError if it has less
   */
  public static void requireLittle() {
    LargeFrame.enter(1, never);
  }

  /**
   * Returns if the thread has stack left for about a hundred nested calls. Takes about a
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
