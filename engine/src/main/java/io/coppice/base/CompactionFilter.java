// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Looks at values while tables are merged, and may remove or replace them: for data that goes out
 * of use by a rule of the application. It sees the value of a key that is the newest in the merge
 * and that no snapshot open at the merge's beginning sees; operands that are not combined yet, and
 * what flushes write, it does not see. When a value meets it is open: perhaps soon, perhaps never.
 *
 * <p>A removed key is absent like a deleted one; no older value comes back. Readers that began
 * before the merge ends go on seeing the value as it was; a snapshot opened during the merge may
 * see it change.
 *
 * <p>Called by the threads that merge, by several at once. It must not use the store. If it throws,
 * the merge fails with a {@link UserCodeException} that names it, loses nothing and is tried again
 * later.
 */
public interface CompactionFilter {

  /** Names the filter in messages. */
  String name();

  /**
   * What to do with a value.
   *
   * @param key the key; both arrays are copies, which may be kept or changed
   * @param value its value
   */
  Verdict filter(byte[] key, byte[] value);

  /** What to do with a value. Immutable, but for the bytes of the replacement. */
  final class Verdict {

    /** The value stays. */
    public static final Verdict KEEP = new Verdict(null);

    /** The key becomes absent. */
    public static final Verdict REMOVE = new Verdict(null);

    private final byte @Nullable [] replacement;

    private Verdict(byte @Nullable [] replacement) {
      this.replacement = replacement;
    }

    /** The key gets another value, of at most {@link Limits#MAX_VALUE_BYTES}; not copied. */
    public static Verdict replaceWith(byte[] value) {
      return new Verdict(Objects.requireNonNull(value, "value"));
    }

    /** The other value itself, not a copy; null if there is none. */
    public byte @Nullable [] replacement() {
      return replacement;
    }
  }
}
