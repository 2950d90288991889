// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Compaction strategies for an unmodified Apache Cassandra 5.0.x. In come the SSTables and requests
 * of Cassandra; a strategy describes the SSTables as a {@code Shape} and asks a policy of {@code
 * io.coppice.policy}. Out go Cassandra compaction tasks that carry out the plan. The names of
 * public strategy classes are stored in schemas and must not change. "SSTable" here is "table" in
 * the policies.
 *
 * <p>Cassandra alone calls the public methods, those of strategies from several threads at once.
 */
package io.coppice.cassandra;
