// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * What runs inside the measured Cassandra node, on Cassandra's own class path: a recorder of every
 * SSTable that the node makes, and a meter of what planning costs it. Nothing here may need a
 * library that the node does not bring.
 */
package io.coppice.bench.node;
