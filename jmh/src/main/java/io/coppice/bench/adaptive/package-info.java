// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The suite {@code adaptive}: a load that turns from writing to reading, to walks and to skewed
 * keys, on the policy that follows it, on each that stays what it is, on one that knows the phases
 * and on one that is turned by chance; every store and round in a process of its own.
 */
package io.coppice.bench.adaptive;
