// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.InvalidOptionsException;
import io.coppice.base.MemoryBudget;
import io.coppice.base.thread.SeededWorkers;
import io.coppice.crash.CrashViolation.Kind;
import io.coppice.io.Disk;
import io.coppice.io.MemDisk;
import io.coppice.model.KindsModel;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/**
 * What a store must still know when it is opened again, besides keys and values: the policies and
 * operators of its families, and what time it was. It is opened more than once, as the first
 * opening writes anew what it has read.
 */
public final class ReopeningTrial {

  private static final String LEVELED = "leveled,fanout=2,table_size=4KiB";
  private static final int OPENINGS = 3;

  private final UnaryOperator<Disk> between;
  private final MemDisk memory = new MemDisk();
  private long nowMillis = 1_000_000;

  /**
   * Prepares it.
   *
   * @param between put between the store and its disk
   */
  public ReopeningTrial(UnaryOperator<Disk> between) {
    this.between = between;
  }

  private Store open(StoreOptions.Builder options) throws IOException {
    StoreOptions whole =
        TestStores.clock(options, () -> nowMillis)
            .memory(MemoryBudget.ofMebibytes(32))
            .memtableBytes(64 << 10)
            .build();
    return TestStores.open(between.apply(memory.reopen()), whole, new SeededWorkers(1));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static CrashViolation wrong(Kind kind, String message) {
    return new CrashViolation(kind, message);
  }

  public void run() throws IOException {
    try {
      families();
      clock();
    } catch (CrashViolation | InvalidOptionsException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      throw new CrashViolation(Kind.UNOPENABLE, "a store of families: " + e, e);
    }
  }

  /** Policies are kept, and a family is not opened with another operator. */
  private void families() throws IOException {
    Map<String, String> policies = new TreeMap<>();
    try (Store store = open(StoreOptions.builder().mergeOperator("orders", new LastBytes()))) {
      store.createFamily("users", LEVELED);
      store.createFamily("orders", "tiered,trigger=3,table_size=4KiB");
      store.family("users").policy("leveled,fanout=3,table_size=8KiB");
      store.createFamily("events", LEVELED);
      store.families().forEach(family -> policies.put(family.name(), family.policy()));
    }
    for (int i = 0; i < OPENINGS; i++) {
      Map<String, String> found = new TreeMap<>();
      try (Store store = open(StoreOptions.builder())) {
        store.families().forEach(family -> found.put(family.name(), family.policy()));
      }
      if (!found.equals(policies)) {
        throw wrong(Kind.FORGOTTEN, "the policies are " + found + " and were " + policies);
      }
    }
    try (Store store = open(StoreOptions.builder().mergeOperator("orders", KindsModel.APPEND))) {
      throw wrong(Kind.FORGOTTEN, store.family("orders").name() + " take another operator");
    } catch (InvalidOptionsException e) {
      // As it should be.
    }
  }

  /** What has ended does not live again, and what has not is there, though the clock goes back. */
  private void clock() throws IOException {
    long start = nowMillis;
    try (Store store = open(StoreOptions.builder().policy(LEVELED))) {
      for (int live = 0; live < 20; live++) {
        // Beside these, the values that end are too few for a merge that time plans.
        store.family("users").put(bytes("live" + live), bytes("1"));
      }
      for (int end = 5; end <= 20; end += 15) {
        Duration left = Duration.ofMillis(start + end - nowMillis);
        store.put(bytes("k" + end), bytes("1"), left);
        store.family("users").put(bytes("end" + end), bytes("1"), left);
        store.family("users").put(bytes("late" + end), bytes("1"), left.plusMillis(1));
        nowMillis = start + end;
        store.family("default").compact();
      }
      nowMillis = start;
    }
    for (int i = 0; i < OPENINGS; i++) {
      try (Store store = open(StoreOptions.builder().policy(LEVELED))) {
        if (store.family("users").get(bytes("end20")) != null) {
          throw wrong(Kind.RESURRECTED, "what ended lives again as the clock went back");
        }
        if (store.family("users").get(bytes("late20")) == null) {
          throw wrong(Kind.LOST, "what has not ended yet is gone");
        }
      }
    }
  }
}
