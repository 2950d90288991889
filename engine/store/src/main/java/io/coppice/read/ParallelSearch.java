// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.base.SearchScheme;
import io.coppice.io.BlockReader;
import io.coppice.io.ReadBatch;
import io.coppice.read.stats.ReadCounts;
import io.coppice.read.stats.ReadLatencyModel;
import io.coppice.read.stats.SearchWidth;
import io.coppice.table.Table;
import io.coppice.table.TableLookup;
import io.coppice.version.Version;

/**
 * Lookup that reads blocks of several tables at once. Reused by one thread without allocation.
 *
 * <p>A serial lookup over many runs waits for one device read after another. This class overlaps
 * the reads and still returns the newest entry:
 *
 * <ol>
 *   <li>It collects candidates newest first. A candidate whose block is in memory is searched at
 *       once. The first one that has the key is the <em>end</em>; no older candidate is collected.
 *   <li>The other candidates are read together. Their results are taken newest first, several at a
 *       time, because each wait costs at least one system call. A candidate before the end that has
 *       the key becomes the new end; reads after it no longer matter.
 *   <li>The search is over when no read before the end is open. The end is then the newest
 *       candidate that has the key.
 * </ol>
 *
 * <pre>
 * newest                           oldest
 *   c0      c1      c2      c3      c4
 *  read   memory   read   memory    -
 *  open   absent   open   FOUND     not collected
 *                         end                        c0 has the key: it becomes the end,
 *                                                    and the read of c2 no longer matters
 * </pre>
 *
 * <p>An unreadable candidate ends a search like one that has the key: older candidates must not be
 * searched, and a newer hit makes the failure irrelevant.
 *
 * <p>The number of reads per batch depends on the scheme: a fixed width, one level's candidates in
 * batches of {@link #STAGE_READS}, or the width that {@link SearchWidth} chooses. The adaptive and
 * the fixed scheme top up the batch as results arrive.
 */
final class ParallelSearch {

  /** Reads per batch of {@link SearchScheme#PRIORITY_AWARE}. */
  static final int STAGE_READS = 8;

  /** Divisor: a full batch of n reads grows by up to n/8 reads if no others would follow. */
  static final int REST_SHARE = 8;

  private static final int NONE = CandidateTables.MAX;

  private final LookupState state;
  private final LookupContext.PerThread share;
  private final LookupContext context;
  private final BlockReader reader;
  private final ReadLatencyModel times;
  private final int fixedWidth;
  private final CandidateTables candidates = new CandidateTables();

  /**
   * Second table lookup, which searches candidates newer than the hit, which the lookup state's own
   * table lookup holds.
   */
  private TableLookup spare = new TableLookup();

  /** Candidate of each read. */
  private final int[] candidateOf = new int[ReadBatch.MAX_READS];

  /** Candidates of the round that still have to be read, newest first. */
  private final int[] cold = new int[CandidateTables.MAX];

  private int coldOnes;

  // State of the current search.
  private SearchScheme scheme;
  private SearchWidth width;
  private int chosenWidth;

  /**
   * Number of reads in flight when the open reads began. {@link ReadLatencyModel} learns from a
   * wait only if all its reads began together.
   */
  private int others;

  private long begun;
  private boolean toLearn;

  /** Read batch of the thread, or null before the first use. */
  private ReadBatch batch;

  private int reads;

  /** Number of reads whose result was searched. */
  private int taken;

  /** Number of blocks that were needed and not in memory. */
  private int needed;

  /** Open reads, as one bit each: those before the end whose result is not searched yet. */
  private long open;

  /** Reads known to have completed, as one bit each. */
  private long ended;

  private int end;
  private RuntimeException failure;

  /** Whether no candidate is left. */
  private boolean exhausted;

  /** Whether further reads start as results arrive. */
  private boolean toppedUp;

  /**
   * Last level whose candidates belong to this batch; beyond all levels if the scheme ignores
   * levels.
   */
  private int stage;

  ParallelSearch(LookupState state, LookupContext context, LookupContext.PerThread share) {
    this.state = state;
    this.share = share;
    this.context = context;
    this.reader = context.reader();
    this.times = context.times();
    this.fixedWidth = context.width();
    state.readAlone(spare);
  }

  /** Returns the second table lookup, for counting the blocks that it has read. */
  TableLookup spare() {
    return spare;
  }

