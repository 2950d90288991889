// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.sstable;

import java.util.HashSet;
import java.util.Set;
import java.util.function.LongPredicate;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.index.Index;
import org.apache.cassandra.index.sai.StorageAttachedIndex;
import org.apache.cassandra.index.sasi.SASIIndex;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * Rule for purging a tombstone in a step: every SSTable that stays live after the step must be free
 * of older data of the key.
 *
 * <p>Cassandra's own rule checks the live SSTables that overlap the merged ones, but not the merged
 * ones themselves. This is correct if all merged SSTables are deleted together. In a step only the
 * consumed inputs are.
 */
public interface PurgeRule {

  /**
   * The rule without approximation. Cassandra's rule is told that both consumed and straddling
   * inputs are merged, so it checks every SSTable that overlaps any of them. In addition, this rule
   * checks the oldest timestamps of the straddling inputs.
   */
  PurgeRule EXACT =
      new PurgeRule() {
        @Override
        public Set<SSTableReader> merged(
            Set<SSTableReader> consumed, Set<SSTableReader> straddlers, Set<SSTableReader> later) {
          Set<SSTableReader> merged = new HashSet<>(consumed);
          merged.addAll(straddlers);
          return merged;
        }

        @Override
        public LongPredicate within(
            DecoratedKey key, LongPredicate stock, Set<SSTableReader> straddlers) {
          long oldest = Long.MAX_VALUE;
          for (SSTableReader straddler : straddlers) {
            if (straddler.getFirst().compareTo(key) <= 0
                && key.compareTo(straddler.getLast()) <= 0
                && straddler.mayContainAssumingKeyIsInRange(key)) {
              oldest = Math.min(oldest, straddler.getMinTimestamp());
            }
          }
          long limit = oldest;
          return limit == Long.MAX_VALUE ? stock : time -> time < limit && stock.test(time);
        }
      };

  /**
   * Returns the SSTables that Cassandra's rule must take for merged.
   *
   * @param consumed inputs that are deleted with the step
   * @param straddlers inputs that stay whole although the step reads a part of them
   * @param later inputs of the merge that the step does not read
   */
  Set<SSTableReader> merged(
      Set<SSTableReader> consumed, Set<SSTableReader> straddlers, Set<SSTableReader> later);

  /**
   * Returns a test whether a tombstone of a key may be purged, given its timestamp in microseconds.
   *
   * @param stock the same test by Cassandra's rule, given what {@link #merged} returns
   * @param straddlers inputs that stay whole although the step reads a part of them
   */
  LongPredicate within(DecoratedKey key, LongPredicate stock, Set<SSTableReader> straddlers);

  /**
   * Returns whether an index keeps entries outside the SSTables and must therefore see each row
   * removed. Later 5.0 releases ask the index: indexes inside SSTables answer no, and all others
   * keep the default answer, yes.
   */
  static boolean indexesWantRows(ColumnFamilyStore cfs) {
    for (Index index : cfs.indexManager.listIndexes()) {
      if (!(index instanceof StorageAttachedIndex) && !(index instanceof SASIIndex)) {
        return true;
      }
    }
    return false;
  }
}
