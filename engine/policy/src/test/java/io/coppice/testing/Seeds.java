// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.testing;

import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.LongStream;

/**
 * Seeds of random tests. They are the same in every build, so that the gate judges the code alone.
 * {@code -Dfresh} draws others, and {@code -Dseed=…} gives a single one, which repeats a failure.
 */
public final class Seeds {

  private static final String PROPERTY = "seed";

  private static final String FRESH = "fresh";

  /** First seed of a build without {@code -Dfresh}. */
  private static final long USUAL = 90_125;

  /** Drawn seeds are below this, which keeps them short. */
  private static final int MAX_DRAWN = 1_000_000_000;

  private Seeds() {}

  /**
   * Returns the seeds from 0 and as many from {@link #first}, or the one to repeat.
   *
   * @param count number of each
   */
  public static LongStream many(int count) {
    Long only = Long.getLong(PROPERTY);
    long first = first();
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

  /** Runs the body once per {@linkplain #many seed}; a failure names the seed. */
  public static void forEachOfMany(int count, Body body) {
    many(count).forEach(seed -> run(seed, body));
  }

  /**
   * Runs the body for seeds that failed once, and for some {@linkplain #many others}; a failure
   * names the seed.
   */
  public static void forEachFoundAndMore(long[] found, int count, Body body) {
    if (Long.getLong(PROPERTY) == null) {
      LongStream.of(found).forEach(seed -> run(seed, body));
    }
    forEachOfMany(count, body);
  }

  /** The seed of a test that runs once: a fixed one, or the one to repeat. */
  public static long seed(long usual) {
    return Long.getLong(PROPERTY, usual);
  }

  /**
   * Returns the first seed of this build: the one to repeat, a drawn one with {@code -Dfresh}, and
   * otherwise always the same. A failure must name it.
   */
  public static long first() {
    boolean fresh = System.getProperty(FRESH) != null;
    return Long.getLong(PROPERTY, fresh ? ThreadLocalRandom.current().nextInt(MAX_DRAWN) : USUAL);
  }

  /**
   * Returns as many seeds from {@link #first}, or the one to repeat.
   *
   * @param count number of seeds
   */
  public static LongStream fromFirst(int count) {
    long first = first();
    return LongStream.range(first, Long.getLong(PROPERTY) == null ? first + count : first + 1);
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
