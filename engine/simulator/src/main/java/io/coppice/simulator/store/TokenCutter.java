// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.simulator.store;

import io.coppice.simulator.keys.ContentModel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.DoubleUnaryOperator;

/**
 * Cutter of contents at bounds of shards, as the Cassandra plugin cuts the outputs of merges and
 * flushes. Ranks stand for tokens. Immutable.
 *
 * @param shards number of shards of equal width into which the ranks are divided; 0 for no bounds
 * @param minBytes an output of at most this size in bytes continues across a bound
 * @param maxBytes largest size of an output in bytes
 * @param positions returns the position of a token in the order of keys, both from 0 to 1
 */
record TokenCutter(int shards, double minBytes, double maxBytes, DoubleUnaryOperator positions) {

  /**
   * Cuts a content into tables that obey the bounds and sizes.
   *
   * @return tables by ascending rank
   */
  <C> List<C> cut(C whole, ContentModel<C> model) {
    List<C> tables = new ArrayList<>();
    int last = model.high(whole);
    int begin = model.low(whole);
    long shard = shards == 0 ? 0 : begin * (long) shards / model.ranks();
    while (shard > 0 && bound(shard, model) > begin) {
      shard--;
    }
    while (true) {
      long bound = shards == 0 ? model.ranks() : bound(++shard, model);
      if (bound <= begin) {
        continue;
      }
      int end = (int) Math.min(last, bound - 1);
      C piece = model.window(whole, begin, end);
      while (piece != null && model.bytes(piece) > maxBytes && begin < end) {
        int cut = endOf(whole, begin, end, model);
        tables.add(model.window(whole, begin, cut));
        begin = cut + 1;
        piece = model.window(whole, begin, end);
      }
      boolean ends = end == last;
      if (piece != null && (ends || model.bytes(piece) > minBytes)) {
        tables.add(piece);
        begin = end + 1;
      }
      if (ends) {
        return tables;
      }
    }
  }

  /** Returns the first rank of a shard. */
  private long bound(long shard, ContentModel<?> model) {
    double token = (double) shard / shards;
    return (long) Math.ceil(positions.applyAsDouble(token) * model.ranks());
  }

  /** Returns the lowest rank, below {@code end}, where an output reaches the largest size. */
  private <C> int endOf(C whole, int begin, int end, ContentModel<C> model) {
    int low = begin;
    int high = end - 1;
    while (low < high) {
      int middle = (low + high) >>> 1;
      C part = model.window(whole, begin, middle);
      if (part != null && model.bytes(part) >= maxBytes) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    // A content whose first key is the last rank of the window has no smaller part.
    return model.window(whole, begin, low) == null ? end : low;
  }
}