  /**
   * Finds the newest entry of the lookup state's key.
   *
   * @param by search scheme
   * @param fromLevel level of the first run not searched yet
   * @param fromRun index of that run in its level
   * @param fromSlice index in its segment of the first slice not searched yet
   * @return whether there is one; the lookup state's table lookup then holds it
   * @throws io.coppice.base.CorruptionException if a candidate that decides is damaged
   */
  boolean find(
      FamilyReader source,
      Version version,
      SearchScheme by,
      int fromLevel,
      int fromRun,
      int fromSlice) {
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
        state, source.tables(), source.requests(), version, fromLevel, fromRun, fromSlice);
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

  /**
   * Returns whether older candidates may still matter: no candidate has the key yet, and some are
   * left.
   */
  private boolean mayFindMore() {
    return end == NONE && !exhausted;
  }

  /** Returns whether older candidates may still matter and fit in this round. */
  private boolean othersJoin() {
    return mayFindMore() && !candidates.full();
  }

  /** Waits for the newest of some reads and returns it. */
  private int next(ReadBatch from, long any) {
    long newest = Long.lowestOneBit(any);
    if ((ended & newest) == 0) {
      int atOnce = together(Long.bitCount(any), reader.inFlight());
      long several = newestOf(any, atOnce);
      from.awaitAll(several);
      ended |= several;
      if (toLearn) {
        times.learn(others, atOnce, context.nanoTime() - begun);
        toLearn = false;
      }
    }
    return Long.numberOfTrailingZeros(newest);
  }

  /**
   * Returns the number of open reads to wait for together, before the next ones are searched.
   *
   * @param reads number of open reads, 1 or more
   * @param inFlight reads in flight of all threads
   */
  static int together(int reads, int inFlight) {
    // A busy device completes them in quick succession. With an idle one, half of them are searched
    // while the others arrive.
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
    if (state.requestedGroup == 0) {
      state.requestedGroup = end == NONE ? candidates.group() : candidates.groupUpTo(end);
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

  /** Collects candidates until enough reads are open, and starts these reads. */
  private void issue() {
    if (open == 0 && coldOnes == 0 && candidates.full() && end == NONE) {
      forgetReads();
      candidates.nextRound();
    }
    int atOnce = limit();
    int limit = atOnce - Long.bitCount(open);
    // A few reads after a full batch would take as long as a whole batch. One candidate more than
    // fits shows whether they are few.
    int rest = toppedUp ? atOnce / REST_SHARE : 0;
    int most = limit + rest;
    while (coldOnes < (rest > 0 ? most + 1 : most) && othersJoin() && addCandidate()) {
      assert coldOnes <= candidates.size();
    }
    int count = Math.min(coldOnes, othersJoin() || coldOnes > most ? limit : most);
    if (count == 1 && open == 0) {
      // A batch of one gains nothing over a read by the thread itself.
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
      times.learn(others, 1, context.nanoTime() - begun);
    } else if (count > 0) {
      request(count);
      forgetCold(count);
    }
  }

  private void begin(int own) {
    others = reader.inFlight();
    times.began(own);
    begun = context.nanoTime();
  }

  /** Removes the first {@code first} of the candidates that still have to be read. */
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

  /** Collects the next candidate. Returns false if this batch gets no more. */
  private boolean addCandidate() {
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
    if (block < 0 || candidates.table(found).likelyInMemory(block)) {
      search(found);
    } else {
      cold[coldOnes++] = found;
    }
    return true;
  }

  /** Starts the reads of the first {@code count} candidates that still have to be read. */
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

  /** Searches the block of a candidate: from memory, or by a read in this thread. */
  private void search(int candidate) {
    Table table = candidates.table(candidate);
    int block = candidates.block(candidate);
    try {
      boolean found = block >= 0 && table.get(unused(), block, state.key);
      searched(candidate, found);
    } catch (RuntimeException e) {
      endAt(candidate, e);
    }
  }

  /** Searches the block of a completed read for the key. */
  private void take(int read) {
    open &= ~(1L << read);
    taken++;
    needed++;
    int candidate = candidateOf[read];
    Table table = candidates.table(candidate);
    try {
      boolean found = table.get(unused(), candidates.block(candidate), batch, read, state.key);
      searched(candidate, found);
    } catch (RuntimeException e) {
      endAt(candidate, e);
    }
  }

  /** Returns the table lookup that does not hold the end. */
  private TableLookup unused() {
    return end == NONE ? state.lookup : spare;
  }

  private void searched(int candidate, boolean found) {
    state.searched(candidates.table(candidate), found);
    if (found) {
      if (end != NONE) {
        TableLookup other = state.lookup;
        state.lookup = spare;
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

  /** Returns the reads of all candidates newer than the given one, as one bit each. */
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
