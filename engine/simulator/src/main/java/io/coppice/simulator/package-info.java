// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Simulator of stores: the cost of a workload under a policy.
 *
 * <p>In: scenarios. Out: reports. The simulator reads no files, and every plan comes from the real
 * policy code.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.simulator;
