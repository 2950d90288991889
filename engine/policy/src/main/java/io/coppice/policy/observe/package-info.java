// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * Decisions, metrics and JMX views of compaction, shared by the store and by Cassandra. A host
 * reports counts and plans, operators read them.
 *
 * <p>Metric names, bean names and record components are public: JMX clients see them. Records,
 * enums and exceptions are safe to share between threads.
 */
@NullMarked
package io.coppice.policy.observe;

import org.jspecify.annotations.NullMarked;
