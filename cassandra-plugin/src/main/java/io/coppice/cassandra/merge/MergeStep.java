// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import io.coppice.cassandra.sstable.PurgeRule;
import io.coppice.cassandra.sstable.RunScanner;
import io.coppice.cassandra.sstable.SteppedMerge;
import io.coppice.policy.step.DisjointRuns;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
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
import org.apache.cassandra.utils.FBUtilities;
import org.apache.cassandra.utils.concurrent.Refs;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One step of a merge: a transaction that writes all keys of some inputs up to a cut into new
 * SSTables and removes the inputs that end there.
 *
 * <p>Straddling inputs are read but take no part in the transaction. For the keys up to the cut,
 * the step does everything that Cassandra's own task does, except the disk check. The free space
 * determines the cut, so {@link StepSpaceReservation} has checked it before. Used by one thread.
 */
final class MergeStep {

  private static final Logger LOGGER = LoggerFactory.getLogger(MergeStep.class);

  // Bytes between two checks for a stop: few, so that a stop is noticed even at the lowest
  // throughput.
  private static final long RATE_SLICE_BYTES = 128 << 10;

  /**
   * Inputs and limits of a step.
   *
   * @param claim claim over the consumed inputs alone, not used before; the step commits or aborts
   *     it
   * @param inputs the consumed and the straddling inputs
   * @param straddlers the inputs that end after the cut; the caller has claimed them
   * @param later inputs of the merge that the step does not read
   * @param cut the last key of the step, inclusive
   * @param componentBytes bytes on disk that the step reads, with all components
   * @param restLength uncompressed bytes that all inputs of the merge have left
   * @param level the level of the outputs
   * @param tableBytes the approximate size of an output in bytes on disk
   */
  record Assignment(
      LifecycleTransaction claim,
      List<MergeInput> inputs,
      Set<SSTableReader> straddlers,
      Set<SSTableReader> later,
      DecoratedKey cut,
      long componentBytes,
      long restLength,
      int level,
      long tableBytes) {}

  /**
   * Outcome of a committed step.
   *
   * @param outputs the new SSTables, which are live; empty if nothing was left to write
   * @param readBytes bytes read, uncompressed
   * @param diskBytes compressed bytes read, data files alone
   */
  record Result(Collection<SSTableReader> outputs, long readBytes, long diskBytes) {}

  private final ColumnFamilyStore cfs;
  private final SteppedMerge merge;
  private final PurgeRule rule;
  private final OperationType type;
  private final long gcBefore;

  MergeStep(
      ColumnFamilyStore cfs,
      SteppedMerge merge,
      PurgeRule rule,
      OperationType type,
      long gcBefore) {
    this.cfs = cfs;
    this.merge = merge;
    this.rule = rule;
    this.type = type;
    this.gcBefore = gcBefore;
  }

  /**
   * Runs the step up to and including its commit. If it throws, nothing has been committed. A
   * damaged file appears as Cassandra's {@code CorruptSSTableException}, a disk error as {@code
   * FSError}.
   *
   * @throws org.apache.cassandra.db.compaction.CompactionInterruptedException if the task is
   *     stopped during the step
   */
  Result run(Assignment assignment, MergeProgress progress) throws IOException {
    Set<SSTableReader> consumed = Set.copyOf(assignment.claim.originals());
    try (StepController controller =
        new StepController(
            cfs, rule, consumed, assignment.straddlers, assignment.later, gcBefore)) {
      Set<SSTableReader> expired = controller.getFullyExpiredSSTables();
      expired.forEach(assignment.claim::obsolete);
      List<MergeInput> read =
          assignment.inputs.stream().filter(input -> !expired.contains(input.sstable())).toList();
      return merge(assignment, read, controller, progress);
    }
  }

