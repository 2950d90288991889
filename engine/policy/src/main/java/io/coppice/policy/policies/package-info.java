// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The compaction policies of Coppice. Each class that ends in {@code Policy} is one policy. It can
 * be read after {@code PlanningView}, {@code OverlapCluster} and {@code RunMerge} of the package
 * {@code pick}, and {@code DelayedPolicy} after {@code LeveledPolicy}.
 *
 * <p>Options come in through constructors, candidate plans go out. A policy is stateless and never
 * reads a clock. Records, enums and exceptions are safe to share between threads.
 */
@NullMarked
package io.coppice.policy.policies;

import org.jspecify.annotations.NullMarked;
