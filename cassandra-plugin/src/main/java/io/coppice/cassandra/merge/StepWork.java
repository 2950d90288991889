// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import io.coppice.cassandra.sstable.SSTableInventory;
import io.coppice.cassandra.sstable.SteppedMerge;
import io.coppice.cassandra.state.TableState;
import io.coppice.policy.step.StepPicker;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.apache.cassandra.db.DecoratedKey;
import org.apache.cassandra.db.compaction.OperationType;
import org.apache.cassandra.db.lifecycle.LifecycleTransaction;
import org.apache.cassandra.io.sstable.format.SSTableReader;
import org.apache.cassandra.io.util.FileUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executor of a step that a task has chosen. It also records the outcome in the merge and in the
 * state of the table.
 */
final class StepWork {

  private static final Logger LOGGER = LoggerFactory.getLogger(StepWork.class);

  private final ColumnFamilyStore cfs;
  private final SteppedMerge merge;
  private final MergeTask.Settings settings;
  private final OperationType type;
  private final TableState state;

  StepWork(MergeTask.Job job, OperationType type) {
    this.cfs = job.cfs();
    this.merge = job.merge();
    this.settings = job.settings();
    this.state = job.state();
    this.type = type;
  }

  /**
   * Carries out a step: merges and commits it, then records it. If it throws, nothing has been
   * committed, and the merge still has its inputs and cursors.
   *
   * @param step the step, chosen from the inputs
   * @param outputBytes the size of the outputs of a cut, in bytes on disk
   * @param inputs all remaining inputs of the round
   * @param transaction a claim over the inputs; the consumed ones are split off it
   * @throws org.apache.cassandra.db.compaction.CompactionInterruptedException if the task is
   *     stopped during the step
   */
  void carryOut(
      StepPicker.Step<DecoratedKey> step,
      long outputBytes,
      List<MergeInput> inputs,
      LifecycleTransaction transaction,
      MergeProgress progress)
      throws IOException {
    if (step instanceof StepPicker.Cut<DecoratedKey> cut) {
      merge(inputs, cut, outputBytes, transaction, progress);
    } else if (step instanceof StepPicker.Trim<DecoratedKey> trim) {
      trim(inputs, trim, transaction, progress);
    }
  }

  private void merge(
      List<MergeInput> inputs,
      StepPicker.Cut<DecoratedKey> cut,
      long outputBytes,
      LifecycleTransaction transaction,
      MergeProgress progress)
      throws IOException {
    Set<SSTableReader> consumed = new HashSet<>();
    Set<SSTableReader> straddlers = new HashSet<>();
    Set<SSTableReader> later = new HashSet<>();
    List<MergeInput> read = new ArrayList<>();
    long restLength = 0;
    long freed = 0;
    for (MergeInput input : inputs) {
      restLength += input.restLength();
      if (cut.at().compareTo(input.first()) < 0) {
        later.add(input.sstable());
        continue;
      }
      boolean ends = input.last().compareTo(cut.at()) <= 0;
      (ends ? consumed : straddlers).add(input.sstable());
      freed += ends ? input.bytes() : 0;
      read.add(input);
    }
    try (LifecycleTransaction claim = transaction.split(consumed)) {
      MergeStep.Result result =
          run(
              new MergeStep.Assignment(
                  claim,
                  read,
                  straddlers,
                  later,
                  cut.at(),
                  cut.stepBytes(),
                  restLength,
                  merge.spec().level(),
                  outputBytes),
              progress);
      merge.recordStep(cut.at(), consumed, straddlers, result.outputs(), result.readBytes());
      merge.recordVolume(result.diskBytes(), SSTableReader.getTotalBytes(result.outputs()));
      merge.recordDiskChange(onDisk(result.outputs()), freed);
    }
  }

  private void trim(
      List<MergeInput> inputs,
      StepPicker.Trim<DecoratedKey> trim,
      LifecycleTransaction transaction,
      MergeProgress progress)
      throws IOException {
    MergeInput input = (MergeInput) trim.input();
    SSTableReader sstable = input.sstable();
    Set<SSTableReader> others = new HashSet<>(transaction.originals());
    others.remove(sstable);
    // The rest of the trimmed input counts twice: it is read now, and its outputs are read later.
    long restLength = inputs.stream().mapToLong(MergeInput::restLength).sum() + input.restLength();
    LOGGER.info(
        "{}.{}: merge {} rewrites the rest of {}, {} of {}, to free space",
        cfs.getKeyspaceName(),
        cfs.name,
        merge.id(),
        sstable.descriptor.baseFile(),
        FileUtils.stringifyFileSize(input.restBytes()),
        FileUtils.stringifyFileSize(input.bytes()));
    try (LifecycleTransaction claim = transaction.split(Set.of(sstable))) {
      MergeStep.Result result =
          run(
              new MergeStep.Assignment(
                  claim,
                  List.of(input),
                  Set.of(),
                  others,
                  input.last(),
                  trim.stepBytes(),
                  restLength,
                  SSTableInventory.level(sstable),
                  trim.pieceBytes()),
              progress);
      merge.recordTrim(sstable, result.outputs(), result.readBytes());
      merge.recordDiskChange(onDisk(result.outputs()), input.bytes());
    }
  }

  private static long onDisk(Collection<SSTableReader> sstables) {
    return sstables.stream().mapToLong(SSTableReader::bytesOnDisk).sum();
  }

  private MergeStep.Result run(MergeStep.Assignment assignment, MergeProgress progress)
      throws IOException {
    MergeStepEvent event = new MergeStepEvent();
    event.begin();
    MergeStep.Result result =
        new MergeStep(cfs, merge, settings.rule(), type, settings.gcBefore())
            .run(assignment, progress);
    event.end();
    long written = SSTableReader.getTotalBytes(result.outputs());
    state.counts().countMergeStep(result.diskBytes(), written);
    if (event.shouldCommit()) {
      event.family = state.keyspace() + "." + state.name();
      event.merge = merge.id().toString();
      event.level = assignment.level();
      event.readBytes = result.diskBytes();
      event.writtenBytes = written;
      event.reason = merge.spec().reason();
      event.commit();
    }
    return result;
  }
}
