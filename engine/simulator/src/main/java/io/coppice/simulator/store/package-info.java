// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Stores without a disk: levels, runs, segments, slices and tables of contents.
 *
 * <p>In: contents of tables, and the plans of policies. Out: shapes, and the bytes that each plan
 * read, wrote and freed. Contents are opaque here. Records, enums and exceptions are safe to share
 * between threads.
 */
package io.coppice.simulator.store;
