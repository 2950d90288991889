// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.util.HashSet;
import java.util.Set;
import java.util.function.LongPredicate;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.io.sstable.format.SSTableReader;

/**
 * When a step may purge a tombstone. The law: only if no SSTable that stays live after the step can
 * hold older data of the key. Cassandra's own rule looks at the live SSTables that overlap those
 * being merged, but not at those; which was right as long as all of them vanish together. Of a step
 * only the consumed ones do.
 */
interface PurgeRule {

  /**
   * The law, exactly. To Cassandra's rule both consumed inputs and straddlers are being merged, so
   * that it looks at everything that overlaps any of them; the straddlers' own oldest timestamps
   * are looked at besides.
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
   * The SSTables that Cassandra's rule is told are being merged.
   *
   * @param consumed inputs that leave with the step
   * @param straddlers inputs that stay whole though the step reads a part of them
   * @param later inputs that later steps read
   */
  Set<SSTableReader> merged(
      Set<SSTableReader> consumed, Set<SSTableReader> straddlers, Set<SSTableReader> later);

  /**
   * What may be purged of a key.
   *
   * @param stock what Cassandra's rule says of a tombstone's timestamp
   */
  LongPredicate within(DecoratedKey key, LongPredicate stock, Set<SSTableReader> straddlers);
}
