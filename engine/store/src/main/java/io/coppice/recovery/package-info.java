// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Recovery, checkpoints, verification, dumps and repair of stores on disk.
 *
 * <p>In: a directory's manifest, logs and tables. Out: its last state, or findings and losses.
 * Recovery must not remove a log or table that the durable manifest still needs.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.recovery;
