// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Compaction strategies for an unmodified Apache Cassandra 5.0.x. A strategy describes its SSTables
 * as a {@code Shape}, asks a policy of {@code io.coppice.policy}, and carries the plan out as a
 * Cassandra compaction task. Says SSTable where the policies say table.
 *
 * <p>Only Cassandra calls what is public here, strategies from several threads at once.
 */
package io.coppice.cassandra;
