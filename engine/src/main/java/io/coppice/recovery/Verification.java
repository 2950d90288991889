// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.CorruptionException;
import java.util.List;
import org.jspecify.annotations.NullMarked;

/**
 * What was found when all files of a store were read. A value.
 *
 * @param damages what is not as it was written, or is missing; empty if the store is sound. One for
 *     each damaged block of a table; of a log or manifest the first, as nothing behind it can be
 *     trusted
 * @param leftovers files that nothing names, such as those of a merge that was cut off: harmless,
 *     and removed by the next opening
 * @param tables tables read
 * @param entries entries in them and in the logs
 * @param logs logs read
 * @param tornBytes bytes at the torn ends of the newest log and of the manifest, never acknowledged
 *     as synced, which the next opening leaves out
 */
@NullMarked
public record Verification(
    List<CorruptionException> damages,
    List<String> leftovers,
    int tables,
    long entries,
    int logs,
    long tornBytes) {

  /** Copies the lists. */
  public Verification {
    damages = List.copyOf(damages);
    leftovers = List.copyOf(leftovers);
  }

  /** True if there is no damage. */
  public boolean sound() {
    return damages.isEmpty();
  }
}
