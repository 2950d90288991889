// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.observe;

import java.util.Set;

/** One strategy instance of a table, as beans and the registry see it. Thread-safe. */
public interface StrategyInstance {

  /** Returns the present backlog and runs per level of this instance. */
  PlanningSummary summary();

  /**
   * Returns the status of this instance for operators. Shares of droppable data may be a minute
   * old.
   *
   * @param parts names that other instances of the table have taken; the method adds the name of
   *     this one
   */
  StrategyStatus status(Set<String> parts);

  /** Adds the SSTables of this instance to a table map. */
  void draw(TableMapBuilder picture);

  /**
   * Makes the instance ask its policy again at Cassandra's next request, because options have
   * changed.
   */
  void reconsider();
}
