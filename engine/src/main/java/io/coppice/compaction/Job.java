// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.manifest.Slice;
import io.coppice.policy.Plan;
import java.util.List;

/**
 * A merge with all that was fixed when it was claimed.
 *
 * @param planner of its family
 * @param slices its inputs, as they were then
 * @param run the run its outputs join, which exists
 */
record Job(Planner planner, Plan.Merge plan, List<Slice> slices, long run, Claims.Job claim) {}
