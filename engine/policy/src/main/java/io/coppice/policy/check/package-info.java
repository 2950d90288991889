// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The safety gate that every host asks before it starts a plan. A shape and a plan come in; the
 * check names each rule that the plan breaks.
 *
 * <p>The package imports the contract and {@code pick} alone, and never a policy. Records, enums
 * and exceptions are safe to share between threads.
 */
@NullMarked
package io.coppice.policy.check;

import org.jspecify.annotations.NullMarked;
