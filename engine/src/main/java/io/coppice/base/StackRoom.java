// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

/**
 * Tests whether a thread has stack left for the calls of an operation. An operation that must not
 * be cut off in its middle asks at its beginning: a recursion of the program that is too deep then
 * ends in a StackOverflowError before anything has happened.
 */
public final class StackRoom {

  /**
   * Compiled, a call takes 14 bytes of stack and about a nanosecond; interpreted, some 80 bytes.
   */
  private static final int CALLS = 256;

  private StackRoom() {}

  /**
   * Returns if there is room for some dozen nested calls.
   *
   * @throws StackOverflowError if there is not
   */
  public static void require() {
    descend(CALLS);
  }

  private static int descend(int calls) {
    return calls == 0 ? 0 : 1 + descend(calls - 1);
  }
}
