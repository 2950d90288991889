// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import io.coppice.cassandra.sstable.PurgeRule;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongPredicate;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.compaction.CompactionController;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.utils.concurrent.Refs;

/**
 * Controller of a step: it decides which tombstones and fully expired SSTables the outputs leave
 * out.
 */
final class StepController extends CompactionController {

  private final PurgeRule rule;
  private final Set<SSTableReader> consumed;
  private final Set<SSTableReader> straddlers;

  /**
   * Creates a controller, which holds references to the overlapping SSTables until the caller
   * closes it.
   */
  StepController(
      ColumnFamilyStore cfs,
      PurgeRule rule,
      Set<SSTableReader> consumed,
      Set<SSTableReader> straddlers,
      Set<SSTableReader> later,
      long gcBefore) {
    super(cfs, rule.merged(consumed, straddlers, later), gcBefore);
    this.rule = rule;
    this.consumed = Set.copyOf(consumed);
    this.straddlers = Set.copyOf(straddlers);
  }

  @Override
  public LongPredicate getPurgeEvaluator(DecoratedKey key) {
    return rule.within(key, super.getPurgeEvaluator(key), straddlers);
  }

  /**
   * Returns the consumed inputs that contain only expired data and hide no data that stays.
   * Straddling inputs and inputs of later steps stay: they are live and may overlap.
   *
   * <p>Returns none if an index must see each row removed; the step then merges these inputs, which
   * notifies the index.
   */
  @Override
  public Set<SSTableReader> getFullyExpiredSSTables() {
    if (PurgeRule.indexesWantRows(cfs)) {
      return Set.of();
    }
    try (Refs<SSTableReader> overlapping = cfs.getAndReferenceOverlappingLiveSSTables(consumed)) {
      Set<SSTableReader> staying = new HashSet<>(overlapping);
      staying.addAll(straddlers);
      return getFullyExpiredSSTables(cfs, consumed, staying, gcBefore, false);
    }
  }
}
