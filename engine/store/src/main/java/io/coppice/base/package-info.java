// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Foundation of all other packages: the public exceptions, callbacks of programs, limits, and the
 * memory budget.
 *
 * <p>Needs only the JDK at run time. Records, enums and exceptions are safe to share between
 * threads; each other class states its own rule. Parameters and results are non-null unless marked
 * {@link org.jspecify.annotations.Nullable}.
 */
@NullMarked
package io.coppice.base;

import org.jspecify.annotations.NullMarked;