  private Result merge(
      Assignment assignment,
      List<MergeInput> inputs,
      StepController controller,
      MergeProgress progress)
      throws IOException {
    long started = System.nanoTime();
    long startedMillis = System.currentTimeMillis();
    Set<SSTableReader> sstables = new HashSet<>();
    inputs.forEach(input -> sstables.add(input.sstable()));
    Set<SSTableReader> consumed = Set.copyOf(assignment.claim.originals());
    Collection<SSTableReader> outputs;
    long readBytes;
    long diskBytes;
    long sourceRows;
    long[] mergedRows;
    long copied;
    long partitions;
    try (Refs<SSTableReader> refs = Refs.ref(sstables);
        AbstractCompactionStrategy.ScannerList scanners = scanners(inputs, assignment.cut);
        CompactionIterator iterator =
            new CompactionIterator(
                type,
                scanners.scanners,
                controller,
                FBUtilities.nowInSeconds(),
                assignment.claim.opId())) {
      double length = scanners.scanners.stream().mapToLong(ISSTableScanner::getLengthInBytes).sum();
      diskBytes = scanners.getTotalCompressedSize();
      double ratio = diskBytes / Math.max(1, length);
      progress.stepStarts(iterator, merge.readBytes(), assignment.restLength, (long) length, ratio);
      boolean joins = sstables.size() > 1 && scanners.scanners.size() == 1;
      try (StepWriter writer = writer(assignment, sstables, joins)) {
        partitions = copy(iterator, scanners, ratio, writer, controller, progress);
        copied = System.nanoTime() - started;
        // Commits. Cassandra unlinks the consumed files once the last reference is gone, on its own
        // thread.
        outputs = writer.finish();
      } finally {
        progress.stepEnds(scanners.getTotalBytesScanned());
        mergedRows = iterator.getMergedRowCounts();
      }
      sourceRows = iterator.getTotalSourceCQLRows();
      readBytes = (long) length;
      assert refs.size() == sstables.size();
    }
    try {
      record(
          new Done(
              assignment,
              consumed,
              sstables,
              outputs,
              diskBytes,
              mergedRows,
              partitions,
              sourceRows,
              copied,
              System.nanoTime() - started),
          startedMillis);
    } catch (RuntimeException e) {
      LOGGER.warn("{}: a merge step is durable, but system.compaction_history lacks it", cfs, e);
    }
    return new Result(outputs, readBytes, diskBytes);
  }

