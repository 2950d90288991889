// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import java.io.UncheckedIOException;
import java.util.Collection;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Conversion of the faults of several tables into one exception that names all of them. */
public final class UnreadableTables {

  private UnreadableTables() {}

  /**
   * Returns one exception for all faults, the fault itself if there is one, or null if there is
   * none. It has the type and the cause of the first fault, and its message consists of all
   * messages in the order of the faults. The other faults are suppressed exceptions of it.
   *
   * @param faults each a {@link CorruptionException} or an {@link UncheckedIOException}
   */
  public static @Nullable RuntimeException joined(Collection<RuntimeException> faults) {
    if (faults.size() < 2) {
      return faults.isEmpty() ? null : faults.iterator().next();
    }
    RuntimeException first = faults.iterator().next();
    String message = faults.stream().map(Throwable::getMessage).collect(Collectors.joining("; "));
    RuntimeException all =
        first instanceof CorruptionException damage
            ? damage.withMessage(message)
            : new UncheckedIOException(message, ((UncheckedIOException) first).getCause());
    faults.stream().skip(1).forEach(all::addSuppressed);
    return all;
  }
}
