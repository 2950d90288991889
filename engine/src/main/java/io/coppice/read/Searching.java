// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.base.SearchScheme;
import io.coppice.io.BlockReader;
import io.coppice.io.ReadBatch;
import java.io.Closeable;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * How the lookups of all families of a store search, and what they did. Owns what reads blocks at
 * once. Safe to share between threads; closed after the last lookup.
 */
public final class Searching implements Closeable {

  /** Blocks in flight of a lookup of {@link SearchScheme#FIXED_COUNT} if nothing else is said. */
  public static final int DEFAULT_WIDTH = 16;

  /** Not worth a look for threads that have ended. */
  private static final int FEW_THREADS = 64;

  private final BlockReader reader;
  private final ReadTimes times = new ReadTimes();
  private final int width;
  private final boolean counting;
  private final LongSupplier nanoTime;
  private final Map<SearchScheme, Latencies> latencies = new EnumMap<>(SearchScheme.class);
  private volatile SearchScheme scheme;

  /** Guarded by this. */
  private final List<Share> shares = new ArrayList<>();

  /** Of threads that have ended; guarded by this. */
  private final long[] ended = new long[ReadCounts.SIZE];

  /** From so many shares on, those of ended threads are looked for; guarded by this. */
  private int many = FEW_THREADS;

  /**
   * Searches so.
   *
   * @param reader is taken over
   * @param width of a lookup of {@link SearchScheme#FIXED_COUNT}, 1 to {@link ReadBatch#MAX_READS}
   * @param counting false if lookups are neither counted nor sampled
   * @param nanoTime by which some lookups are timed
   */
  public Searching(
      BlockReader reader, SearchScheme scheme, int width, boolean counting, LongSupplier nanoTime) {
    this.reader = reader;
    this.counting = counting;
    this.scheme = scheme;
    this.width = width;
    this.nanoTime = nanoTime;
    for (SearchScheme each : SearchScheme.values()) {
      latencies.put(each, new Latencies());
    }
  }

  /** How lookups search now. */
  public SearchScheme scheme() {
    return scheme;
  }

  /** Changes it for lookups that begin from now on. */
  public void scheme(SearchScheme other) {
    scheme = other;
  }

  int width() {
    return width;
  }

  long nanoTime() {
    return nanoTime.getAsLong();
  }

  /** What reads blocks at once. */
  public BlockReader reader() {
    return reader;
  }

  /** What lookups have learnt of it. */
  ReadTimes times() {
    return times;
  }

  /** How long lookups took under a scheme: of one in 64. */
  public Latencies latencies(SearchScheme of) {
    return latencies.get(of);
  }

  /** What all lookups did. */
  public synchronized ReadFigures figures() {
    long[] sum = ended.clone();
    for (Share share : shares) {
      share.counts.addTo(sum);
    }
    return ReadFigures.of(sum);
  }

  /** How a family was read. */
  synchronized ReadLoad load(FamilyReads family) {
    long[] sum = family.ended.clone();
    for (Share share : shares) {
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
   * Copies hashes of keys of a family that were looked up since the last call, of a sample.
   *
   * @return how many there are, at most as many as there is room for
   */
  synchronized int sampleKeys(FamilyReads family, long[] target) {
    int copied = 0;
    for (Share share : shares) {
      if (share.family == family) {
        long added = share.keys.added();
        copied = share.keys.copy(share.taken, added, target, copied);
        share.taken = added;
      }
    }
    return copied;
  }

  /** What the calling thread looks keys of a family up with, again and again. */
  Search newSearch(FamilyReads family) {
    Share share = new Share(family);
    Search search = new Search(this, share);
    share.user = new WeakReference<>(search);
    join(share);
    return search;
  }

  private synchronized void join(Share share) {
    if (shares.size() >= many) {
      shares.removeIf(this::hasEnded);
      many = Math.max(FEW_THREADS, 2 * shares.size());
    }
    shares.add(share);
  }

  /** True if the thread has ended, or has let go of its search as the family is gone. */
  private boolean hasEnded(Share share) {
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
    for (Share share : shares) {
      share.close();
    }
    reader.close();
  }

  /** What a thread has of it for one family: its counts, and a batch once it needs one. */
  final class Share {

    final ReadCounts counts = counting ? new ReadCounts() : new ReadCounts.None();
    final KeySample keys = new KeySample();
    final FamilyReads family;
    private final WeakReference<Thread> owner = new WeakReference<>(Thread.currentThread());

    /** Nobody else uses the share; set before others see it. */
    private WeakReference<Search> user;

    /** So many hashes were taken from the sample. Guarded by the searching. */
    private long taken;

    /** Null until it is needed. */
    private volatile ReadBatch batch;

    private Share(FamilyReads family) {
      this.family = family;
    }

    /** Empty; the lookup that fills it clears it. */
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
