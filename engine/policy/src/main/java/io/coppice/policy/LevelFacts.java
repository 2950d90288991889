// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

import java.util.List;

/**
 * One level: a list of runs. Level 0 holds the flushes.
 *
 * @param runs newest first, may be empty
 */
public record LevelFacts(List<RunFacts> runs) {

  /** Copies the list of runs. */
  public LevelFacts {
    runs = List.copyOf(runs);
  }

  /** Returns the bytes of its runs. */
  public long bytes() {
    long bytes = 0;
    for (RunFacts run : runs) {
      bytes += run.bytes();
    }
    return bytes;
  }
}
