// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
/**
 * The environment of compaction: rate limit, deletion of obsolete tables, older data, listeners.
 * The store supplies the parts, merges use them. No class here asks a policy or carries out a plan.
 * Records, enums and exceptions are safe to share between threads.
 */
package io.coppice.compaction.context;
