// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.compaction.CompactionContext;
import io.coppice.compaction.CompactionListener;
import io.coppice.compaction.FamilyCompactionContext;
import io.coppice.entry.EntryHooks;
import io.coppice.entry.StoreClock;
import io.coppice.manifest.FamilyVersions;
import io.coppice.manifest.ReadCompactionRequests;
import io.coppice.memtable.FamilyMemtables;
import io.coppice.policy.PolicySpec;
import io.coppice.policy.RewriteBudget;
import io.coppice.read.FamilyReader;
import io.coppice.read.LookupContext;
import io.coppice.table.OpenTables;
import io.coppice.write.FamilyWriteLimits;
import io.coppice.write.FamilyWriteState;
import java.util.function.LongSupplier;

/**
 * Parts that an open store holds for one family. Safe to share between threads.
 *
 * @param written its memtables and table sizes
 * @param extensions merge operator and compaction filter of the application
 * @param requests read-triggered compactions
 * @param counts counters of its compactions
 * @param rewrites bytes that its merges may read
 * @param tuner adapts its policy to its load
 */
record FamilyParts(
    FamilyWriteState written,
    EntryHooks extensions,
    FamilyReader reader,
    Reads reads,
    ReadCompactionRequests requests,
    FamilyCounts counts,
    RewriteBudget rewrites,
    FamilyTuner tuner) {

  /**
   * Creates the parts of a living family without a memtable.
   *
   * @param searching search settings of lookups
   * @param visible supplies the newest visible sequence number
   * @param listener is notified of its compactions
   */
  static FamilyParts of(
      FamilyVersions lineage,
      FamilyWriteLimits sizes,
      OpenTables tables,
      LookupContext searching,
      LongSupplier visible,
      EntryHooks extensions,
      CompactionListener listener) {
    FamilyMemtables memtables = new FamilyMemtables();
    ReadCompactionRequests requests = new ReadCompactionRequests();
    FamilyReader reader =
        new FamilyReader(memtables, lineage, tables, visible, extensions, requests, searching);
    FamilyWriteState written = new FamilyWriteState(lineage, memtables, sizes);
    RewriteBudget rewrites = new RewriteBudget(written::flushedBytes);
    return new FamilyParts(
        written,
        extensions,
        reader,
        new Reads(reader),
        requests,
        new FamilyCounts(written, listener, StoreClock.SYSTEM),
        rewrites,
        new FamilyTuner(written, reader, rewrites));
  }

  int number() {
    return lineage().number();
  }

  String name() {
    return lineage().name();
  }

  FamilyVersions lineage() {
    return written.versions();
  }

  FamilyCompactionContext compacted(PolicySpec policy, CompactionContext context) {
    return new FamilyCompactionContext(lineage(), context, policy, requests, rewrites, counts);
  }
}
