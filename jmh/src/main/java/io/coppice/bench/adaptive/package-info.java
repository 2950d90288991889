// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The suite {@code adaptive}: a load that changes from writes to reads, to scans and to skewed
 * keys. It runs under the adaptive policy, every static policy, a policy whose rung is set for each
 * phase, and one with random rungs. Every contender and round has its own process and store.
 */
package io.coppice.bench.adaptive;
