// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Merges that run in steps, each a transaction of its own. Claimed SSTables come in, smaller sets
 * of SSTables go out after each step.
 *
 * <p>After any step the live SSTables together hold all data. Keys that a straddling input shares
 * with the outputs are present twice, which Cassandra's reconciliation allows. Records, enums and
 * exceptions are safe to share between threads.
 */
package io.coppice.cassandra.merge;
