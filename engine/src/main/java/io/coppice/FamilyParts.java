// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.compaction.CompactedFamily;
import io.coppice.compaction.CompactionListener;
import io.coppice.compaction.MergeContext;
import io.coppice.entry.Extensions;
import io.coppice.entry.StoreClock;
import io.coppice.manifest.Lineage;
import io.coppice.manifest.ReadRequests;
import io.coppice.memtable.Memtables;
import io.coppice.policy.PolicySpec;
import io.coppice.policy.Rewrites;
import io.coppice.read.Reader;
import io.coppice.read.Searching;
import io.coppice.table.OpenTables;
import io.coppice.write.TableSizes;
import io.coppice.write.WrittenFamily;
import java.util.function.LongSupplier;

/**
 * What an open store holds for one family. Safe to share between threads.
 *
 * @param written its memtables and how its tables are cut
 * @param extensions what of the application decides about its entries
 * @param requests what its reads ask of compaction
 * @param counts what compaction did in it
 * @param rewrites what its merges may read
 * @param tuner lets its policy follow its load
 */
record FamilyParts(
    WrittenFamily written,
    Extensions extensions,
    Reader reader,
    Reads reads,
    ReadRequests requests,
    FamilyCounts counts,
    Rewrites rewrites,
    FamilyTuner tuner) {

  /**
   * The parts of a living family that has nothing in memory yet.
   *
   * @param searching says how its lookups search
   * @param visible gives the newest sequence number that may be seen
   * @param listener is told what compaction does in it
   */
  static FamilyParts of(
      Lineage lineage,
      TableSizes sizes,
      OpenTables tables,
      Searching searching,
      LongSupplier visible,
      Extensions extensions,
      CompactionListener listener) {
    Memtables memtables = new Memtables();
    ReadRequests requests = new ReadRequests();
    Reader reader =
        new Reader(memtables, lineage, tables, visible, extensions, requests, searching);
    WrittenFamily written = new WrittenFamily(lineage, memtables, sizes);
    Rewrites rewrites = new Rewrites(written::flushedBytes);
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

  Lineage lineage() {
    return written.lineage();
  }

  CompactedFamily compacted(PolicySpec policy, MergeContext context) {
    return new CompactedFamily(lineage(), context, policy, requests, rewrites, counts);
  }
}
