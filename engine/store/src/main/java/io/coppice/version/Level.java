// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.version;

import java.util.List;

/**
 * One level: a list of runs. Level 0 holds the flushes.
 *
 * @param runs newest first, may be empty
 */
public record Level(List<Run> runs) {

  /** Level without any run. */
  public static final Level EMPTY = new Level(List.of());

  /** Copies the list of runs. */
  public Level {
    runs = List.copyOf(runs);
  }
}
