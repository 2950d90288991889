// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

/**
 * A stretch of a large store's levels, simulated as a store of its own: its memtable is as large as
 * what the level above the stretch hands down, its tables stand for many real ones.
 *
 * @param scenario the store of its own; it sees the large one's keys, and its load or the first of
 *     it
 * @param grain what its tables stand for
 * @param shift its level 0 is this level of the large store
 * @param firstLevel the first of its own levels that is like the large store's
 * @param lastLevel the last one; {@link Integer#MAX_VALUE} if it runs the whole load
 */
record Window(Scenario scenario, Grain grain, int shift, int firstLevel, int lastLevel) {

  /** True if it has the large store's deepest levels. */
  boolean complete() {
    return lastLevel == Integer.MAX_VALUE;
  }

  /** The same window with another last level. */
  Window upTo(int last) {
    return new Window(scenario, grain, shift, firstLevel, last);
  }

  /** True if a level of the large store is like one of its own. */
  boolean shows(int level) {
    return level - shift >= firstLevel && level - shift <= lastLevel;
  }
}
