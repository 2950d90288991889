// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * What every other package stands on: bytes, checksums, key order, the public exceptions.
 *
 * <p>Records, enums and exceptions are safe to share between threads; every other class says
 * whether it is. Nothing is null that is not {@link org.jspecify.annotations.Nullable}.
 */
@NullMarked
package io.coppice.base;

import org.jspecify.annotations.NullMarked;
