// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read.stats;

import io.coppice.base.thread.ShardCounters;
import java.util.concurrent.atomic.LongAdder;

/**
 * Read counters of one family. Searching threads keep this object, so it must not reference the
 * reader or its tables. Safe to share between threads.
 */
public final class FamilyReadCounters {

  /** Moves of cursors to an end or to a key. */
  public final LongAdder scans = new LongAdder();

  /** Steps of cursors from one key to the next. */
  public final LongAdder scannedEntries = new LongAdder();

  /** Sampled lookups by shard, one lookup in 64. */
  public final ShardCounters lookupsIn = new ShardCounters();

  /** Cursor seeks by shard of their target key. */
  public final ShardCounters scansIn = new ShardCounters();

  /**
   * Sum of the lookup counters of ended threads, at the indexes of {@link ReadCounts}. Guarded by
   * the {@code LookupContext}.
   */
  public final long[] ended = new long[ReadCounts.SIZE];
}
