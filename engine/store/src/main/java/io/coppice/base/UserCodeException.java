// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import org.jspecify.annotations.Nullable;

/**
 * Failure of a merge operator or compaction filter of the application, or the lack of a needed one.
 * No data is lost: a merge of tables is retried, and the data is readable once the code works.
 */
public final class UserCodeException extends StoreException {

  /**
   * Names the code and its failure.
   *
   * @param cause exception of the code, which the message quotes; null if {@code what} says
   *     everything
   */
  public UserCodeException(String what, @Nullable Throwable cause) {
    super(cause == null ? what : what + ": " + cause, cause);
  }
}
