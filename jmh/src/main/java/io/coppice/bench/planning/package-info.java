// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The command {@code planning}: the cost of planning in a Cassandra node whose table has many
 * SSTables.
 */
package io.coppice.bench.planning;
