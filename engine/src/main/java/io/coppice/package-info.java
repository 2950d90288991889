// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * An embedded, ordered key-value store. {@link io.coppice.Store} is the door; everything a program
 * needs is in this package, in {@link io.coppice.base} (durability, memory budget, exceptions) and,
 * for policies of its own, in {@link io.coppice.policy}.
 *
 * <p>Records, enums and exceptions are safe to share between threads; every other class says
 * whether it is. Nothing is null that is not {@link org.jspecify.annotations.Nullable}.
 */
@NullMarked
package io.coppice;

import org.jspecify.annotations.NullMarked;
