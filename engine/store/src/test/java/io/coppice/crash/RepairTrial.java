// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.thread.SeededWorkers;
import io.coppice.crash.CrashViolation.Kind;
import io.coppice.io.Disk;
import io.coppice.io.DiskImage;
import io.coppice.io.DiskImage.State;
import io.coppice.io.DiskOp;
import io.coppice.io.FileKind;
import io.coppice.io.MemDisk;
import io.coppice.io.MemDisk.Stored;
import io.coppice.io.RecordingDisk;
import io.coppice.recovery.RepairReport;
import io.coppice.recovery.Repairer;
import io.coppice.recovery.StoreVerifier;
import java.io.IOException;
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
import java.util.function.UnaryOperator;

/**
 * Cuts the power while a damaged store is repaired. What is left can be repaired again, shows then
 * what the first repair would have shown, and every damaged file is still there or was kept aside.
 */
public final class RepairTrial extends PowerCutTrial {

  /** What is wrong with the store. */
  private enum Damage {
    TABLE(".tbl", 0.5),
    LOG(".wal", 0.6),
    MANIFEST(".manifest", 0.4),
    CURRENT("CURRENT", 0.8),
    ALL("", 0.6);

    private final String ending;
    private final double place;

    Damage(String ending, double place) {
      this.ending = ending;
      this.place = place;
    }

    /** Exchanges a byte of the first such file, or of one of each kind; returns their names. */
    List<String> to(Map<String, Stored> files) {
      List<String> damaged = new ArrayList<>();
      for (Damage one : this == ALL ? List.of(TABLE, LOG, MANIFEST) : List.of(this)) {
        String name =
            files.keySet().stream().filter(file -> file.endsWith(one.ending)).findFirst().get();
        byte[] bytes = Arrays.copyOf(files.get(name).array(), files.get(name).length());
        bytes[(int) (bytes.length * one.place)] ^= 0x10;
        files.put(name, new Stored(bytes));
        damaged.add(name);
      }
      return damaged;
    }
  }

  /** Of so many states one is repaired with the power cut again on the way. */
  private static final int AGAIN_EVERY = 12;

  /** What the repair under way is of, and what it leads to. */
  private StoreOptions options;

  private Map<String, Stored> damaged = Map.of();
  private NavigableMap<byte[], byte[]> expected;

  /**
   * Prepares it.
   *
   * @param wrapper wraps the disk of the repair
   */
  public RepairTrial(
      UnaryOperator<Disk> wrapper, CrashCoverage coverage, Random random, int states) {
    super(wrapper, coverage, random, states);
  }

  public void run() throws IOException {
    for (CrashLoad load : List.of(CrashLoad.SPLIT_FOREST, CrashLoad.FAMILIES, CrashLoad.KILLS)) {
      DiskImage image = new DiskImage(Map.of());
      load.record(new Random(random.nextLong())).ops().forEach(image::apply);
      options = load.options();
      for (Damage damage : Damage.values()) {
        Map<String, Stored> files = new TreeMap<>(image.allKept().files());
        damaged = new HashMap<>();
        damage.to(files).forEach(name -> damaged.put(name, files.get(name)));
        expected = shown(repaired(files, disk -> disk));
        try {
          explore(files, Set.of(), true);
        } catch (CrashViolation e) {
          throw new CrashViolation(e.kind(), load + ", " + damage + ": " + e.getMessage(), e);
        }
      }
    }
  }

  private void explore(Map<String, Stored> files, Set<String> before, boolean again)
      throws IOException {
    RecordingDisk recorded = new RecordingDisk(new MemDisk(files), () -> 0, () -> 0);
    repair(wrapper.apply(recorded));
    Set<String> aside = new HashSet<>(before);
    DiskImage image = new DiskImage(files);
    for (DiskOp op : recorded.ops()) {
      for (State state : cut(image, op, again ? statesPerPoint : 0)) {
        if (check(state, aside, "before " + op) && again && states.size() % AGAIN_EVERY == 0) {
          explore(state.files(), aside, false);
        }
      }
      apply(image, op);
      if (op.kind() == DiskOp.Kind.KEEP_ASIDE) {
        aside.add(op.name());
      }
    }
    check(image.allKept(), aside, "at the end");
    State end = image.allLost();
    check(end, aside, "at the end");
    if (again) {
      checkRepaired(end.files());
    }
    check(shown(new MemDisk(end.files())), "after the repair");
  }

  /**
   * Damaged files have left their places, durably; a repair that was cut off may leave some. Tables
   * that only lost edits name may stay until the next opening: the repair has found that they hold
   * no more than the other tables and the logs.
   */
  private void checkRepaired(Map<String, Stored> files) throws IOException {
    List<String> leftovers =
        StoreVerifier.verify(new MemDisk(files)).leftovers().stream()
            .filter(name -> damaged.containsKey(name) || FileKind.TABLE.numberOf(name).isEmpty())
            .toList();
    if (!leftovers.isEmpty()) {
      throw new CrashViolation(Kind.LEFTOVER, "a repair leaves " + leftovers);
    }
  }

  /** False if the content was seen before. */
  private boolean check(State state, Set<String> aside, String when) {
    checkedStates++;
    damaged.forEach(
        (name, bytes) -> {
          Stored found = state.files().get(name);
          boolean there = found != null && Arrays.equals(found.array(), bytes.array());
          if (!there && !aside.contains(name)) {
            throw new CrashViolation(Kind.LOST, when + " " + name + " is nowhere any more");
          }
        });
    if (!states.add(state.hash())) {
      return false;
    }
    check(shown(repaired(state.files(), wrapper)), when);
    return true;
  }

  private void check(NavigableMap<byte[], byte[]> shown, String when) {
    if (CrashLedger.digest(shown) != CrashLedger.digest(expected)) {
      throw new CrashViolation(
          Kind.UNSTABLE,
          when
              + " another repair leads to "
              + shown.size()
              + " keys, not to "
              + expected.size()
              + ", or to other values");
    }
  }

  private static MemDisk repaired(Map<String, Stored> files, UnaryOperator<Disk> wrapper) {
    MemDisk memory = new MemDisk(files);
    repair(wrapper.apply(memory));
    return memory.reopen();
  }

  private static void repair(Disk disk) {
    RepairReport repair;
    try {
      repair = Repairer.repair(disk);
    } catch (IOException | RuntimeException e) {
      throw new CrashViolation(Kind.UNOPENABLE, "a repair fails: " + e, e);
    }
    if (repair.after().damaged()) {
      throw new CrashViolation(Kind.UNSOUND, "a repair leaves " + repair.after().damages());
    }
  }

  private NavigableMap<byte[], byte[]> shown(MemDisk memory) {
    if (!memory.list().contains(FileKind.CURRENT.fileName(0))) {
      throw new CrashViolation(Kind.UNOPENABLE, "a repair leaves no store");
    }
    try (Store store = TestStores.open(memory.reopen(), options, new SeededWorkers(1))) {
      return CrashDriver.contents(store);
    } catch (IOException | RuntimeException e) {
      throw new CrashViolation(Kind.UNOPENABLE, "after a repair: " + e, e);
    }
  }
}
