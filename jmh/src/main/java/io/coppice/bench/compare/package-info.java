// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The main job: the same rows into a real Cassandra node under each strategy, the same reads, a
 * major compaction, and one table. {@code Comparison} runs it, {@code TableRun} is one strategy's
 * part, {@code RunValidity} decides whether figures may be believed.
 */
package io.coppice.bench.compare;
