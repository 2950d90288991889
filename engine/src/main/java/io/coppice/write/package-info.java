// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * The write journey: a batch waits in the queue, a group of batches gets sequence numbers, goes to
 * the log and into the active memtable, and becomes visible; full memtables are sealed and flushed.
 *
 * <p>Public records, enums and exceptions are safe to share between threads; every other public
 * class says whether it is.
 */
package io.coppice.write;
