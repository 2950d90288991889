// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction.context;

import io.coppice.manifest.FamilyVersions;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.tuner.RewriteBudget;
import io.coppice.version.ReadCompactionRequests;

/**
 * One family as compaction needs it.
 *
 * @param versions the family's versions, and the receiver of its edits
 * @param context environment of its merges
 * @param policy policy that plans
 * @param requests counts of the lookups that have reached virtual segments
 * @param budget rewrite budget of its merges
 * @param listener receives reports of completed work
 */
public record FamilyCompactionContext(
    FamilyVersions versions,
    CompactionContext context,
    PolicySpec policy,
    ReadCompactionRequests requests,
    RewriteBudget budget,
    CompactionListener listener) {

  /** Returns the family's number, 0 for the default family; never reused in its store. */
  public int number() {
    return versions.number();
  }
}
