// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.SearchScheme;
import io.coppice.io.BlockReader;
import io.coppice.io.ReadBatch;
import io.coppice.read.stats.ConcurrentLatencyHistogram;
import io.coppice.read.stats.FamilyReadCounters;
import io.coppice.read.stats.KeySample;
import io.coppice.read.stats.ReadCounts;
import io.coppice.read.stats.ReadLatencyModel;
import io.coppice.read.stats.ReadLoad;
import io.coppice.read.stats.ReadTotals;
import java.io.Closeable;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Search settings and statistics of all lookups of a store. Owns the reader of several blocks at
 * once. Safe to share between threads. The store closes it after the last lookup; a later lookup
 * could use freed memory.
 */
public final class LookupContext implements Closeable {

  /** Default number of blocks that a lookup of {@link SearchScheme#FIXED_COUNT} keeps in flight. */
  public static final int DEFAULT_WIDTH = 16;

  /** Largest number of counter objects that is not searched for those of ended threads. */
  private static final int FEW_THREADS = 64;

  private final BlockReader reader;
  private final ReadLatencyModel times = new ReadLatencyModel();
  private final int width;
  private final boolean counting;
  private final LongSupplier nanoTime;
  private final Map<SearchScheme, ConcurrentLatencyHistogram> latencies =
      new EnumMap<>(SearchScheme.class);
  private volatile SearchScheme scheme;

  /** Counters of the threads that look up keys, one object per thread and family. */
  @GuardedBy("this")
  private final List<PerThread> threads = new ArrayList<>();

  /** Sum of the counts of ended threads. */
  @GuardedBy("this")
  private final long[] ended = new long[ReadCounts.SIZE];

  /** Number of counter objects that triggers a search for those of ended threads. */
  @GuardedBy("this")
  private int many = FEW_THREADS;

  /**
   * Creates the settings of a store.
   *
   * @param reader closed with this object
   * @param width number of blocks that a lookup of {@link SearchScheme#FIXED_COUNT} reads at once,
   *     1 to {@link ReadBatch#MAX_READS}
   * @param counting whether lookups are counted and sampled
   * @param nanoTime clock in nanoseconds for the timed lookups
   */
  public LookupContext(
      BlockReader reader, SearchScheme scheme, int width, boolean counting, LongSupplier nanoTime) {
    this.reader = reader;
    this.counting = counting;
    this.scheme = scheme;
    this.width = width;
    this.nanoTime = nanoTime;
    for (SearchScheme each : SearchScheme.values()) {
      latencies.put(each, new ConcurrentLatencyHistogram());
    }
  }

  /** Returns the present search scheme. */
  public SearchScheme scheme() {
    return scheme;
  }

  /** Changes the scheme of lookups that begin later. */
  public void scheme(SearchScheme other) {
    scheme = other;
  }

  int width() {
    return width;
  }

  long nanoTime() {
    return nanoTime.getAsLong();
  }

  /** Returns the reader of several blocks at once. */
  public BlockReader reader() {
    return reader;
  }

  /** Returns the model of the device's read time. */
  ReadLatencyModel times() {
    return times;
  }

  /**
   * Returns the histogram of the durations of single lookups under a scheme, one in 64; it goes on
   * counting.
   */
  public ConcurrentLatencyHistogram latencies(SearchScheme of) {
    return latencies.get(of);
  }

  /** Returns the statistics of all lookups since the store was opened. */
  public synchronized ReadTotals figures() {
    long[] sum = ended.clone();
    for (PerThread share : threads) {
      share.counts.addTo(sum);
    }
    return ReadTotals.of(sum);
  }

  /** Returns the read load of a family since the store was opened. */
  synchronized ReadLoad load(FamilyReadCounters family) {
    long[] sum = family.ended.clone();
    for (PerThread share : threads) {
      if (share.family == family) {
        share.counts.addTo(sum);
      }
    }
    return new ReadLoad(
        sum[ReadCounts.LOOKUPS],
        sum[ReadCounts.MISSES],
        sum[ReadCounts.NANOS],
        family.scans.sum(),
        family.scannedEntries.sum());
  }

  /**
   * Copies hashes of sampled keys of a family that were looked up since the last call. Each thread
   * keeps its last 256; those without room in the target are lost.
   *
   * @return the number of copied hashes, at most the length of the target
   */
  synchronized int sampleKeys(FamilyReadCounters family, long[] target) {
    int copied = 0;
    for (PerThread share : threads) {
      if (share.family == family) {
        long added = share.keys.added();
        copied = share.keys.copy(share.taken, added, target, copied);
        share.taken = added;
      }
    }
    return copied;
  }

  /** Returns a new reusable lookup state of a family for the calling thread. */
  LookupState newState(FamilyReadCounters family) {
    PerThread share = new PerThread(family);
    LookupState state = new LookupState(this, share);
    share.user = new WeakReference<>(state);
    join(share);
    return state;
  }

  private synchronized void join(PerThread share) {
    if (threads.size() >= many) {
      threads.removeIf(this::hasEnded);
      many = Math.max(FEW_THREADS, 2 * threads.size());
    }
    threads.add(share);
  }

  /**
   * Returns whether the thread of a share has ended, or has dropped its lookup state because the
   * family is gone.
   */
  private synchronized boolean hasEnded(PerThread share) {
    Thread owner = share.owner.get();
    if (owner != null && owner.isAlive() && share.user.get() != null) {
      return false;
    }
    share.counts.addTo(ended);
    share.counts.addTo(share.family.ended);
    share.close();
    return true;
  }

  @Override
  public synchronized void close() throws IOException {
    for (PerThread share : threads) {
      share.close();
    }
    reader.close();
  }

  /**
   * Share of one thread in the reads of one family: its counters, and its read batch once it needs
   * one.
   */
  final class PerThread {

    final ReadCounts counts = counting ? new ReadCounts() : new ReadCounts.None();
    final KeySample keys = new KeySample();
    final FamilyReadCounters family;
    private final WeakReference<Thread> owner = new WeakReference<>(Thread.currentThread());

    /** The only lookup state that counts into this share; set before the share is published. */
    private WeakReference<LookupState> user;

    /**
     * Number of hashes already taken from the sample. Guarded by the enclosing object, which the
     * checker does not follow from a list of shares.
     */
    private long taken;

    /** Read batch of the thread, or null before the first use. */
    private volatile ReadBatch batch;

    private PerThread(FamilyReadCounters family) {
      this.family = family;
    }

    /** Returns the read batch of the thread, empty. The lookup that fills it clears it. */
    ReadBatch batch() {
      ReadBatch present = batch;
      if (present == null) {
        present = reader.newBatch();
        batch = present;
      }
      return present;
    }

    private void close() {
      if (batch != null) {
        batch.close();
      }
    }
  }
}
