// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import java.util.Random;

/**
 * Seeds of random tests: fixed unless {@code -Dseed=N} names another, so that a failure repeats.
 */
public final class Seeds {

  private Seeds() {}

  /** The seed to use, and the line to print when it fails. */
  public static long seed(long usual) {
    return Long.getLong("seed", usual);
  }

  /** How to repeat a failure. */
  public static String replay(Class<?> test, long seed) {
    return "repeat with: mvn -q -pl engine test -Dtest=" + test.getSimpleName() + " -Dseed=" + seed;
  }

  /** A generator for a part of a test, so that parts do not disturb each other. */
  public static Random random(long seed, int part) {
    return new Random(seed * 0x9E3779B97F4A7C15L + part);
  }
}
