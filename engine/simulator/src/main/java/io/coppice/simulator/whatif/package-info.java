// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Simulation of a live store: the effect of another policy on its tables and load.
 *
 * <p>In: slices and load of the live store, and a policy. Out: a report. The live store is not
 * changed. Records, enums and exceptions are safe to share between threads.
 */
package io.coppice.simulator.whatif;
