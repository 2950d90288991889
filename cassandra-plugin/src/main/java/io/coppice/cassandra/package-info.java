// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The compaction strategies that a schema names, and how they plan. Cassandra's events and requests
 * for tasks come in, tasks of {@code merge} go out.
 *
 * <p>Schemas contain the names of the strategy classes: they never change. Records, enums and
 * exceptions are safe to share between threads.
 */
package io.coppice.cassandra;
