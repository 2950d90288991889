// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Simulator of stores: a model of tables, workloads, and their cost under a policy.
 *
 * <p>In: scenarios, or the tables and load of a live store. Out: reports. The simulator reads no
 * files, and every plan comes from the real policy code.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.simulator;
