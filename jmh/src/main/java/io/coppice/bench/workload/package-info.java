// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Rows that a comparison writes, computed from a seed, and their expected contents.
 *
 * <p>Each operation depends only on the seed and on the operations before it. Every strategy
 * therefore gets the same statements with the same timestamps in the same flush.
 */
package io.coppice.bench.workload;
