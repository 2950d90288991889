// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Embedded, ordered key-value store: the public API. A program opens a {@link io.coppice.Store} and
 * uses the types of this package, of {@link io.coppice.base} (durability, memory budget,
 * exceptions) and, for its own policies, of {@link io.coppice.policy}.
 *
 * <p>Records, enums and exceptions are safe to share between threads; each other class states its
 * own rule. Parameters and results are non-null unless marked {@link
 * org.jspecify.annotations.Nullable}.
 */
@NullMarked
package io.coppice;

import org.jspecify.annotations.NullMarked;
