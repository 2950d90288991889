// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.bytes.KeyText;
import java.util.List;

/**
 * Result of a repair. A value; arrays are shared and must not be modified.
 *
 * @param done changes in order, one line each; empty if the store was undamaged
 * @param losses lost entries
 * @param aside names of files that were moved to the directory {@code lost}
 * @param deletedMayReturn whether deleted keys or older values may show again; the losses and
 *     {@code done} name the places
 * @param after findings of a verification after the repair
 */
public record RepairReport(
    List<String> done,
    List<Loss> losses,
    List<String> aside,
    boolean deletedMayReturn,
    Verification after) {

  /** Makes the lists immutable. */
  public RepairReport {
    done = List.copyOf(done);
    losses = List.copyOf(losses);
    aside = List.copyOf(aside);
  }

  /**
   * Loss of entries in one file.
   *
   * @param file file that held them
   * @param above lower bound of the affected keys, exclusive unless {@code inclusive}; null if
   *     unknown
   * @param inclusive whether the key {@code above} is affected itself
   * @param upTo the largest affected key; null if unknown
   * @param text description of the entries
   */
  public record Loss(String file, byte[] above, boolean inclusive, byte[] upTo, String text) {

    /** Returns a loss whose keys are unknown. */
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
