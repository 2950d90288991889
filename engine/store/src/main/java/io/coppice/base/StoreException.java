// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.base;

import org.jspecify.annotations.Nullable;

/**
 * Common class of the store's unchecked exceptions; each subclass stands for one kind of failure.
 */
public abstract sealed class StoreException extends RuntimeException
    permits ClosedException,
        CorruptionException,
        DiskFullException,
        InvalidOptionsException,
        LockedException,
        ReadOnlyException,
        StalledException,
        UserCodeException,
        VersionException {

  StoreException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
