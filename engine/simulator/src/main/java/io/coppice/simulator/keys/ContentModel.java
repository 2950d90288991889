// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.keys;

import java.util.List;

/**
 * Content of tables at one fidelity, and the load that fills them. The key range is divided into
 * {@link #ranks()} equal positions, the ranks that policies see. Contents are immutable values.
 * Deterministic; used by one thread.
 *
 * @param <C> content of a table or of a part of one, never empty
 */
public interface ContentModel<C> {

  /**
   * Continues the load until a memtable is full or the load ends, and writes that memtable.
   *
   * @return the memtable cut into tables, by ascending key; empty at the end of the load
   */
  List<C> flush();

  /** Returns the number of ranks; ranks start at 0. */
  long ranks();

  /**
   * Returns the number of entries written by the user up to the last flush, counting overwrites.
   */
  long userEntries();

  /** Returns the number of distinct keys that the user has written and not deleted. */
  double liveEntries();

  /**
   * Merges contents, each key once and with its newest entry.
   *
   * @param newestFirst contents run by run, newest run first; within a run by ascending key if they
   *     are disjoint
   * @param older ranks with older data outside of the inputs; deletions at other ranks are dropped
   * @return tables cut at the table size, by ascending key; empty if only such deletions are left
   */
  List<C> merge(List<C> newestFirst, OlderRanks older);

  /**
   * Merges contents like {@link #merge}, but into one content of any size.
   *
   * @return null if only deletions without older data are left
   */
  C union(List<C> newestFirst, OlderRanks older);

  /**
   * Returns the peak growth of the disk by a merge of real tables, in bytes; by default that of the
   * simulated merge.
   *
   * @param simulatedBytes peak growth with tables of the model's size
   * @param runs number of merged runs
   * @param cleaningThreshold threshold of the plan; 0 if inputs are released only at the end
   */
  default long peakBytes(long simulatedBytes, int runs, int cleaningThreshold) {
    return simulatedBytes;
  }

  /** Returns the part of a content between two ranks, both inclusive; null if the part is empty. */
  C window(C content, int low, int high);

  /** Returns the rank of the smallest key. */
  int low(C content);

  /** Returns the rank of the largest key. */
  int high(C content);

  /** Returns the number of entries, deletions included. */
  double entries(C content);

  /** Returns the number of deletions. */
  default double deletions(C content) {
    return 0;
  }

  /** Returns the number of older entries that the deletions hide: by default one each. */
  default double hidden(C content) {
    return deletions(content);
  }

  /** Returns the bytes on disk of a content. */
  long bytes(C content);

  /**
   * Returns ranks that cut the contents into parts of about equal bytes, each rank the last of its
   * part. A key in several contents counts several times.
   *
   * @param parts number of parts, at least 1
   * @return strictly ascending, at most {@code parts - 1}, all below the largest rank
   */
  int[] cuts(List<C> contents, int parts);

  /**
   * Draws the rank of a key to look up, with the probabilities of the load, and starts the lookup
   * that {@link #finds} continues.
   */
  int lookup();

  /**
   * Returns whether the lookup of the last drawn rank ends in this content, because it has the key.
   *
   * @param content contents that cover the rank, from one call to the next newest first
   */
  boolean finds(C content, int rank);
}
