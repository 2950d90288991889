// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Family;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.thread.SeededWorkers;
import io.coppice.io.MemDisk;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Opening a damaged store to read it and opening it to write it have the same verdict: both refuse
 * it for the same reason, or both show the same. Replays one trial with {@code -Dseed=N}; {@code
 * -Dtrials=N} runs more.
 */
class OpenVerdictTest {

  private static final int TRIALS = Integer.getInteger("trials", 60);

  @Test
  void bothOpeningsRefuseTheSameStores() throws IOException {
    for (long seed : Seeds.fromFirst(TRIALS).toArray()) {
      Random random = new Random(seed);
      MemDisk disk = new KilledStore(random).fill();
      DiskDamage damage = new DiskDamage(random);
      for (int j = random.nextInt(4) == 0 ? 2 : 1; j > 0; j--) {
        damage.inflict(disk);
      }
      String reading = verdict(disk.kill(), true);
      String writing = verdict(disk.kill(), false);
      assertThat(reading).as("-Dseed=%d: %s", seed, damage).isEqualTo(writing);
    }
  }

  /** What the store shows, or why it does not open. */
  private static String verdict(MemDisk disk, boolean readOnly) {
    StoreOptions options = KilledStore.OPTIONS;
    try (Store store =
        readOnly
            ? TestStores.openReadOnly(disk, options)
            : TestStores.open(disk, options, new SeededWorkers(1))) {
      StringBuilder shown = new StringBuilder();
      for (Family family : store.families()) {
        shown.append(family.name()).append(contents(store, family.name()));
      }
      return shown.toString();
    } catch (IOException | RuntimeException e) {
      return e.toString();
    }
  }

  private static String contents(Store store, String family) {
    try {
      return KilledStore.shown(store, family).toString();
    } catch (RuntimeException e) {
      return e.toString();
    }
  }
}
