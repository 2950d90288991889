// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The comparison of compaction strategies: the same rows written to a real Cassandra node under
 * each strategy, the same reads, and a major compaction. {@code Comparison} runs it, and {@code
 * TableRun} is one strategy's part.
 */
package io.coppice.bench.compare;
