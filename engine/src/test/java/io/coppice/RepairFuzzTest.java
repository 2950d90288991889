// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.base.Durability;
import io.coppice.base.KeyText;
import io.coppice.base.SeededWorkers;
import io.coppice.io.MemDisk;
import io.coppice.recovery.Repair;
import io.coppice.recovery.Repairer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
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
    Long seed = Long.getLong("seed");
    long first = seed == null ? System.nanoTime() : seed;
    for (int i = 0; i < (seed == null ? TRIALS : 1); i++) {
      try {
        new Trial(first + i).run();
      } catch (AssertionError | RuntimeException e) {
        throw new AssertionError("-Dseed=" + (first + i) + ": " + e.getMessage(), e);
      }
    }
  }

  /** What one family held, and each value that a key ever had. */
  private static final class Ledger {
    private final KindsModel now = new KindsModel();
    private final Map<String, Set<String>> ever = new HashMap<>();

    void note(byte[] key) {
      byte[] value = now.get(key, 0);
      if (value != null) {
        ever.computeIfAbsent(text(key), x -> new HashSet<>()).add(text(value));
      }
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  private static final class Trial {
    private static final int KEYS = 40;

    private static final StoreOptions OPTIONS =
        StoreOptions.builder()
            .policy("leveled,fanout=2,l0_trigger=2,table_size=4KiB")
            .family("users", "tiered,trigger=8,table_size=4KiB")
            .mergeOperator(KindsModel.APPEND)
            .mergeOperator("users", KindsModel.APPEND)
            .memtableBytes(64 << 10)
            .build();

    private static final StoreOptions AFTERWARDS =
        StoreOptions.builder()
            .mergeOperator(KindsModel.APPEND)
            .mergeOperator("users", KindsModel.APPEND)
            .build();

    private final Random random;
    private final Map<String, Ledger> ledgers =
        new TreeMap<>(Map.of("default", new Ledger(), "users", new Ledger()));
    private final DiskDamage damages;
    private int written;

    Trial(long seed) {
      random = new Random(seed);
      damages = new DiskDamage(random);
    }

    void run() throws IOException {
      MemDisk disk = fill();
      for (int i = random.nextInt(4) == 0 ? 2 : 1; i > 0; i--) {
        damages.inflict(disk);
      }
      Repair repair = Repairer.repair(disk);
      String said = damages + ": " + repair;
      assertThat(repair.after().damaged()).as(said).isFalse();
      try (Store store = Store.open(disk.reopen(), AFTERWARDS, new SeededWorkers(1))) {
        ledgers.forEach((name, ledger) -> compare(ledger, shown(store, name), repair, said + name));
      }
    }

    private MemDisk fill() throws IOException {
      MemDisk memory = new MemDisk();
      try (Store store = Store.open(memory, OPTIONS, new SeededWorkers(random.nextLong()))) {
        int steps = 50 + random.nextInt(350);
        for (int i = 0; i < steps; i++) {
          write(store);
          if (random.nextInt(60) == 0) {
            store.flush();
            if (random.nextBoolean()) {
              store.awaitIdle();
            }
          }
        }
        store.sync();
        return memory.kill();
      }
    }

    private void write(Store store) {
      WriteBatch batch = new WriteBatch();
      List<Runnable> effects = new ArrayList<>();
      for (int i = random.nextInt(3); i >= 0; i--) {
        String name = random.nextInt(3) == 0 ? "users" : "default";
        Family family = store.family(name);
        Ledger ledger = ledgers.get(name);
        byte[] key = key(random.nextInt(KEYS));
        byte[] value = bytes(written++ + "-".repeat(random.nextInt(200)) + ",");
        switch (random.nextInt(12)) {
          case 0 -> {
            batch.delete(family, key);
            effects.add(() -> ledger.now.delete(key));
          }
          case 1 -> {
            int from = random.nextInt(KEYS);
            byte[] low = key(from);
            byte[] high = key(from + 1 + random.nextInt(4));
            batch.deleteRange(family, low, high);
            effects.add(() -> ledger.now.deleteRange(low, high));
          }
          case 2, 3, 4, 5 -> {
            batch.put(family, key, value);
            effects.add(() -> ledger.now.put(key, value, KindsModel.FOREVER));
          }
          default -> {
            batch.merge(family, key, value);
            effects.add(() -> ledger.now.merge(key, value));
          }
        }
        effects.add(() -> ledger.note(key));
      }
      store.write(batch, random.nextInt(20) == 0 ? Durability.SYNC : Durability.BUFFERED);
      effects.forEach(Runnable::run);
    }

    private static byte[] key(int number) {
      return bytes("key" + (100 + number));
    }

    private static NavigableMap<String, String> shown(Store store, String name) {
      NavigableMap<String, String> shown = new TreeMap<>();
      if (store.families().stream().noneMatch(family -> family.name().equals(name))) {
        return shown;
      }
      try (Cursor cursor = store.family(name).cursor(KeyRange.all())) {
        for (cursor.first(); cursor.valid(); cursor.next()) {
          shown.put(text(cursor.key()), text(cursor.value()));
        }
      }
      return shown;
    }

    private void compare(
        Ledger ledger, NavigableMap<String, String> shown, Repair repair, String said) {
      boolean doubted = !repair.after().doubts().isEmpty();
      for (int i = 0; i < KEYS + 5; i++) {
        byte[] key = key(i);
        byte[] value = ledger.now.get(key, 0);
        String expected = value == null ? null : text(value);
        String found = shown.get(text(key));
        if (expected == null ? found == null : expected.equals(found)) {
          continue;
        }
        String what = said + ": " + KeyText.of(key) + " is " + found + ", was " + expected;
        boolean covered = repair.losses().stream().anyMatch(loss -> covers(loss, key));
        boolean announced = repair.deletedMayReturn() && damages.ofManifest();
        assertThat(covered || doubted || announced).as(what).isTrue();
        if (found != null) {
          assertThat(repair.deletedMayReturn() || doubted).as(what).isTrue();
          boolean old = ledger.ever.getOrDefault(text(key), Set.of()).contains(found);
          assertThat(old || damages.ofManifest()).as("a new value: " + what).isTrue();
        }
      }
    }

    private static boolean covers(Repair.Loss loss, byte[] key) {
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
