// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The rows that a comparison writes, computed from a seed, and their expected contents.
 *
 * <p>Operation i is a function of the seed and of the operations before it, so every strategy gets
 * the same statements with the same timestamps in the same flush.
 */
package io.coppice.bench.workload;
