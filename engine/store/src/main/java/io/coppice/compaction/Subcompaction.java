// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.compaction.shape.Claims;
import io.coppice.policy.Plan;
import io.coppice.version.Slice;
import java.util.List;
import java.util.Set;

/**
 * A claimed merge, or its part in one key range, with all values fixed at the claim.
 *
 * @param planner planner of its family
 * @param plan the checked plan
 * @param slices its inputs at the time of the claim, newest run first and by ascending key
 * @param siblings the ids of the inputs of all parts, including this one
 * @param run the run that its outputs join, which exists
 * @param claim claim of all parts together
 * @param inputBytes bytes of its inputs, an estimate for slices that show a part of a table
 * @param runs number of runs that contain the inputs
 * @param outputsPerStep most outputs of a step; fewer if the disk has little space
 * @param transientBytes transient space of this part in bytes
 * @param takesLevelZero whether some inputs are in level 0
 * @param major whether a major compaction planned it
 */
record Subcompaction(
    FamilyPlanner planner,
    Plan.Merge plan,
    List<Slice> slices,
    Set<Long> siblings,
    long run,
    Claims.Claim claim,
    long inputBytes,
    int runs,
    int outputsPerStep,
    long transientBytes,
    boolean takesLevelZero,
    boolean major) {}
