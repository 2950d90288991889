// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.base.SearchScheme;
import io.coppice.io.BlockReader;
import io.coppice.io.ReadBatch;
import io.coppice.manifest.Version;
import io.coppice.table.Lookup;
import io.coppice.table.Table;

/**
 * A lookup that reads blocks of several tables at once. Used again and again by one thread, without
 * allocation.
 *
 * <ol>
 *   <li>Candidates are gathered newest first. One whose block is at hand is searched as it comes.
 *       The first that has the key is the <em>end</em>, and nothing behind it is gathered.
 *   <li>The others are read together; their answers are taken newest first, several at a time, as
 *       each wait costs a call of the system at least. One in front of the end that has the key is
 *       the new end, and reads behind it matter no more.
 *   <li>The search is over when no read in front of the end is open. So the end is the newest
 *       candidate that has the key.
 * </ol>
 *
 * A candidate that cannot be read ends a search like one that has the key: what is behind it must
 * not be asked, and what is in front of it makes it irrelevant.
 */
final class ParallelSearch {

  /** Reads in a batch of {@link SearchScheme#PRIORITY_AWARE}. */
  static final int STAGE_READS = 8;

  /** What is left behind a full batch goes with it if it is at most one read for so many there. */
  static final int REST_SHARE = 8;

  private static final int NONE = Candidates.MAX;

  private final Search search;
  private final Searching.Share share;
  private final Searching searching;
  private final BlockReader reader;
  private final ReadTimes times;
  private final int fixedWidth;
  private final Candidates candidates = new Candidates();

  /** Finds older entries than the one that the search's own lookup has found. */
  private Lookup spare = new Lookup();

  /** By number of read. */
  private final int[] candidateOf = new int[ReadBatch.MAX_READS];

  /** Candidates of the round that have to be read and are not yet, newest first. */
  private final int[] cold = new int[Candidates.MAX];

  private int coldOnes;

  // Of the search under way.
  private SearchScheme scheme;
  private SearchWidth width;
  private int chosenWidth;

  /** Reads in flight when the open ones began; what was waited for since is not learnt from. */
  private int others;

  private long begun;
  private boolean toLearn;

  /** Null until it is needed. */
  private ReadBatch batch;

  private int reads;

  /** Those of them whose answer was looked at. */
  private int taken;

  /** Blocks that were not at hand and whose answer was needed. */
  private int needed;

  /** A bit for each read in front of the end that was not taken yet. */
  private long open;

  /** Those that are known to have ended. */
  private long ended;

  private int end;
  private RuntimeException failure;

  /** True if there is no candidate left. */
  private boolean exhausted;

  /** True if reads follow as answers come in. */
  private boolean toppedUp;

  /** The level that is being searched; behind all of them if levels do not matter. */
  private int stage;

  ParallelSearch(Search search, Searching searching, Searching.Share share) {
    this.search = search;
    this.share = share;
    this.searching = searching;
    this.reader = searching.reader();
    this.times = searching.times();
    this.fixedWidth = searching.width();
    search.readAlone(spare);
  }

  /** Beside the search's own lookup, the one that reads blocks. */
  Lookup spare() {
    return spare;
  }

  /**
   * Looks for the newest entry of the key that the search has.
   *
   * @param fromSlice the first slice that was not asked yet, of the segment of a run
   * @return true if there is one; it is then in the search's lookup
   */
  boolean find(
      Reader source, Version version, SearchScheme by, int fromLevel, int fromRun, int fromSlice) {
    scheme = by;
    width = source.width();
    reads = 0;
    taken = 0;
    needed = 0;
    open = 0;
    ended = 0;
    coldOnes = 0;
    end = NONE;
    failure = null;
    exhausted = false;
    stage = by == SearchScheme.PRIORITY_AWARE ? fromLevel : Integer.MAX_VALUE;
    toppedUp = by != SearchScheme.PRIORITY_AWARE;
    candidates.begin(
        search, source.tables(), source.requests(), version, fromLevel, fromRun, fromSlice);
    try {
      run();
      return conclude();
    } finally {
      if (reads > 0) {
        batch.clear();
      }
      candidates.end();
      failure = null;
      width = null;
    }
  }

  private void run() {
    while (true) {
      if (open == 0 || (toppedUp && (open & ended) == 0)) {
        issue();
      }
      if (open != 0) {
        take(next(batch, open));
      } else if (coldOnes == 0 && !mayFindMore()) {
        return;
      }
    }
  }

  /** True if there may be candidates that matter and are not gathered yet. */
  private boolean mayFindMore() {
    return end == NONE && !exhausted;
  }

  /** True if they may also find room in this round. */
  private boolean othersJoin() {
    return mayFindMore() && !candidates.full();
  }

  /** The newest of some reads, once it has ended. */
  private int next(ReadBatch from, long any) {
    long newest = Long.lowestOneBit(any);
    if ((ended & newest) == 0) {
      int atOnce = together(Long.bitCount(any), reader.inFlight());
      long several = newestOf(any, atOnce);
      from.awaitAll(several);
      ended |= several;
      if (toLearn) {
        times.learn(others, atOnce, searching.nanoTime() - begun);
        toLearn = false;
      }
    }
    return Long.numberOfTrailingZeros(newest);
  }

  /** How many of so many open reads to wait for at once, before others follow. */
  static int together(int reads, int inFlight) {
    // A busy device brings them one right after the other; of one that is not, half are searched
    // while the others come.
    return SearchWidth.isBusy(inFlight) ? reads : (reads + 1) / 2;
  }

  private static long newestOf(long reads, int count) {
    long rest = reads;
    for (int i = 0; i < count; i++) {
      rest &= rest - 1;
    }
    return reads ^ rest;
  }

