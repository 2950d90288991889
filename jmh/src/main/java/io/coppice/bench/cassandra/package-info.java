// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/** One real Cassandra node in a child process: its Java, its jars, its files, its JMX. */
package io.coppice.bench.cassandra;
