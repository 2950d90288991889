// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The compaction strategies that a schema names, and how they plan. Cassandra's events and requests
 * for tasks come in, tasks of {@code merge} go out.
 *
 * <p>The names of the strategy classes never change, because schemas contain them. Records, enums
 * and exceptions are safe to share between threads.
 */
package io.coppice.cassandra;
