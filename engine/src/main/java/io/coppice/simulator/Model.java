// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator;

import java.util.List;

/**
 * What tables hold, at one fidelity, and the load that fills them. The key range is divided into
 * {@link #ranks()} equal places, which are the ranks that policies see. Contents are values: no
 * method changes one. Deterministic; used by one thread.
 *
 * @param <C> the content of a table or of a part of one, never empty
 */
interface Model<C> {

  /**
   * Writes the load on until a memtable is full or the load is over.
   *
   * @return the memtable cut into tables, by ascending key; empty when the load is over
   */
  List<C> flush();

  /** The ranks of the whole key range are 0 to this, exclusive. */
  long ranks();

  /** Entries that the user has written so far, overwrites counted again. */
  long userEntries();

  /** Distinct keys among them. */
  double liveEntries();

  /**
   * One content out of several, each key once.
   *
   * @param newestFirst run by run, the newest run first; inside a run by ascending key where they
   *     lie apart
   * @return tables cut at the table size, by ascending key
   */
  List<C> merge(List<C> newestFirst);

  /**
   * By how much a merge fills the disk at its fullest instant.
   *
   * @param simulatedBytes by how much it does with tables as large as the model's
   * @param runs that it merges
   * @param cleaningThreshold of its plan
   */
  default long peakBytes(long simulatedBytes, int runs, int cleaningThreshold) {
    return simulatedBytes;
  }

  /** The part between two ranks, both inclusive; null if nothing lies there. */
  C window(C content, int low, int high);

  /** The rank of the smallest key. */
  int low(C content);

  /** The rank of the largest key. */
  int high(C content);

  /** Entries inside. */
  double entries(C content);

  /** Bytes on disk. */
  long bytes(C content);

  /**
   * Ranks that cut the union of contents into parts of about equal bytes: each is the last of its
   * part.
   *
   * @param parts at least 1
   * @return strictly ascending, at most {@code parts - 1}, all below the largest rank
   */
  int[] cuts(List<C> contents, int parts);

  /** The rank of a key to look up, drawn as the load draws. */
  int lookup();

  /** True if a lookup of the rank ends in this content. */
  boolean finds(C content, int rank);
}
