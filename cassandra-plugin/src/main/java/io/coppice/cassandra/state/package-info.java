// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The state of one table: tunables, tuner, counters, decisions and the ledger of transient space.
 * It outlives the strategy instances, which Cassandra creates and drops at will.
 *
 * <p>The package starts no task: its owner asks the strategies. Records, enums and exceptions are
 * safe to share between threads.
 */
package io.coppice.cassandra.state;
