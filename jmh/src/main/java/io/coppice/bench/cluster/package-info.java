// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/** The command {@code cluster}: real Cassandra nodes on this machine for trials. */
package io.coppice.bench.cluster;
