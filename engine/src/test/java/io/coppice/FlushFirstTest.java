// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.io.MemDisk;
import io.coppice.io.TapDisk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Merges let a flush go first where processors are short and level 0 is. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FlushFirstTest {

  /** So many that processors are short but on the largest machines. */
  private static final int SLOTS = 16;

  private volatile Store store;

  /** What merges were told while a flush was under way. */
  private final ConcurrentLinkedQueue<Boolean> told = new ConcurrentLinkedQueue<>();

  private void ask() {
    if (store != null && Thread.currentThread().getName().endsWith("-flush")) {
      told.add(store.parts().flushFirst());
    }
  }

  @Test
  void aFlushGoesFirstWhileLevelZeroIsShort() throws IOException {
    boolean few = Runtime.getRuntime().availableProcessors() < SLOTS + 2;
    StoreOptions options =
        StoreOptions.builder().policy("split-forest,fanout=4").mergeSlots(SLOTS).build();
    try (Store opened = Store.open(new TapDisk(new MemDisk(), this::ask), options)) {
      store = opened;
      opened.pauseCompaction();
      List<Set<Boolean>> flushes = new ArrayList<>();
      for (byte i = 0; i < 20; i++) {
        told.clear();
        opened.put(new byte[] {i}, new byte[] {i});
        opened.flush();
        while (opened.parts().flushFirst()) {
          Thread.onSpinWait();
        }
        flushes.add(new HashSet<>(told));
      }
      assertThat(flushes.get(0)).containsExactly(few);
      assertThat(flushes.get(19)).as("many runs are overdue").containsExactly(false);
    } finally {
      store = null;
    }
  }
}
