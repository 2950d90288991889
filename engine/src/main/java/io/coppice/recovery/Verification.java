// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.CorruptionException;
import java.util.List;
import org.jspecify.annotations.NullMarked;

/**
 * Findings of a check that read all files of a store. A value.
 *
 * @param damages each unit that is not as it was written, or is missing. One for each damaged block
 *     of a table; of a log or manifest the first, because nothing behind it can be trusted
 * @param doubts losses that the files neither prove nor exclude, such as of the end of the newest
 *     log, a sentence each; empty if the store has no log
 * @param leftovers files that nothing names, such as those of a merge that was cut off: harmless,
 *     and removed by the next opening
 * @param tables tables read
 * @param entries entries in them and in the logs
 * @param logs logs read
 * @param tornBytes bytes at the torn ends of the newest log and of the manifest, which the next
 *     opening leaves out
 */
@NullMarked
public record Verification(
    List<CorruptionException> damages,
    List<String> doubts,
    List<String> leftovers,
    int tables,
    long entries,
    int logs,
    long tornBytes) {

  /** Copies the lists. */
  public Verification {
    damages = List.copyOf(damages);
    doubts = List.copyOf(doubts);
    leftovers = List.copyOf(leftovers);
  }

  /** Returns true if there is no damage and no doubt. */
  public boolean sound() {
    return damages.isEmpty() && doubts.isEmpty();
  }

  /** Returns true if there is damage, so that a repair has something to do. */
  public boolean damaged() {
    return !damages.isEmpty();
  }
}
