// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.

/**
 * Real Cassandra nodes for tests: one in the test's own JVM, or one in a process of its own. Stands
 * apart from the plugin's package so that in such a process all of that comes from the jar.
 */
package io.coppice.cassandra.node;
