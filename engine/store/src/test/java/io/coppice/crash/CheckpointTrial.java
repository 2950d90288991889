// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import io.coppice.io.Disk;
import io.coppice.io.DiskImage;
import io.coppice.io.DiskImage.State;
import io.coppice.io.DiskOp;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.io.RecordingDisk;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.UnaryOperator;

/**
 * Cuts the power while a checkpoint is made. One that is there at all shows all; once it was made
 * it is there.
 */
public final class CheckpointTrial extends PowerCutTrial {

  /**
   * Prepares it.
   *
   * @param wrapper wraps the disk of the checkpoint
   */
  public CheckpointTrial(
      UnaryOperator<Disk> wrapper, CrashCoverage coverage, Random random, int statesPerPoint) {
    super(wrapper, coverage, random, statesPerPoint);
  }

  public void run() throws IOException {
    RecordingDisk recorded = new RecordingDisk(new MemDisk(), () -> 0, () -> 0);
    CrashLoad.Trace trace = CrashLoad.SPLIT_FOREST.record(random, wrapper.apply(recorded));
    CrashTrial trial = new CrashTrial(trace, wrapper);
    List<DiskOp> ops = recorded.ops();
    DiskImage image = new DiskImage(Map.of());
    while (true) {
      boolean made = image.applied() == ops.size();
      DiskOp next = made ? null : ops.get(image.applied());
      for (State state : cut(image, next, statesPerPoint)) {
        checkedStates++;
        if (made || state.files().containsKey(FileKind.CURRENT.fileName(0))) {
          trial.checkShows(state.files(), trace.ledger().digest());
          states.add(state.core());
        }
      }
      if (made) {
        return;
      }
      apply(image, next);
    }
  }
}
