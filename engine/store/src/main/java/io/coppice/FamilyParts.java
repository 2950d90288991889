// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.compaction.context.CompactionContext;
import io.coppice.compaction.context.FamilyCompactionContext;
import io.coppice.entry.EntryHooks;
import io.coppice.manifest.FamilyVersions;
import io.coppice.memtable.FamilyMemtables;
import io.coppice.policy.observe.CompactionMetricId;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.policy.tuner.RewriteBudget;
import io.coppice.read.FamilyReader;
import io.coppice.read.LookupContext;
import io.coppice.table.OpenTables;
import io.coppice.version.ReadCompactionRequests;
import io.coppice.write.family.FamilyWriteLimits;
import io.coppice.write.family.FamilyWriteState;
import java.util.function.LongSupplier;
import java.util.function.ObjLongConsumer;

/**
 * Parts that an open store holds for one family. Safe to share between threads.
 *
 * @param writeState its memtables, write limits and merge state as writers see it
 * @param hooks merge operator and compaction filter of the application
 * @param requests read-triggered compactions
 * @param counts counters of its compactions
 * @param budget bytes that its merges may read
 * @param tuner adapts its policy to its load
 */
record FamilyParts(
    FamilyWriteState writeState,
    EntryHooks hooks,
    FamilyReader reader,
    Reads reads,
    ReadCompactionRequests requests,
    FamilyCounts counts,
    RewriteBudget budget,
    FamilyTuner tuner) {

  /**
   * Creates the parts of a living family without a memtable.
   *
   * @param context search settings of lookups
   * @param visible supplies the newest visible sequence number
   * @param store counts the compactions of all families
   * @param wakeWriters is run after each change that compaction makes
   */
  static FamilyParts of(
      FamilyVersions versions,
      FamilyWriteLimits sizes,
      OpenTables tables,
      LookupContext context,
      LongSupplier visible,
      EntryHooks hooks,
      ObjLongConsumer<CompactionMetricId> store,
      Runnable wakeWriters) {
    FamilyMemtables memtables = new FamilyMemtables();
    ReadCompactionRequests requests = new ReadCompactionRequests();
    FamilyReader reader =
        new FamilyReader(memtables, versions, tables, visible, hooks, requests, context);
    FamilyWriteState writeState = new FamilyWriteState(versions, memtables, sizes);
    RewriteBudget budget = new RewriteBudget(writeState::flushedBytes);
    return new FamilyParts(
        writeState,
        hooks,
        reader,
        new Reads(reader),
        requests,
        new FamilyCounts(writeState, store, wakeWriters),
        budget,
        new FamilyTuner(writeState, reader, budget));
  }

  int number() {
    return versions().number();
  }

  String name() {
    return versions().name();
  }

  FamilyVersions versions() {
    return writeState.versions();
  }

  FamilyCompactionContext compactionContext(PolicySpec policy, CompactionContext context) {
    return new FamilyCompactionContext(versions(), context, policy, requests, budget, counts);
  }
}
