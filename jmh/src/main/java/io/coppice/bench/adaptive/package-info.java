// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The suite {@code adaptive}: a load that turns from writing to reading and to both, on the policy
 * that follows it and on each that stays what it is, every store and round in a process of its own.
 */
package io.coppice.bench.adaptive;
