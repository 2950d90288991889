// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * A store of numbers instead of data, workloads, and what they cost under a policy.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.simulator;
