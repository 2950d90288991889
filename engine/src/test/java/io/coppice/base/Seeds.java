// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import java.util.Random;
import java.util.stream.LongStream;

/**
 * The seeds of random tests: fixed ones, or the single one given by {@code -Dseed=…}, which repeats
 * a failure.
 */
public final class Seeds {

  private static final String PROPERTY = "seed";

  private Seeds() {}

  /** So many seeds, or the one to repeat. */
  public static LongStream of(int count) {
    Long only = Long.getLong(PROPERTY);
    return only != null ? LongStream.of(only) : LongStream.range(0, count);
  }

  /** Runs the body once per seed; a failure names the seed. */
  public static void forEach(int count, Body body) {
    of(count)
        .forEach(
            seed -> {
              try {
                body.run(new Random(seed));
              } catch (Throwable e) {
                throw new AssertionError("repeat with -D" + PROPERTY + "=" + seed, e);
              }
            });
  }

  /** A test that draws all its choices from one source. */
  public interface Body {
    /** Runs it. */
    void run(Random random) throws Exception;
  }
}
