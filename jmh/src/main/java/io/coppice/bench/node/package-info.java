// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Classes that run inside the measured Cassandra node, on Cassandra's own class path: a recorder of
 * every SSTable that the node creates, and a meter of its planning costs. They may only use the
 * node's libraries.
 */
package io.coppice.bench.node;
