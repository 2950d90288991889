// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Commands that watch or change Cassandra nodes and running stores, and the demo. Addresses come
 * in, reports go out.
 *
 * <p>Only {@code canary} and the console change a node, and each change is one JMX call. Records,
 * enums and exceptions are safe to share between threads.
 */
package io.coppice.tool.node;
