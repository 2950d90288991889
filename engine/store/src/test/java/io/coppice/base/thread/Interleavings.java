// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base.thread;

import org.jetbrains.kotlinx.lincheck.LinChecker;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.StressOptions;

/**
 * Runs the operations of a test class in two threads in many orders of their steps: each outcome
 * must be that of some order one after the other. {@code -Dinterleavings=N} is how many scenarios,
 * {@code -Dinterleaving.threads=N} how many threads run freely.
 */
public final class Interleavings {

  private static final int SCENARIOS = Integer.getInteger("interleavings", 5);
  private static final int ORDERS = 300;

  /** Threads that run freely wait for each other by turning round; two cores bear few of them. */
  private static final int FREE_ORDERS = 60;

  /** A third one only takes a core from the other two of a small machine. */
  private static final int FREE_THREADS = Integer.getInteger("interleaving.threads", 2);

  private Interleavings() {}

  /** Throws with the interleaving that is wrong. */
  @SuppressWarnings("deprecation") // Its successor is for Kotlin.
  public static void check(Class<?> test) {
    ModelCheckingOptions options =
        new ModelCheckingOptions()
            .threads(2)
            .actorsPerThread(3)
            .actorsBefore(1)
            .actorsAfter(1)
            .iterations(SCENARIOS)
            .invocationsPerIteration(ORDERS);
    new LinChecker(test, options).check();
  }

  /**
   * As {@link #check}, in orders that threads which run freely come to: for what the model checker
   * cannot follow, such as direct memory.
   *
   * @param alone does the same operations one after the other
   */
  @SuppressWarnings("deprecation") // Its successor is for Kotlin.
  public static void stress(Class<?> test, Class<?> alone) {
    StressOptions options =
        new StressOptions()
            .threads(FREE_THREADS)
            .actorsPerThread(4)
            .actorsBefore(3)
            .actorsAfter(1)
            .iterations(2 * SCENARIOS)
            .invocationsPerIteration(FREE_ORDERS)
            .sequentialSpecification(alone);
    new LinChecker(test, options).check();
  }
}
