// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Keys of the simulator: workloads, distributions, and the contents that tables have at each
 * fidelity.
 *
 * <p>In: a workload and its seed. Out: keys, or shares of keys by popularity, and their merges.
 * Nothing here knows levels or policies. Records, enums and exceptions are safe to share between
 * threads.
 */
package io.coppice.simulator.keys;
