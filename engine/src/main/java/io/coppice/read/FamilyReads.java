// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.base.KeyShards;
import java.util.concurrent.atomic.LongAdder;

/**
 * Under what name the reads of one family are counted. The threads that look keys up keep it, so it
 * must not reach what reads or is read. Safe to share between threads.
 */
final class FamilyReads {

  final LongAdder scans = new LongAdder();
  final LongAdder scannedEntries = new LongAdder();

  /** Of a sample. */
  final KeyShards lookupsIn = new KeyShards();

  /** By the keys that cursors were told to go to. */
  final KeyShards scansIn = new KeyShards();

  /** Of threads that have ended. Guarded by the {@link Searching}. */
  final long[] ended = new long[ReadCounts.SIZE];
}