  private boolean conclude() {
    if (search.group == 0) {
      search.group = end == NONE ? candidates.group() : candidates.groupUpTo(end);
    }
    forgetReads();
    if (failure != null) {
      throw failure;
    }
    if (needed > 0) {
      width.learn(needed, end != NONE);
    }
    return end != NONE;
  }

  /** Gathers candidates until enough reads are open, and starts those. */
  private void issue() {
    if (open == 0 && coldOnes == 0 && candidates.full() && end == NONE) {
      forgetReads();
      candidates.nextRound();
    }
    int atOnce = limit();
    int limit = atOnce - Long.bitCount(open);
    // A few that are left behind a full batch would take as long as all of it. Whether they are few
    // is known by a look behind them.
    int rest = toppedUp ? atOnce / REST_SHARE : 0;
    int most = limit + rest;
    while (coldOnes < (rest > 0 ? most + 1 : most) && othersJoin() && gather()) {
      assert coldOnes <= candidates.size();
    }
    int count = Math.min(coldOnes, othersJoin() || coldOnes > most ? limit : most);
    if (count == 1 && open == 0) {
      // A batch of one has nothing to win over the thread's own read.
      int only = cold[0];
      forgetCold(1);
      needed++;
      begin(1);
      reader.alone(1);
      try {
        search(only);
      } finally {
        reader.alone(-1);
      }
      times.learn(others, 1, searching.nanoTime() - begun);
    } else if (count > 0) {
      request(count);
      forgetCold(count);
    }
  }

  private void begin(int own) {
    others = reader.inFlight();
    times.began(own);
    begun = searching.nanoTime();
  }

  /** Forgets the first of those that have to be read. */
  private void forgetCold(int first) {
    coldOnes -= first;
    System.arraycopy(cold, first, cold, 0, coldOnes);
  }

  private int limit() {
    if (scheme == SearchScheme.FIXED_COUNT) {
      return fixedWidth;
    }
    if (scheme == SearchScheme.PRIORITY_AWARE) {
      return STAGE_READS;
    }
    if (open == 0) {
      chosenWidth = width.choose(reader.inFlight(), times);
    }
    return chosenWidth;
  }

  /** Finds the next candidate; false if there is none for this batch. */
  private boolean gather() {
    try {
      if (!candidates.advance(stage)) {
        if (coldOnes == 0 && !candidates.inLastLevel(stage)) {
          stage++;
          return true;
        }
        exhausted = candidates.inLastLevel(stage);
        return false;
      }
    } catch (RuntimeException e) {
      candidates.keepNone();
      endAt(candidates.size() - 1, e);
      return false;
    }
    int found = candidates.size() - 1;
    int block = candidates.block(found);
    if (block < 0 || candidates.table(found).atHand(block)) {
      search(found);
    } else {
      cold[coldOnes++] = found;
    }
    return true;
  }

  /** Starts the reads of the first of those that have to be read. */
  private void request(int count) {
    toLearn = open == 0;
    if (toLearn) {
      begin(count);
    }
    if (batch == null) {
      batch = share.batch();
    }
    for (int i = 0; i < count; i++) {
      int candidate = cold[i];
      Table table = candidates.table(candidate);
      int read = table.request(batch, candidates.block(candidate));
      assert read == reads : read + " after " + reads;
      candidateOf[read] = candidate;
      open |= 1L << read;
      reads++;
      share.counts.add(ReadCounts.BLOCKS, 1);
      share.counts.add(ReadCounts.BLOCK_BYTES, table.blockBytes(candidates.block(candidate)));
    }
    batch.submit();
    share.counts.add(ReadCounts.BATCHES, 1);
    share.counts.add(ReadCounts.BATCH_READS, count);
  }

  /** Searches the block of a candidate where it lies. */
  private void search(int candidate) {
    Table table = candidates.table(candidate);
    int block = candidates.block(candidate);
    try {
      boolean found =
          block >= 0
              && table.get(
                  unused(), block, search.key, search.offset, search.length, search.sequence);
      asked(candidate, found);
    } catch (RuntimeException e) {
      endAt(candidate, e);
    }
  }

  /** Searches the block that a read has brought. */
  private void take(int read) {
    open &= ~(1L << read);
    taken++;
    needed++;
    int candidate = candidateOf[read];
    Table table = candidates.table(candidate);
    try {
      boolean found =
          table.get(
              unused(),
              candidates.block(candidate),
              batch,
              read,
              search.key,
              search.offset,
              search.length,
              search.sequence);
      asked(candidate, found);
    } catch (RuntimeException e) {
      endAt(candidate, e);
    }
  }

  /** What has not found the end. */
  private Lookup unused() {
    return end == NONE ? search.lookup : spare;
  }

  private void asked(int candidate, boolean found) {
    search.asked(candidates.table(candidate), found);
    if (found) {
      if (end != NONE) {
        Lookup other = search.lookup;
        search.lookup = spare;
        spare = other;
      }
      endAt(candidate, null);
    }
  }

  private void endAt(int candidate, RuntimeException cause) {
    end = candidate;
    failure = cause;
    open &= inFrontOf(candidate);
    while (coldOnes > 0 && cold[coldOnes - 1] >= candidate) {
      coldOnes--;
    }
  }

  /** The reads of candidates in front of one. */
  private long inFrontOf(int candidate) {
    int count = reads;
    while (count > 0 && candidateOf[count - 1] >= candidate) {
      count--;
    }
    return count == Long.SIZE ? -1 : (1L << count) - 1;
  }

  private void forgetReads() {
    if (reads > 0) {
      share.counts.add(ReadCounts.WASTED_READS, reads - taken);
      batch.clear();
      reads = 0;
      taken = 0;
      ended = 0;
    }
  }
}
