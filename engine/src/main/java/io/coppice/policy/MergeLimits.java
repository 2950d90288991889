// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.policy;

/**
 * What bounds every merge of a policy in its host.
 *
 * @param tableBytes the size at which outputs are cut
 * @param cleaningThreshold output tables after which a merge releases the inputs it has consumed; 0
 *     where the host releases them at the end only
 * @param maxLevel the deepest level, inclusive
 */
record MergeLimits(long tableBytes, int cleaningThreshold, int maxLevel) {}
