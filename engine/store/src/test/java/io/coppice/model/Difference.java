// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.model;

/**
 * The first operation of a load at which a subject was not like the model.
 *
 * @param index its place in the load
 * @param what in words
 * @param cause what the subject threw; null if it answered
 */
public record Difference(int index, String what, Throwable cause) {

  static Difference thrown(int index, Op op, Throwable cause) {
    return new Difference(index, "operation " + index + " (" + op + ") throws " + cause, cause);
  }

  static Difference answered(int index, Op op, String found, String expected) {
    return new Difference(
        index,
        "operation " + index + " (" + op + ") shows [" + found + "], the model [" + expected + "]",
        null);
  }
}
