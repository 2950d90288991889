// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

/**
 * Range of levels of a large store, simulated as a store of its own. Its memtable has the size of
 * one transfer from the level above the range. Each of its tables represents many real ones.
 *
 * @param scenario scenario of the window; it has the large store's keys, and its load or the start
 *     of the load
 * @param grain scale of the window's tables
 * @param shift level of the large store that is the window's level 0
 * @param firstLevel first level of the window that matches one of the large store
 * @param lastLevel last such level; {@link Integer#MAX_VALUE} if the window runs the whole load
 */
record LevelWindow(Scenario scenario, Grain grain, int shift, int firstLevel, int lastLevel) {

  /** Returns whether the window includes the large store's deepest levels. */
  boolean complete() {
    return lastLevel == Integer.MAX_VALUE;
  }

  /** Returns this window with another last level. */
  LevelWindow upTo(int last) {
    return new LevelWindow(scenario, grain, shift, firstLevel, last);
  }

  /** Returns whether a level of the large store matches one of the window's. */
  boolean shows(int level) {
    return level - shift >= firstLevel && level - shift <= lastLevel;
  }
}
