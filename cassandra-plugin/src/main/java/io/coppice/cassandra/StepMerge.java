// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.compaction.AbstractCompactionStrategy;
import org.apache.cassandra.db.compaction.CompactionHistoryTabularData;
import org.apache.cassandra.db.compaction.CompactionIterator;
import org.apache.cassandra.db.compaction.CompactionManager;
import org.apache.cassandra.db.compaction.CompactionTask;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.ISSTableScanner;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.util.FileUtils;
import org.apache.cassandra.utils.FBUtilities;
import org.apache.cassandra.utils.concurrent.Refs;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One step of a merge: all keys of some inputs up to a cut go into new SSTables, and in the same
 * transaction the inputs that end there leave. Straddlers are read but no part of the transaction.
 * It does for those keys what Cassandra's own task does for all keys, but for the disk check, which
 * decides on the cut and is therefore made before.
 */
final class StepMerge {

  private static final Logger LOGGER = LoggerFactory.getLogger(StepMerge.class);

  // A stop waits for no more than this at the lowest throughput.
  private static final long RATE_SLICE_BYTES = 128 << 10;

  /**
   * What a step is made of.
   *
   * @param claim over the consumed inputs alone, never used before; the step commits it or aborts
   * @param inputs consumed ones and straddlers
   * @param straddlers those of the inputs that end behind the cut; somebody has claimed them
   * @param later inputs of the merge that start behind the cut
   * @param cut the last key of the step
   * @param diskBytes what it reads, with all components
   * @param restBytes what all inputs of the merge have left, uncompressed
   * @param level of the outputs
   * @param tableBytes outputs have about this size
   */
  record Step(
      LifecycleTransaction claim,
      List<MergeInput> inputs,
      Set<SSTableReader> straddlers,
      Set<SSTableReader> later,
      DecoratedKey cut,
      long diskBytes,
      long restBytes,
      int level,
      long tableBytes) {}

  /**
   * What came of it.
   *
   * @param readBytes uncompressed
   * @param diskBytes the same on disk
   */
  record Result(Collection<SSTableReader> outputs, long readBytes, long diskBytes) {}

  private final ColumnFamilyStore cfs;
  private final Chain chain;
  private final PurgeRule rule;
  private final OperationType type;
  private final long gcBefore;

  StepMerge(ColumnFamilyStore cfs, Chain chain, PurgeRule rule, OperationType type, long gcBefore) {
    this.cfs = cfs;
    this.chain = chain;
    this.rule = rule;
    this.type = type;
    this.gcBefore = gcBefore;
  }

  /** Runs the step to its commit. If it throws, nothing has been committed. */
  Result run(Step step, ChainProgress progress) throws IOException {
    Set<SSTableReader> consumed = Set.copyOf(step.claim.originals());
    try (StepController controller =
        new StepController(cfs, rule, consumed, step.straddlers, step.later, gcBefore)) {
      Set<SSTableReader> expired = controller.getFullyExpiredSSTables();
      expired.forEach(step.claim::obsolete);
      List<MergeInput> read =
          step.inputs.stream().filter(input -> !expired.contains(input.sstable())).toList();
      return merge(step, read, controller, progress);
    }
  }

  private Result merge(
      Step step, List<MergeInput> inputs, StepController controller, ChainProgress progress)
      throws IOException {
    long started = System.nanoTime();
    long startedMillis = System.currentTimeMillis();
    Set<SSTableReader> sstables = new HashSet<>();
    inputs.forEach(input -> sstables.add(input.sstable()));
    Set<SSTableReader> consumed = Set.copyOf(step.claim.originals());
    Collection<SSTableReader> outputs;
    long readBytes;
    long diskBytes;
    long[] mergedRows;
    try (Refs<SSTableReader> refs = Refs.ref(sstables);
        AbstractCompactionStrategy.ScannerList scanners = scanners(inputs, step.cut);
        CompactionIterator iterator =
            new CompactionIterator(
                type,
                scanners.scanners,
                controller,
                FBUtilities.nowInSeconds(),
                step.claim.opId())) {
      double length = scanners.scanners.stream().mapToLong(ISSTableScanner::getLengthInBytes).sum();
      diskBytes = scanners.getTotalCompressedSize();
      double ratio = diskBytes / Math.max(1, length);
      progress.stepStarts(iterator, chain.readBytes(), step.restBytes, (long) length, ratio);
      boolean joins = sstables.size() > 1 && scanners.scanners.size() == 1;
      try (StepWriter writer = writer(step, sstables, joins)) {
        copy(iterator, scanners, ratio, writer, controller, progress);
        outputs = writer.finish();
      } finally {
        progress.stepEnds(scanners.getTotalBytesScanned());
        mergedRows = iterator.getMergedRowCounts();
      }
      readBytes = (long) length;
      assert refs.size() == sstables.size();
    }
    try {
      record(step, consumed, outputs, diskBytes, mergedRows, startedMillis, started);
    } catch (RuntimeException e) {
      LOGGER.warn("{}: a step is committed, but not in the history", cfs, e);
    }
    return new Result(outputs, readBytes, diskBytes);
  }

