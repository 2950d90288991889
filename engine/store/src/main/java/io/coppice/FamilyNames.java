// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.bytes.NameText;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** Rule for names of families: any UTF-8 of 1 to {@value #MAX_BYTES} bytes. */
final class FamilyNames {

  private static final int MAX_BYTES = 255;

  private FamilyNames() {}

  /** Returns a sentence that names the fault of a name, or null if the name is allowed. */
  static @Nullable String fault(String name) {
    int unpaired = unpairedSurrogate(name);
    if (unpaired >= 0) {
      return said(name)
          + " has an unpaired surrogate at index "
          + unpaired
          + ", which UTF-8 cannot hold; choose another name";
    }
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    return bytes >= 1 && bytes <= MAX_BYTES
        ? null
        : "%s of %s bytes must have 1 to %s bytes in UTF-8; choose another name"
            .formatted(said(name), bytes, MAX_BYTES);
  }

  private static String said(String name) {
    return "family name " + NameText.quoted(name);
  }

  private static int unpairedSurrogate(String name) {
    for (int i = 0; i < name.length(); i += Character.charCount(name.codePointAt(i))) {
      if (Character.getType(name.codePointAt(i)) == Character.SURROGATE) {
        return i;
      }
    }
    return -1;
  }

  /**
   * Checks the name of a family.
   *
   * @throws IllegalArgumentException naming the fault
   */
  static void check(String name) {
    String fault = fault(name);
    if (fault != null) {
      throw new IllegalArgumentException(fault);
    }
  }

  /** Returns the exception for a name that no family has; its message lists the existing names. */
  static IllegalArgumentException missing(String name, Collection<String> names) {
    return new IllegalArgumentException(
        "there is no family %s, but %s; create it with createFamily, or name it in the options"
            .formatted(NameText.quoted(name), NameText.list(names)));
  }
}
