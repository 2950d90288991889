// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * SSTables as a policy sees them. SSTables of Cassandra come in, a shape and the claimed inputs of
 * stepped merges go out.
 *
 * <p>{@code CassandraCompatibility} holds every call that differs between patch releases. Records,
 * enums and exceptions are safe to share between threads.
 */
package io.coppice.cassandra.sstable;
