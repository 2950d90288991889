// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Steps of merges in a host whose tables stay whole: the cut of a step, the space that it may take,
 * and the sizes of its outputs. The Cassandra plugin and the simulator share them.
 *
 * <p>In: key ranges and sizes of SSTables, and the policy that {@code PlanSearch} asks. Out: plans,
 * cuts, rounds and sizes in bytes. Nothing here opens a file, reads a clock or takes a lock. Only
 * {@code PlanSearch} has state; one thread uses it for one snapshot. Records, enums and exceptions
 * are safe to share between threads.
 */
@NullMarked
package io.coppice.policy.step;

import org.jspecify.annotations.NullMarked;