  /** Copies all partitions at the configured throughput and returns their number. */
  private long copy(
      CompactionIterator iterator,
      AbstractCompactionStrategy.ScannerList scanners,
      double ratio,
      StepWriter writer,
      StepController controller,
      MergeProgress progress)
      throws IOException {
    var limiter = CompactionManager.instance.getRateLimiter();
    long refreshed = System.nanoTime();
    long paid = 0;
    long partitions = 0;
    while (iterator.hasNext()) {
      if (writer.append(iterator.next())) {
        partitions++;
      }
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
    return partitions;
  }

  /**
   * Returns one scanner per run of the inputs, from the cursor of each input to the cut. Fewer
   * scanners need fewer buffers.
   */
  private AbstractCompactionStrategy.ScannerList scanners(
      List<MergeInput> inputs, DecoratedKey cut) {
    List<ISSTableScanner> scanners = new ArrayList<>();
    for (List<MergeInput> run : DisjointRuns.of(inputs, MergeInput::first, MergeInput::last)) {
      List<RunScanner.Part> parts = run.stream().map(input -> input.part(cut)).toList();
      scanners.add(new RunScanner(cfs.metadata(), parts));
    }
    return new AbstractCompactionStrategy.ScannerList(scanners);
  }

  /**
   * Returns the writer of a step's outputs. It takes columns, repair state and timestamps from
   * straddling inputs too, because a column may occur there alone. Commit log positions come from
   * the transaction, that is, from the consumed inputs.
   */
  private StepWriter writer(Assignment assignment, Set<SSTableReader> sstables, boolean joins) {
    Set<SSTableReader> all = new HashSet<>(sstables);
    all.addAll(assignment.later);
    int shards = merge.shards(spec -> OutputShards.count(cfs, all, spec.tableBytes()));
    // Outputs that are smaller, to fit a later round, must have exactly the computed size.
    int bounds = assignment.tableBytes < merge.spec().tableBytes() ? 0 : shards;
    StepWriter.Cutting cutting =
        OutputShards.cutting(
            assignment.level, assignment.tableBytes, bounds, assignment.componentBytes, joins);
    return new StepWriter(
        cfs, assignment.claim, sstables, cutting, assignment.componentBytes, merge::expect);
  }

  /**
   * Committed step, as the history and the log report it.
   *
   * @param read the consumed and the straddling inputs
   * @param readBytes compressed bytes read, data files alone
   * @param mergedRows the number of partitions that came from one input, from two inputs, and so on
   */
  private record Done(
      Assignment assignment,
      Set<SSTableReader> consumed,
      Set<SSTableReader> read,
      Collection<SSTableReader> outputs,
      long readBytes,
      long[] mergedRows,
      long partitions,
      long sourceRows,
      long copyNanos,
      long nanos) {

    long written() {
      return SSTableReader.getTotalBytes(outputs);
    }
  }

  private void record(Done done, long startedMillis) {
    long written = done.written();
    String rows =
        CompactionTask.updateCompactionHistory(
            done.assignment.claim.opId(),
            cfs.getKeyspaceName(),
            cfs.getTableName(),
            done.mergedRows,
            done.readBytes,
            written,
            Map.of(
                CompactionHistoryTabularData.COMPACTION_TYPE_PROPERTY,
                type.type,
                "coppice_merge",
                merge.id().toString(),
                "coppice_step",
                Integer.toString(merge.steps() + 1),
                "coppice_level",
                Integer.toString(done.assignment.level),
                "coppice_reason",
                merge.spec().reason()));
    LOGGER.info("{}", line(done, rows));
    cfs.getCompactionStrategyManager()
        .compactionLogger
        .compaction(startedMillis, done.consumed, System.currentTimeMillis(), done.outputs);
    cfs.metric.compactionBytesWritten.inc(written);
  }

  /**
   * Returns the log line of Cassandra's own task, which tools parse, followed by the details of the
   * step.
   */
  private String line(Done done, String rows) {
    long written = done.written();
    long partitions = 0;
    for (int i = 0; i < done.mergedRows.length; i++) {
      partitions += done.mergedRows[i] * (i + 1);
    }
    Set<SSTableReader> consumed = new HashSet<>(done.consumed);
    Set<SSTableReader> straddlers = new HashSet<>(done.read);
    straddlers.removeAll(consumed);
    return String.format(
        Locale.ROOT,
        "Compacted (%s) %d sstables to [%s] to level=%d.  %s to %s (~%d%% of original) in %,dms."
            + "  Read Throughput = %s, Write Throughput = %s, Row Throughput = ~%,d/s.  %,d total"
            + " partitions merged to %,d.  Partition merge counts were {%s}. Time spent writing"
            + " keys = %,dms. Step %d of merge %s of %s.%s consumed [%s]%s",
        done.assignment.claim.opId(),
        done.consumed.size(),
        names(done.outputs),
        done.assignment.level,
        FBUtilities.prettyPrintMemory(done.readBytes),
        FBUtilities.prettyPrintMemory(written),
        done.readBytes == 0 ? 0 : 100 * written / done.readBytes,
        TimeUnit.NANOSECONDS.toMillis(done.nanos),
        FBUtilities.prettyPrintMemoryPerSecond(done.readBytes, done.nanos),
        FBUtilities.prettyPrintMemoryPerSecond(written, done.nanos),
        done.sourceRows * 1000 / (TimeUnit.NANOSECONDS.toMillis(done.nanos) + 1),
        partitions,
        done.partitions,
        rows,
        TimeUnit.NANOSECONDS.toMillis(done.copyNanos),
        merge.steps() + 1,
        merge.id(),
        cfs.getKeyspaceName(),
        cfs.name,
        names(consumed),
        straddlers.isEmpty() ? "" : " and a part of [" + names(straddlers) + "]");
  }

  private static String names(Collection<SSTableReader> sstables) {
    StringBuilder names = new StringBuilder();
    for (SSTableReader sstable : sstables) {
      names.append(sstable.descriptor.baseFile()).append(',');
    }
    return names.toString();
  }
}
