// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Real Cassandra nodes in child processes: their Java, their jars, their files, their JMX, and
 * clusters of them. The command {@code cluster} starts one for trials.
 */
package io.coppice.bench.cassandra;
