// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Commands that each measure one cost of Coppice and print one table: disk space of merges,
 * recovery, counters, requests of the console, and planning in a Cassandra node.
 */
package io.coppice.bench.cost;
