// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.Durability;
import io.coppice.io.MemDisk;
import io.coppice.io.PowerDisk;
import io.coppice.io.TapDisk;
import io.coppice.load.DeterministicStore;
import io.coppice.policy.Plan;
import io.coppice.policy.Reason;
import io.coppice.policy.RunFacts;
import io.coppice.policy.SegmentFacts;
import io.coppice.policy.Shape;
import io.coppice.policy.Target;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** All tables of a run leave while a merge is still to write into it. */
class EmptiedTargetTest {

  private static final int KEYS = 60;

  private Runnable tap = () -> {};

  private static byte[] key(char prefix, int i) {
    return String.format("%c%03d", prefix, i).getBytes(US_ASCII);
  }

  private static void flushPuts(Store store, char prefix) {
    for (int i = 0; i < KEYS; i++) {
      store.put(key(prefix, i), new byte[100]);
    }
    store.flush();
  }

  private static Plan merge(List<RunFacts> runs, Target target) {
    List<Long> slices = new ArrayList<>();
    for (RunFacts run : runs) {
      for (SegmentFacts segment : run.segments()) {
        segment.slices().forEach(slice -> slices.add(slice.slice()));
      }
    }
    return new Plan.Merge(slices, target, 0, Reason.of("by-hand", "by hand"));
  }

  private static void carryOut(Compactor compactor, Plan plan) {
    try {
      compactor.carryOut(0, plan);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Two runs beside all that the target run has are merged into it; meanwhile deletions meet all
   * that it has, so that no table remains in it.
   */
  @Test
  void aMergeFillsARunOfWhichNothingRemainedMeanwhile() throws IOException {
    PowerDisk disk = new PowerDisk(new MemDisk());
    TapDisk tapped = new TapDisk(disk, () -> tap.run());
    StoreOptions options =
        StoreOptions.builder().policy("leveled,l0_trigger=3").durability(Durability.NONE).build();
    try (DeterministicStore driven = DeterministicStore.open(disk, tapped, options, 1)) {
      Store store = driven.store();
      for (int i = 0; i < 3; i++) {
        flushPuts(store, 'a');
      }
      driven.settle();
      store.pauseCompaction();
      for (int i = 0; i < KEYS; i++) {
        store.delete(key('a', i));
      }
      store.flush();
      flushPuts(store, 'b');
      flushPuts(store, 'b');

      Compactor compactor = TestStores.compactor(store);
      Shape shape = compactor.shape(0);
      List<RunFacts> fresh = shape.levels().get(0).runs();
      RunFacts resident = shape.levels().get(1).runs().get(0);
      assertThat(fresh).hasSize(3);
      Target target = Target.join(1, resident.id());
      tap =
          () -> {
            tap = () -> {};
            carryOut(compactor, merge(List.of(fresh.get(2), resident), target));
            assertThat(compactor.shape(0).levels().get(1).runs().get(0).segments()).isEmpty();
          };
      carryOut(compactor, merge(fresh.subList(0, 2), target));

      Shape merged = compactor.shape(0);
      assertThat(merged.levels().get(0).runs()).isEmpty();
      assertThat(merged.levels().get(1).runs()).singleElement();
      assertThat(merged.levels().get(1).runs().get(0).id()).isEqualTo(resident.id());
      assertThat(store.stats().families().get(0).failedPlans()).isZero();
      store.resumeCompaction();
      store.compact();
      driven.settle();
      assertThat(disk.list().stream().filter(name -> name.endsWith(".tbl"))).hasSize(1);
      for (int i = 0; i < KEYS; i++) {
        assertThat(store.get(key('a', i))).isNull();
        assertThat(store.get(key('b', i))).hasSize(100);
      }
    }
  }
}
