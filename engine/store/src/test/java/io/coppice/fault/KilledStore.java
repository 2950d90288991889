// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fault;

import io.coppice.Cursor;
import io.coppice.Family;
import io.coppice.KeyRange;
import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.WriteBatch;
import io.coppice.base.Durability;
import io.coppice.base.thread.SeededWorkers;
import io.coppice.io.MemDisk;
import io.coppice.model.KindsModel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/** A random store of two families with entries of all kinds, which was killed, and its model. */
final class KilledStore {

  static final int KEYS = 40;

  static final StoreOptions OPTIONS =
      StoreOptions.builder()
          .policy("leveled,fanout=2,l0_trigger=2,table_size=4KiB")
          .family("users", "tiered,trigger=8,table_size=4KiB")
          .mergeOperator(KindsModel.APPEND)
          .mergeOperator("users", KindsModel.APPEND)
          .memtableBytes(64 << 10)
          .build();

  static final StoreOptions AFTERWARDS =
      StoreOptions.builder()
          .mergeOperator(KindsModel.APPEND)
          .mergeOperator("users", KindsModel.APPEND)
          .mergeOperator("recovered-1", KindsModel.APPEND)
          .build();

  private final Random random;
  private final Map<String, Ledger> ledgers =
      new TreeMap<>(Map.of("default", new Ledger(), "users", new Ledger()));
  private int written;

  KilledStore(Random random) {
    this.random = random;
  }

  /** By name of the family. */
  Map<String, Ledger> ledgers() {
    return ledgers;
  }

  /** What one family held, and each value that a key ever had. */
  static final class Ledger {
    final KindsModel now = new KindsModel();
    final Map<String, Set<String>> ever = new HashMap<>();

    void note(byte[] key) {
      byte[] value = now.get(key, 0);
      if (value != null) {
        ever.computeIfAbsent(text(key), x -> new HashSet<>()).add(text(value));
      }
    }
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.ISO_8859_1);
  }

  /** What its disk holds. */
  MemDisk fill() throws IOException {
    MemDisk memory = new MemDisk();
    try (Store store = TestStores.open(memory, OPTIONS, new SeededWorkers(random.nextLong()))) {
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

  static byte[] key(int number) {
    return bytes("key" + (100 + number));
  }

  /** What an open store shows of a family; nothing if it has none of that name. */
  static NavigableMap<String, String> shown(Store store, String name) {
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
}
