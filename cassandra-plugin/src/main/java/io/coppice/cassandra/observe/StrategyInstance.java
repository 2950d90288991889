// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.observe;

import java.util.Set;

/** One strategy instance of a table, as beans and the registry see it. Thread-safe. */
public interface StrategyInstance {

  /** Returns the backlog and the runs per level of this instance. */
  PlanningSummary summary();

  /**
   * Returns the state of this instance for people.
   *
   * @param parts the names of parts that other instances of the table have taken; the call adds its
   *     own
   */
  StrategyStatus status(Set<String> parts);

  /** Adds the SSTables of this instance to a table map. */
  void draw(TableMapBuilder picture);

  /** Makes the instance ask its policy again. */
  void reconsider();
}
