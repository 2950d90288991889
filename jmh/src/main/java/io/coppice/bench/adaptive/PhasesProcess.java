// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.adaptive;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.base.Durability;
import io.coppice.base.MemoryBudget;
import io.coppice.bench.engine.CoppiceStore;
import io.coppice.bench.engine.ReadSession;
import io.coppice.bench.suite.WrongAnswerException;
import io.coppice.policy.DecisionJournal;
import io.coppice.policy.PolicySpec;
import io.coppice.workload.Draws;
import io.coppice.workload.Keys;
import io.coppice.workload.Values;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The process in which one policy goes through all phases. It tells by lines: {@code at}, the
 * operations done and their total; {@code phase}, its label and its operations a second; {@code
 * whole}, the same of all with what is merged last, processor seconds and write amplification;
 * {@code rung}, each that came into force; {@code wrong}, why an answer is.
 */
final class PhasesProcess {

  /** Exit code after a wrong answer. */
  static final int WRONG = 3;

  private static final int HUNDRED = 100;
  private static final int TELL_MASK = (1 << 14) - 1;
  private static final double NANOS = 1e9;
  private static final int NEVER = -1;
  private static final long MEMTABLES = 16;
  private static final long ROOM_BYTES = 256L << 20;

  private final AdaptiveScale scale;
  private final CoppiceStore store;
  private final PrintStream out;
  private final Values values;
  private final Draws keys;
  private final Draws kinds;
  private final byte[] key = new byte[Keys.BYTES];

  /** By key, the write that made its value. */
  private final int[] made;

  private int writes;
  private long operations;

  /** Goes through the phases of a scale, with a store that is open. */
  PhasesProcess(AdaptiveScale scale, long seed, CoppiceStore store, PrintStream out) {
    this.scale = scale;
    this.store = store;
    this.out = out;
    this.values = new Values(AdaptiveScale.VALUE_BYTES, seed);
    this.keys = new Draws(seed, scale.keys());
    this.kinds = new Draws(~seed, HUNDRED);
    this.made = new int[scale.keys()];
    Arrays.fill(made, NEVER);
  }

  /** Arguments: the policy, the directory, the scale, the seed. */
  public static void main(String[] args) {
    AdaptiveScale scale = AdaptiveScale.find(args[2]).orElseThrow();
    try (CoppiceStore store = open(args[0], Path.of(args[1]), scale)) {
      new PhasesProcess(scale, Long.parseLong(args[3]), store, System.out).run();
    } catch (WrongAnswerException e) {
      System.out.println("wrong " + e.getMessage());
      System.out.flush();
      System.exit(WRONG);
    }
  }

  /** Opens a store that is empty. */
  static CoppiceStore open(String policy, Path directory, AdaptiveScale scale) {
    long data = (long) scale.keys() * (Keys.BYTES + AdaptiveScale.VALUE_BYTES);
    StoreOptions options =
        StoreOptions.builder()
            .policy(policy)
            .memory(MemoryBudget.ofBytes(ROOM_BYTES + MEMTABLES * scale.memtableBytes() + data / 2))
            .memtableBytes(scale.memtableBytes())
            .durability(Durability.BUFFERED)
            .build();
    return new CoppiceStore(Store.open(directory, options), policy, AdaptiveScale.VALUE_BYTES);
  }

  /** Goes through all phases. */
  void run() {
    long begun = System.nanoTime();
    long processor = processorNanos();
    long total = 0;
    for (Phase phase : Phase.values()) {
      total += scale.operations(phase);
    }
    for (Phase phase : Phase.values()) {
      long started = System.nanoTime();
      run(phase, total);
      double seconds = (System.nanoTime() - started) / NANOS;
      out.println("phase " + phase.label() + " " + scale.operations(phase) / seconds);
    }
    for (DecisionJournal.FamilySwitch one : store.store().switches()) {
      out.println("rung " + one.made().after().value("rung"));
    }
    store.settle();
    double seconds = (System.nanoTime() - begun) / NANOS;
    out.println(
        "whole "
            + total / seconds
            + " "
            + (processorNanos() - processor) / NANOS
            + " "
            + store.store().stats().writeAmplification());
    out.flush();
  }

  private static long processorNanos() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getProcessCpuTime()
        : 0;
  }

  private void run(Phase phase, long total) {
    for (int i = 0; i < scale.operations(phase); i++) {
      if ((operations++ & TELL_MASK) == 0) {
        out.println("at " + operations + " " + total);
        out.flush();
      }
      int index = (int) keys.next();
      long kind = kinds.next();
      Keys.write(key, index);
      if (phase.puts(kind)) {
        store.put(key, values.pool(), values.position(writes), values.length());
        made[index] = writes++;
      } else if (phase.gets(kind)) {
        get(index);
      } else {
        scan(index);
      }
    }
  }

  private void get(int index) {
    int length = store.get(key);
    boolean right =
        made[index] == NEVER
            ? length == -1
            : length == values.length()
                && store.found(values.pool(), values.position(made[index]), length);
    if (!right) {
      throw new WrongAnswerException("key " + index + " has a value of length " + length);
    }
  }

  private void scan(int from) {
    int expected = from;
    try (ReadSession.Scan scan = store.scan()) {
      scan.seek(key);
      for (int i = 0; i < AdaptiveScale.SCAN_ENTRIES; i++) {
        while (expected < made.length && made[expected] == NEVER) {
          expected++;
        }
        boolean end = expected == made.length;
        if (scan.valid() == end || (!end && !shows(scan, expected))) {
          throw new WrongAnswerException("a walk from key " + from + " at key " + expected);
        }
        if (end) {
          return;
        }
        scan.next();
        expected++;
      }
    }
  }

  private boolean shows(ReadSession.Scan scan, int index) {
    return scan.index() == index
        && scan.found(values.pool(), values.position(made[index]), values.length());
  }

  /** The rung with which a policy that follows the load begins. */
  static int firstRung(String policy) {
    return (int) PolicySpec.parse(policy).value("rung");
  }
}