  private void copy(
      CompactionIterator iterator,
      AbstractCompactionStrategy.ScannerList scanners,
      double ratio,
      StepWriter writer,
      StepController controller,
      ChainProgress progress)
      throws IOException {
    var limiter = CompactionManager.instance.getRateLimiter();
    long refreshed = System.nanoTime();
    long paid = 0;
    while (iterator.hasNext()) {
      writer.append(iterator.next());
      long scanned = (long) (scanners.getTotalBytesScanned() * ratio);
      if (scanned - paid >= RATE_SLICE_BYTES) {
        writer.writeBack();
        progress.writingTo(writer.getSStableDirectory().path());
        limiter.acquire((int) Math.min(Integer.MAX_VALUE, scanned - paid));
        paid = scanned;
        if (System.nanoTime() - refreshed > TimeUnit.MINUTES.toNanos(1)) {
          controller.maybeRefreshOverlaps();
          refreshed = System.nanoTime();
        }
      }
    }
  }

  /** One scanner for each run, so that the merge is as wide as it is deep and no wider. */
  private AbstractCompactionStrategy.ScannerList scanners(
      List<MergeInput> inputs, DecoratedKey cut) {
    Map<Long, MergeInput> byId = new HashMap<>();
    List<Outline<DecoratedKey>> outlines = new ArrayList<>();
    for (MergeInput input : inputs) {
      long id = byId.size();
      byId.put(id, input);
      outlines.add(new Outline<>(id, input.first(), input.last(), 0, 0, 0, 0, true));
    }
    List<ISSTableScanner> scanners = new ArrayList<>();
    for (List<Outline<DecoratedKey>> run : ShapeBuilder.colour(outlines)) {
      List<RunScanner.Part> parts =
          run.stream().map(outline -> byId.get(outline.id()).part(cut)).toList();
      scanners.add(new RunScanner(cfs.metadata(), parts));
    }
    return new AbstractCompactionStrategy.ScannerList(scanners);
  }

  /**
   * The writer. Columns, repair state and age come from straddlers too, as a column may be in them
   * alone; positions in the commit log come from the transaction, that is from consumed inputs.
   */
  private StepWriter writer(Step step, Set<SSTableReader> sstables, boolean joins) {
    Set<SSTableReader> all = new HashSet<>(sstables);
    all.addAll(step.later);
    int shards = chain.shards(order -> OutputShards.count(cfs, all, order.tableBytes()));
    // Smaller outputs, made to fit a later round, have the size that was reckoned with.
    int bounds = step.tableBytes < chain.order().tableBytes() ? 0 : shards;
    StepWriter.Cutting cutting =
        OutputShards.cutting(step.level, step.tableBytes, bounds, step.diskBytes, joins);
    return new StepWriter(cfs, step.claim, sstables, cutting, step.diskBytes, chain::expect);
  }

  private void record(
      Step step,
      Set<SSTableReader> consumed,
      Collection<SSTableReader> outputs,
      long readDiskBytes,
      long[] mergedRows,
      long startedMillis,
      long started) {
    long written = SSTableReader.getTotalBytes(outputs);
    String rows =
        CompactionTask.updateCompactionHistory(
            step.claim.opId(),
            cfs.getKeyspaceName(),
            cfs.getTableName(),
            mergedRows,
            readDiskBytes,
            written,
            Map.of(
                CompactionHistoryTabularData.COMPACTION_TYPE_PROPERTY,
                type.type,
                "coppice_merge",
                chain.id().toString(),
                "coppice_step",
                Integer.toString(chain.steps() + 1),
                "coppice_level",
                Integer.toString(step.level),
                "coppice_reason",
                chain.order().reason()));
    LOGGER.info(
        "{}.{}: step {} of merge {} to level {}: {} SSTables consumed, {} straddle, {} to {} in {}"
            + " SSTables, {} ms, partitions by inputs {{}}",
        cfs.getKeyspaceName(),
        cfs.name,
        chain.steps() + 1,
        chain.id(),
        step.level,
        consumed.size(),
        step.straddlers.size(),
        FileUtils.stringifyFileSize(readDiskBytes),
        FileUtils.stringifyFileSize(written),
        outputs.size(),
        TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - started),
        rows);
    cfs.getCompactionStrategyManager()
        .compactionLogger
        .compaction(startedMillis, consumed, System.currentTimeMillis(), outputs);
    cfs.metric.compactionBytesWritten.inc(written);
  }
}
