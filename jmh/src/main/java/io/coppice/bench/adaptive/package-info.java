// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The suite {@code adaptive}: a load that turns from writes to reads, to scans and to skewed keys.
 * It runs on the adaptive policy, on every static policy, on one with prior knowledge of the
 * phases, and on one with random rungs. Every store and round has its own process.
 */
package io.coppice.bench.adaptive;
