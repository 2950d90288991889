// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

/**
 * Range of levels of a large store, simulated as a store of its own. Its memtable has the size of
 * one transfer from the level above the range. Each of its tables represents many real ones.
 *
 * @param scenario scenario of the window; it has the large store's keys, and its load or the start
 *     of it
 * @param grain scale of its tables
 * @param shift level of the large store that is the window's level 0
 * @param firstLevel first of its levels that matches the large store's
 * @param lastLevel last such level; {@link Integer#MAX_VALUE} if it runs the whole load
 */
record LevelWindow(Scenario scenario, Grain grain, int shift, int firstLevel, int lastLevel) {

  /** Returns whether the window has the large store's deepest levels. */
  boolean complete() {
    return lastLevel == Integer.MAX_VALUE;
  }

  /** Returns this window with another last level. */
  LevelWindow upTo(int last) {
    return new LevelWindow(scenario, grain, shift, firstLevel, last);
  }

  /** Returns whether one of its levels matches a level of the large store. */
  boolean shows(int level) {
    return level - shift >= firstLevel && level - shift <= lastLevel;
  }
}
