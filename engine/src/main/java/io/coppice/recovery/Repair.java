// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.KeyText;
import java.util.List;

/**
 * What a repair did. A value; arrays are shared and must not be written to.
 *
 * @param done what was changed, in order, a line each; empty if nothing had to be
 * @param losses what is gone
 * @param aside files that were moved to the directory {@code lost}
 * @param deletedMayReturn true if it cannot be excluded that keys which were deleted, or older
 *     values of keys, show again; the losses and {@code done} say where
 * @param after what verification finds now
 */
public record Repair(
    List<String> done,
    List<Loss> losses,
    List<String> aside,
    boolean deletedMayReturn,
    Verification after) {

  /** Copies the lists. */
  public Repair {
    done = List.copyOf(done);
    losses = List.copyOf(losses);
    aside = List.copyOf(aside);
  }

  /**
   * Entries that are gone.
   *
   * @param file where they were
   * @param above no smaller key is concerned, nor this one unless {@code inclusive}; null if
   *     unknown
   * @param inclusive whether the key {@code above} is concerned itself
   * @param upTo the largest key that is concerned; null if unknown
   * @param text what they were
   */
  public record Loss(String file, byte[] above, boolean inclusive, byte[] upTo, String text) {

    /** Returns a loss whose keys are not known. */
    static Loss ofAnyKeys(String file, String text) {
      return new Loss(file, null, false, null, text);
    }

    @Override
    public String toString() {
      String keys =
          above == null && upTo == null
              ? "any keys"
              : "keys "
                  + (above == null ? "up" : inclusive ? "from " : "above ")
                  + (above == null ? "" : KeyText.of(above))
                  + " to "
                  + KeyText.of(upTo);
      return file + ": " + keys + ": " + text;
    }
  }
}
