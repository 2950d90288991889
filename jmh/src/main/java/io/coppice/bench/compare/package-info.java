// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The comparison of compaction strategies: the same rows written to a real Cassandra node under
 * each strategy, the same reads, a major compaction, and one table of results. {@code Comparison}
 * runs it, {@code TableRun} is one strategy's part, {@code RunValidity} decides whether figures can
 * be trusted.
 */
package io.coppice.bench.compare;
