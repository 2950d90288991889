// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.testing;

import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;

/**
 * The seeds of random tests: fixed or fresh ones, or the single one given by {@code -Dseed=…},
 * which repeats a failure.
 */
public final class Seeds {

  private static final String PROPERTY = "seed";

  /** Fresh seeds are below this, which keeps them short. */
  private static final int FRESH = 1_000_000_000;

  private Seeds() {}

  /**
   * Some fixed seeds and as many fresh ones, or the one to repeat.
   *
   * @param count how many of each
   */
  public static LongStream fixedAndFresh(int count) {
    Long only = Long.getLong(PROPERTY);
    long first = fresh();
    return only != null
        ? LongStream.of(only)
        : LongStream.concat(LongStream.range(0, count), LongStream.range(first, first + count));
  }

  /** So many seeds, or the one to repeat. */
  public static LongStream of(int count) {
    Long only = Long.getLong(PROPERTY);
    return only != null ? LongStream.of(only) : LongStream.range(0, count);
  }

  private static void run(long seed, Body body) {
    try {
      body.run(new Random(seed));
    } catch (Throwable e) {
      throw new AssertionError("repeat with -D" + PROPERTY + "=" + seed, e);
    }
  }

  /** Runs the body once per seed; a failure names the seed. */
  public static void forEach(int count, Body body) {
    of(count).forEach(seed -> run(seed, body));
  }

  /** Runs the body once per {@linkplain #fixedAndFresh seed}; a failure names the seed. */
  public static void forEachFixedAndFresh(int count, Body body) {
    fixedAndFresh(count).forEach(seed -> run(seed, body));
  }

  /**
   * Runs the body for seeds that failed once, and for some {@linkplain #fixedAndFresh others}; a
   * failure names the seed.
   */
  public static void forEachFoundAndFresh(long[] found, int count, Body body) {
    if (Long.getLong(PROPERTY) == null) {
      LongStream.of(found).forEach(seed -> run(seed, body));
    }
    forEachFixedAndFresh(count, body);
  }

  /** The seed of a test that runs once: a fixed one, or the one to repeat. */
  public static long seed(long usual) {
    return Long.getLong(PROPERTY, usual);
  }

  /** A seed that no build had before, or the one to repeat: a failure must name it. */
  public static long fresh() {
    return Long.getLong(PROPERTY, ThreadLocalRandom.current().nextInt(FRESH));
  }

  /** How to repeat a failure of such a test. */
  public static String replay(Class<?> test, long seed) {
    return "repeat with: mvn -q "
        + module()
        + " test -Dtest="
        + test.getSimpleName()
        + " -D"
        + PROPERTY
        + "="
        + seed;
  }

  /** Returns the options of Maven that name the modules of this test. */
  private static String module() {
    Path here = Path.of("").toAbsolutePath();
    return here.endsWith(Path.of("engine", here.getFileName().toString()))
        ? "-f engine"
        : "-pl " + here.getFileName() + " -am";
  }

  /** A generator for a part of a test, so that parts do not disturb each other. */
  public static Random random(long seed, int part) {
    return new Random(seed * 0x9E3779B97F4A7C15L + part);
  }

  /** A test that draws all its choices from one source. */
  public interface Body {
    /** Runs it. */
    void run(Random random) throws Exception;
  }
}
