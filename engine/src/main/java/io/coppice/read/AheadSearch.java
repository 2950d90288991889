// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.base.SearchScheme;
import io.coppice.manifest.Run;
import io.coppice.manifest.Segment;
import io.coppice.manifest.Slice;
import io.coppice.manifest.Version;
import io.coppice.table.BlocksAhead;
import io.coppice.table.Table;
import java.util.List;

/**
 * Reads blocks at once that a search of one block after the other will come to: the candidates of
 * one key in the order of age, or those of many keys in one run. The search itself stays as it is,
 * and so do its answers. Used again and again by one thread.
 */
final class AheadSearch {

  private static final int MIN_WIDTH = 2;

  /** After so many looks in vain only one in as many is taken; a power of two. */
  private static final int MANY_IN_VAIN = 8;

  private final Search search;
  private final Searching searching;
  private final Candidates candidates = new Candidates();
  private final BlocksAhead blocks = new BlocksAhead();
  private boolean active;
  private boolean exhausted;

  /** Times in a row that all that was looked at for many keys was at hand. */
  private int inVain;

  private int passedOver;
  private SearchWidth width;

  AheadSearch(Search search, Searching searching) {
    this.search = search;
    this.searching = searching;
  }

  /** Begins for the key that the search has; with {@link SearchScheme#SERIAL} it does nothing. */
  void begin(Reader reader, Version version) {
    begin();
    if (active) {
      exhausted = false;
      width = reader.width();
      candidates.begin(search, reader.tables(), reader.requests(), version, 0, 0, 0);
    }
  }

  /** Begins for many keys. */
  void begin() {
    active = !search.alone && searching.scheme() != SearchScheme.SERIAL;
    if (active) {
      search.lookup.takeFrom(blocks);
    }
  }

  /** Says that a block will be asked for now; reads it with those that come behind it. */
  void need(Table table, int block) {
    if (active && block >= 0 && !exhausted && !blocks.holds(table, block) && !table.atHand(block)) {
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
      // The search itself will come to that table, unless its answer is in front of it.
      exhausted = true;
    }
    searching.times().began(Math.max(1, blocks.size()));
    blocks.request(search.batch());
  }

  private int most() {
    if (searching.scheme() == SearchScheme.FIXED_COUNT) {
      return searching.width();
    }
    return searching.scheme() == SearchScheme.PRIORITY_AWARE
        ? ParallelSearch.STAGE_READS
        : Math.max(MIN_WIDTH, width.choose(searching.reader().inFlight(), searching.times()));
  }

  private void add(Table table, int block) {
    if (block >= 0 && !table.atHand(block)) {
      blocks.add(table, block);
    }
  }

  /** False if looking at what many keys need would probably be in vain. */
  boolean isDue() {
    return active && (inVain < MANY_IN_VAIN || (++passedOver & (MANY_IN_VAIN - 1)) == 0);
  }

  /** Adds what the search's key needs of a run, once there is room; false if there is not. */
  boolean add(Reader reader, Run run) {
    if (blocks.full()) {
      return false;
    }
    Segment segment = run.find(search.key, search.offset, search.length);
    if (segment == null) {
      return true;
    }
    List<Slice> slices = segment.slices();
    try {
      for (int i = 0; i < slices.size(); i++) {
        Table table =
            slices
                .get(i)
                .candidate(reader.tables(), search.key, search.offset, search.length, search.hash);
        if (table != null) {
          add(table, table.block(search.key, search.offset, search.length));
        }
      }
    } catch (RuntimeException e) {
      // The search itself will come to that table, unless its answer is in front of it.
      return true;
    }
    return true;
  }

  /** Reads what was added. */
  void request() {
    inVain = blocks.size() == 0 ? inVain + 1 : 0;
    blocks.request(search.batch());
  }

  /** Gives up what was not asked for. */
  void forget() {
    search.count(blocks);
    blocks.clear();
  }

  /** Ends for now: nothing is kept from the collector. */
  void end() {
    if (active) {
      active = false;
      forget();
      search.lookup.takeFrom(null);
      candidates.end();
      width = null;
    }
  }
}
