// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.manifest.Slice;
import io.coppice.policy.Plan;
import java.util.List;
import java.util.Set;

/**
 * A merge, or the part of one in a range of keys, with all that was fixed when it was claimed.
 *
 * @param planner of its family
 * @param slices its inputs, as they were then
 * @param siblings the ids of the inputs of all parts, these included
 * @param run the run its outputs join, which exists
 * @param claim of all parts together
 * @param inputBytes bytes of its inputs
 * @param runs runs that these lie in
 * @param outputsAStep outputs after which a step ends
 * @param transientBytes by how much it may fill the disk
 * @param ofFlushes true if some inputs lie in level 0
 */
record Job(
    Planner planner,
    Plan.Merge plan,
    List<Slice> slices,
    Set<Long> siblings,
    long run,
    Claims.Job claim,
    long inputBytes,
    int runs,
    int outputsAStep,
    long transientBytes,
    boolean ofFlushes) {}
