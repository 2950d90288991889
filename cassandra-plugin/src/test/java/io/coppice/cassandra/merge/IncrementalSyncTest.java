// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.merge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.apache.cassandra.io.FSWriteError;
import org.apache.cassandra.io.util.File;
import org.junit.jupiter.api.Test;

final class IncrementalSyncTest {

  private static final long SLICE_BYTES = 100;

  private final File first = new File("first-Data.db");
  private final File second = new File("second-Data.db");

  private final Queue<Runnable> queued = new ArrayDeque<>();
  private final List<String> synced = new ArrayList<>();
  private boolean fails;

  private final IncrementalSync writeback =
      new IncrementalSync(
          SLICE_BYTES,
          queued::add,
          file -> {
            if (fails) {
              throw new FSWriteError(new IOException("no such luck"), file);
            }
            synced.add(file.name());
          });

  private void runQueued() {
    while (!queued.isEmpty()) {
      queued.poll().run();
    }
  }

  @Test
  void syncsOnceEnoughHasBeenWrittenSinceTheLastTime() {
    writeback.wrote(first, SLICE_BYTES - 1);
    assertThat(queued).isEmpty();
    writeback.wrote(first, SLICE_BYTES);
    runQueued();
    writeback.wrote(first, 2 * SLICE_BYTES - 1);
    assertThat(queued).isEmpty();
    writeback.wrote(first, 2 * SLICE_BYTES);
    runQueued();
    assertThat(synced).containsExactly("first-Data.db", "first-Data.db");
  }

  @Test
  void addsNoneWhileOneIsUnderWayAndThenTakesAllTogether() {
    writeback.wrote(first, SLICE_BYTES);
    writeback.wrote(first, 2 * SLICE_BYTES);
    writeback.wrote(first, 5 * SLICE_BYTES);
    assertThat(queued).hasSize(1);
    runQueued();
    writeback.wrote(first, 5 * SLICE_BYTES + 1);
    assertThat(queued).hasSize(1);
    runQueued();
    writeback.wrote(first, 6 * SLICE_BYTES);
    assertThat(queued).isEmpty();
  }

  @Test
  void countsEachFileFromItsStart() {
    writeback.wrote(first, 3 * SLICE_BYTES);
    runQueued();
    writeback.wrote(second, SLICE_BYTES - 1);
    assertThat(queued).isEmpty();
    writeback.wrote(second, SLICE_BYTES);
    runQueued();
    assertThat(synced).containsExactly("first-Data.db", "second-Data.db");
  }

  @Test
  void aFailureReachesTheStepHoweverLateItAsks() {
    fails = true;
    writeback.wrote(first, SLICE_BYTES);
    runQueued();
    assertThatThrownBy(() -> writeback.wrote(second, SLICE_BYTES))
        .isInstanceOf(FSWriteError.class)
        .extracting("path")
        .asString()
        .endsWith("first-Data.db");
    assertThatThrownBy(writeback::await).isInstanceOf(FSWriteError.class);
    assertThat(queued).isEmpty();
    writeback.settle();
  }

  @Test
  void waitsForOneOfAFileThatIsNoLongerWritten() {
    writeback.wrote(first, SLICE_BYTES);
    writeback.wrote(second, SLICE_BYTES);
    assertThat(queued).as("one at a time").hasSize(1);
    CompletableFuture<Void> waits = CompletableFuture.runAsync(writeback::await);
    assertThat(waits).isNotDone();
    runQueued();
    waits.join();
    assertThat(synced).containsExactly("first-Data.db");
  }
}
