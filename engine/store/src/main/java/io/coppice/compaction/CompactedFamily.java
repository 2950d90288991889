// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.manifest.Lineage;
import io.coppice.manifest.ReadRequests;
import io.coppice.policy.PolicySpec;
import io.coppice.policy.Rewrites;

/**
 * What compaction needs of one family.
 *
 * @param lineage where versions come from and edits go
 * @param context what merges need
 * @param policy decides
 * @param requests what reads ask for
 * @param rewrites what its merges may read
 * @param listener is told what is done
 */
public record CompactedFamily(
    Lineage lineage,
    MergeContext context,
    PolicySpec policy,
    ReadRequests requests,
    Rewrites rewrites,
    CompactionListener listener) {

  /** The family's number. */
  public int number() {
    return lineage.number();
  }
}
