// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import org.jspecify.annotations.Nullable;

/**
 * A merge operator or compaction filter of the application failed, or is needed and missing.
 * Nothing is lost: a merge of tables is tried again, and the data is readable once the code works.
 */
public final class UserCodeException extends StoreException {

  /** Says which code failed, and how. */
  public UserCodeException(String what, @Nullable Throwable cause) {
    super(cause == null ? what : what + ": " + cause, cause);
  }
}
