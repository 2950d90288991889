// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Compaction policies: pure decisions shared by the engine, the Cassandra strategies and the
 * simulator. A host describes itself as a {@link io.coppice.policy.Shape}, a {@link
 * io.coppice.policy.Policy} answers with a {@link io.coppice.policy.Plan}, {@code PlanCheck}
 * refuses plans that could lose data. Depends on the JDK alone.
 *
 * <p>Read {@code Layout} (the runs in a row), {@code Cluster} (what hangs together) and {@code
 * Join} (one run out of several) first; the policies are short after that. The laws and the text
 * form stand in {@code docs/policies/README.md}.
 *
 * <p>Records, enums and exceptions are safe to share between threads; every other class says
 * whether it is. Nothing is null that is not {@link org.jspecify.annotations.Nullable}.
 */
@NullMarked
package io.coppice.policy;

import org.jspecify.annotations.NullMarked;
