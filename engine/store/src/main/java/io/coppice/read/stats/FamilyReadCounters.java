// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read.stats;

import io.coppice.base.thread.ShardCounters;
import java.util.concurrent.atomic.LongAdder;

/**
 * Read counters of one family. Searching threads keep this object, so it must not reference the
 * reader or its tables. Safe to share between threads.
 */
public final class FamilyReadCounters {

  public final LongAdder scans = new LongAdder();
  public final LongAdder scannedEntries = new LongAdder();

  /** Sampled lookups by shard. */
  public final ShardCounters lookupsIn = new ShardCounters();

  /** Cursor seeks by shard of their target key. */
  public final ShardCounters scansIn = new ShardCounters();

  /** Sum of the lookup counters of ended threads. Guarded by the {@code LookupContext}. */
  public final long[] ended = new long[ReadCounts.SIZE];
}
