// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import java.util.Collection;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What names families may have. */
final class FamilyNames {

  private static final Pattern FORM = Pattern.compile("[a-z0-9_-]{1,64}");

  private FamilyNames() {}

  /** What is wrong with a name, or null. */
  static @Nullable String fault(String name) {
    return FORM.matcher(name).matches()
        ? null
        : "family name '"
            + name
            + "' must have 1 to 64 characters of a-z, 0-9, '_' and '-'; choose another one";
  }

  /**
   * Refuses a name that no family may have.
   *
   * @throws IllegalArgumentException saying what is wrong with it
   */
  static void check(String name) {
    String fault = fault(name);
    if (fault != null) {
      throw new IllegalArgumentException(fault);
    }
  }

  /** Says that there is no family of this name, and which there are. */
  static IllegalArgumentException missing(String name, Collection<String> names) {
    return new IllegalArgumentException(
        "there is no family '"
            + name
            + "', but "
            + String.join(", ", names)
            + "; create it with createFamily, or name it in the options");
  }
}
