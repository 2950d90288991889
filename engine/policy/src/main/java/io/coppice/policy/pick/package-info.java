// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Building blocks of policies: the planning view of a shape, candidate plans, and pickers that find
 * them. Shapes and options come in, streams of candidate plans go out.
 *
 * <p>Every class is a pure function of its input. Policies and hosts lie above this package.
 * Records, enums and exceptions are safe to share between threads.
 */
@NullMarked
package io.coppice.policy.pick;

import org.jspecify.annotations.NullMarked;
