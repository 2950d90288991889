// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.write.family;

/**
 * Limits that a family's policy sets for flushes and writers.
 *
 * @param tableBytes target size in bytes of the tables that flushes write
 * @param toleratedRuns runs in level 0 that the policy may leave unmerged; only further runs slow
 *     writers down
 */
public record FamilyWriteLimits(long tableBytes, long toleratedRuns) {}
