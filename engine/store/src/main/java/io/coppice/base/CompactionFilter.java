// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Callback of the application that may remove or replace values while tables are merged, for data
 * that expires by a rule of the application. It receives the newest value of a key in the merge if
 * no snapshot open at the merge's beginning sees it. Uncombined operands, values under them, and
 * the output of flushes do not pass it. A value may reach the filter at any time, or never.
 *
 * <p>A removed key is absent like a deleted one; no older value reappears. Readers that began
 * before the merge ends still see the old value; a snapshot opened during the merge may see it
 * change.
 *
 * <p>Called by merge threads, possibly concurrently. It must not use the store. If it throws, the
 * merge fails with a {@link UserCodeException} that names the filter, keeps all data, and is
 * retried later.
 */
public interface CompactionFilter {

  /** Returns the filter's name for messages. */
  String name();

  /**
   * Returns the decision about a value. A null decision counts as a failure.
   *
   * @param key the key; both arrays are copies, which may be kept or changed
   * @param value its value
   */
  Verdict filter(byte[] key, byte[] value);

  /** Decision about a value. Immutable, except the bytes of the replacement. */
  final class Verdict {

    /** Decision that keeps the value. */
    public static final Verdict KEEP = new Verdict(null);

    /** Decision that makes the key absent. */
    public static final Verdict REMOVE = new Verdict(null);

    private final byte @Nullable [] replacement;

    private Verdict(byte @Nullable [] replacement) {
      this.replacement = replacement;
    }

    /**
     * Returns a decision that replaces the value by another. The array is not copied. A value
     * longer than {@link Limits#MAX_VALUE_BYTES} less eight bytes fails the merge, as an exception
     * of the filter does.
     */
    public static Verdict replaceWith(byte[] value) {
      return new Verdict(Objects.requireNonNull(value, "value"));
    }

    /**
     * Returns the replacement itself, which is not copied; null for {@link #KEEP} and {@link
     * #REMOVE}.
     */
    public byte @Nullable [] replacement() {
      return replacement;
    }
  }
}
