// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.base.SearchScheme;
import io.coppice.read.stats.SearchWidth;
import io.coppice.table.BlockPrefetch;
import io.coppice.table.Table;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import io.coppice.version.Version;
import java.util.List;

/**
 * Prefetch for searches that read one block after another: it reads several blocks at once that the
 * search will need. They are the candidates of one key from newest to oldest, or those of many keys
 * in one run. The search itself and its results stay the same. Reused by one thread.
 */
final class LookupPrefetcher {

  private static final int MIN_WIDTH = 2;

  /**
   * Number of useless prefetches in a row after which only one in as many is tried; a power of two.
   */
  private static final int MANY_USELESS = 8;

  private final LookupState state;
  private final LookupContext context;
  private final CandidateTables candidates = new CandidateTables();
  private final BlockPrefetch blocks = new BlockPrefetch();
  private boolean active;
  private boolean exhausted;

  /** Prefetches for many keys in a row that found every block in memory. */
  private int useless;

  private int passedOver;
  private SearchWidth width;

  LookupPrefetcher(LookupState state, LookupContext context) {
    this.state = state;
    this.context = context;
  }

  /**
   * Begins a prefetch for the key of the lookup state. Does nothing with {@link
   * SearchScheme#SERIAL}.
   */
  void begin(FamilyReader reader, Version version) {
    begin();
    if (active) {
      exhausted = false;
      width = reader.width();
      candidates.begin(state, reader.tables(), reader.requests(), version, 0, 0, 0);
    }
  }

  /** Begins a prefetch for many keys. */
  void begin() {
    active = !state.mayShareBatch && context.scheme() != SearchScheme.SERIAL;
    if (active) {
      state.lookup.takeFrom(blocks);
    }
  }

  /**
   * Announces a block that the search reads next; starts its read together with those that follow.
   * Does not wait.
   */
  void need(Table table, int block) {
    if (active
        && block >= 0
        && !exhausted
        && !blocks.holds(table, block)
        && !table.likelyInMemory(block)) {
      fill();
    }
  }

  private void fill() {
    int most = most();
    forget();
    candidates.nextRound();
    try {
      while (blocks.size() < most && !candidates.full()) {
        if (!candidates.advance(Integer.MAX_VALUE)) {
          exhausted = true;
          break;
        }
        add(candidates.table(candidates.size() - 1), candidates.block(candidates.size() - 1));
      }
    } catch (RuntimeException e) {
      // The search itself reaches that table, unless it finds its result before.
      exhausted = true;
    }
    context.times().began(Math.max(1, blocks.size()));
    blocks.request(state.batch());
  }

  private int most() {
    if (context.scheme() == SearchScheme.FIXED_COUNT) {
      return context.width();
    }
    return context.scheme() == SearchScheme.PRIORITY_AWARE
        ? ParallelSearch.STAGE_READS
        : Math.max(MIN_WIDTH, width.choose(context.reader().inFlight(), context.times()));
  }

  private void add(Table table, int block) {
    if (block >= 0 && !table.likelyInMemory(block)) {
      blocks.add(table, block);
    }
  }

  /** Returns whether a prefetch for many keys is likely to be useful. Called once for each run. */
  boolean isDue() {
    return active && (useless < MANY_USELESS || (++passedOver & (MANY_USELESS - 1)) == 0);
  }

  /**
   * Adds the blocks of a run that the search's key needs. Returns false, and adds none, if the
   * prefetch is full.
   */
  boolean add(FamilyReader reader, Run run) {
    if (blocks.full()) {
      return false;
    }
    Segment segment = run.find(state.key);
    if (segment == null) {
      return true;
    }
    List<Slice> slices = segment.slices();
    try {
      for (int i = 0; i < slices.size(); i++) {
        Table table = slices.get(i).candidate(reader.tables(), state.key);
        if (table != null) {
          add(table, table.block(state.key));
        }
      }
    } catch (RuntimeException e) {
      // The search itself reaches that table, unless it finds its result before.
      return true;
    }
    return true;
  }

  /** Starts the reads of the added blocks together, and does not wait. */
  void request() {
    useless = blocks.size() == 0 ? useless + 1 : 0;
    blocks.request(state.batch());
  }

  /** Discards the prefetched blocks that were not used. */
  void forget() {
    state.count(blocks);
    blocks.clear();
  }

  /** Ends the prefetch and drops all references. */
  void end() {
    if (active) {
      active = false;
      forget();
      state.lookup.takeFrom(null);
      candidates.end();
      width = null;
    }
  }
}
