// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The compaction strategies that a schema names, and how they plan. Cassandra's events and
 * questions come in, tasks of {@code merge} go out.
 *
 * <p>The names of the strategy classes stand in schemas: they never change. Records, enums and
 * exceptions are safe to share between threads.
 */
package io.coppice.cassandra;
