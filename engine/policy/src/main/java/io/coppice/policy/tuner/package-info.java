// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The tuner of {@code adaptive}. Samples of a load come in, the rung that costs least goes out with
 * the reason for it.
 *
 * <p>Estimates are closed formulas over the samples. The package starts no thread; its host asks
 * it. Records, enums and exceptions are safe to share between threads.
 */
@NullMarked
package io.coppice.policy.tuner;

import org.jspecify.annotations.NullMarked;
