// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.CorruptionException;
import java.util.List;
import org.jspecify.annotations.NullMarked;

/**
 * Findings of a check that read the manifest, tables and logs of a store. A value.
 *
 * @param damages damaged units, missing or different from the written ones: each block of a table;
 *     of a log or manifest only the first unit, because the rest cannot be trusted
 * @param doubts possible losses without evidence in the files, such as of the end of the newest
 *     log, one sentence each; empty for a store without a log
 * @param leftovers files without a reference, such as those of an interrupted merge: harmless, and
 *     removed by the next opening
 * @param tables number of tables read
 * @param entries number of entries in them and in the logs
 * @param logs number of logs read
 * @param tornBytes bytes of the torn tails of the newest log and of the manifest, which the next
 *     opening drops
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

  /** Makes the lists immutable. */
  public Verification {
    damages = List.copyOf(damages);
    doubts = List.copyOf(doubts);
    leftovers = List.copyOf(leftovers);
  }

  /** Returns whether the store is free of damage and doubt. */
  public boolean sound() {
    return damages.isEmpty() && doubts.isEmpty();
  }

  /** Returns whether there is damage, so that a repair has something to do. */
  public boolean damaged() {
    return !damages.isEmpty();
  }
}
