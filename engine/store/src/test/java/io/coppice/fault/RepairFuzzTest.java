// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.Store;
import io.coppice.TestStores;
import io.coppice.base.bytes.KeyText;
import io.coppice.base.thread.SeededWorkers;
import io.coppice.io.MemDisk;
import io.coppice.recovery.RepairReport;
import io.coppice.recovery.Repairer;
import io.coppice.testing.Seeds;
import java.io.IOException;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * Damages random stores and repairs them. The repaired store is compared with the undamaged one:
 * the report covers every difference, and no key shows a value that it never had. Replays one trial
 * with {@code -Dseed=N}; {@code -Dtrials=N} runs more.
 */
class RepairFuzzTest {

  private static final int TRIALS = Integer.getInteger("trials", 60);

  @Test
  void theReportCoversEveryDifferenceAndNoValueIsNew() throws IOException {
    for (long seed : Seeds.fromFirst(TRIALS).toArray()) {
      try {
        new Trial(seed).run();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("-Dseed=" + seed + ": " + e.getMessage(), e);
      }
    }
  }

  private static final class Trial {
    private final Random random;
    private final KilledStore store;
    private final DiskDamage damages;

    Trial(long seed) {
      random = new Random(seed);
      store = new KilledStore(random);
      damages = new DiskDamage(random);
    }

    void run() throws IOException {
      MemDisk disk = store.fill();
      for (int i = random.nextInt(4) == 0 ? 2 : 1; i > 0; i--) {
        damages.inflict(disk);
      }
      RepairReport repair = Repairer.repair(disk);
      String said = damages + ": " + repair;
      assertThat(repair.after().damaged()).as(said).isFalse();
      try (Store open =
          TestStores.open(disk.reopen(), KilledStore.AFTERWARDS, new SeededWorkers(1))) {
        store
            .ledgers()
            .forEach((name, ledger) -> compare(ledger, shown(open, name), repair, said + name));
      }
    }

    /** A family whose name is lost has another one. */
    private static NavigableMap<String, String> shown(Store open, String name) {
      boolean there = open.families().stream().anyMatch(family -> family.name().equals(name));
      return KilledStore.shown(open, there ? name : "recovered-1");
    }

    private void compare(
        KilledStore.Ledger ledger,
        NavigableMap<String, String> shown,
        RepairReport repair,
        String said) {
      boolean doubted = damages.ofLog() && !repair.after().doubts().isEmpty();
      for (int i = 0; i < KilledStore.KEYS + 5; i++) {
        byte[] key = KilledStore.key(i);
        byte[] value = ledger.now.get(key, 0);
        String expected = value == null ? null : KilledStore.text(value);
        String found = shown.get(KilledStore.text(key));
        if (expected == null ? found == null : expected.equals(found)) {
          continue;
        }
        String what = said + ": " + KeyText.of(key) + " is " + found + ", was " + expected;
        boolean covered = repair.losses().stream().anyMatch(loss -> covers(loss, key));
        boolean announced = repair.deletedMayReturn() && damages.ofManifest();
        assertThat(covered || doubted || announced).as(what).isTrue();
        if (found != null) {
          assertThat(repair.deletedMayReturn() || doubted).as(what).isTrue();
          boolean old = ledger.ever.getOrDefault(KilledStore.text(key), Set.of()).contains(found);
          assertThat(old || damages.ofManifest()).as("a new value: " + what).isTrue();
        }
      }
    }

    private static boolean covers(RepairReport.Loss loss, byte[] key) {
      if (loss.above() != null) {
        int order = Arrays.compareUnsigned(loss.above(), key);
        if (order > 0 || (order == 0 && !loss.inclusive())) {
          return false;
        }
      }
      return loss.upTo() == null || Arrays.compareUnsigned(key, loss.upTo()) <= 0;
    }
  }
}
