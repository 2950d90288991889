// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Compaction policies: pure decisions shared by the engine, the Cassandra strategies and the
 * simulator. A host passes its state as a {@link io.coppice.policy.Shape}; a {@link
 * io.coppice.policy.Policy} returns a {@link io.coppice.policy.Plan}; {@code PlanCheck} refuses
 * plans that could lose data. Policies never see keys, files, clocks or threads; the package
 * depends on the JDK alone. Start with {@code PlanningView}, {@code OverlapCluster} and {@code
 * RunMerge}. Laws and text form: {@code docs/policies/README.md}. Records, enums and exceptions are
 * safe to share between threads; other classes say so. Only {@link
 * org.jspecify.annotations.Nullable} values may be null.
 */
@NullMarked
package io.coppice.policy;

import org.jspecify.annotations.NullMarked;
