// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.io.Disk;
import io.coppice.io.DiskOp;
import io.coppice.io.ErrorDisk;
import io.coppice.io.MemDisk;
import io.coppice.io.RecordFrame;
import io.coppice.io.RecordingDisk;
import io.coppice.manifest.ManifestRecord;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** What a store does before its disk loses power, with all that is done to the disk recorded. */
public enum CrashLoad {
  SPLIT_FOREST(CrashLoad.FOREST, 60) {
    @Override
    void run(CrashDriver driver) throws IOException {
      flushesAndPlans(driver, 7, 12);
    }
  },
  LEVELED("leveled,fanout=2,l0_trigger=2,table_size=4KiB,cleaning_threshold=3", 60) {
    @Override
    void run(CrashDriver driver) throws IOException {
      flushesAndPlans(driver, 7, 12);
    }
  },
  DELAYED(
      "delayed,fanout=2,l0_trigger=2,base_size=4KiB,table_size=4KiB,cleaning_threshold=1,vct=7,"
          + "vsmt=2,max_pinned_ratio=50",
      60) {
    @Override
    void run(CrashDriver driver) throws IOException {
      for (int i = 0; i < 7; i++) {
        driver.writes(12);
        driver.flush();
        driver.writes(i % 2);
        driver.steps(12);
        driver.check();
        driver.lookups();
        driver.steps(8);
      }
      driver.check();
      driver.writes(5);
    }
  },
  TIERED("tiered,table_size=4KiB,trigger=3,cleaning_threshold=1", 60) {
    @Override
    void run(CrashDriver driver) throws IOException {
      flushesAndPlans(driver, 7, 10);
    }
  },
  GROUPED("grouped,groups=2,table_size=4KiB,cleaning_threshold=1", 60) {
    @Override
    void run(CrashDriver driver) throws IOException {
      flushesAndPlans(driver, 7, 10);
    }
  },
  LAZY_BINOMIAL("lazy-binomial,k=2,table_size=4KiB,cleaning_threshold=1", 60) {
    @Override
    void run(CrashDriver driver) throws IOException {
      flushesAndPlans(driver, 6, 10);
    }
  },
  /** A long log of edits begins anew again and again. */
  MANIFEST_ROTATION(CrashLoad.FOREST, 40, options -> TestStores.manifestBytes(options, 1)) {
    @Override
    void run(CrashDriver driver) throws IOException {
      flushesAndPlans(driver, 8, 6);
    }
  },
  /** Memtables fill and are sealed with their logs, several at a time. */
  LOG_ROLLOVER("leveled,l0_trigger=3,table_size=64KiB,cleaning_threshold=1", 12) {
    @Override
    void run(CrashDriver driver) throws IOException {
      for (int i = 0; i < 24; i++) {
        driver.write(1 + i % 2, 18_000, i % 3 == 0);
        driver.writes(1);
      }
      driver.flush();
      driver.steps(8);
      driver.check();
      driver.write(2, 9_000, false);
    }
  },
  /** Tables that overlap nothing sink; deletions of nothing are dropped. */
  MOVES_AND_DROPS("leveled,fanout=2,l0_trigger=1,table_size=4KiB,cleaning_threshold=1", 200) {
    @Override
    void run(CrashDriver driver) throws IOException {
      for (int i = 0; i < 5; i++) {
        driver.fill(30 * i, 25, 120);
        driver.flush();
        driver.steps(16);
        driver.delete(1000 + 40 * i, 3, i % 2 == 0);
        driver.flush();
        driver.steps(16);
        driver.writes(2);
      }
      driver.check();
    }
  },
  /** Stores are closed and opened, by another policy each time, with merges half done. */
  REOPENINGS(CrashLoad.FOREST, 50) {
    @Override
    void run(CrashDriver driver) throws IOException {
      List<String> policies =
          List.of(
              "leveled,fanout=2,l0_trigger=2,table_size=4KiB,cleaning_threshold=1",
              "tiered,table_size=4KiB,trigger=3,cleaning_threshold=1",
              CrashLoad.FOREST);
      for (String next : policies) {
        driver.writes(15);
        driver.flush();
        driver.steps(4);
        driver.hold();
        driver.writes(15);
        driver.flush();
        driver.steps(8);
        driver.writes(3);
        driver.reopen(next);
      }
      driver.compact();
      driver.reopen(CrashLoad.FOREST);
      driver.writes(2);
    }
  },
  /** The process dies and the next one goes on, all before the power fails. */
  KILLS(CrashLoad.FOREST, 40) {
    @Override
    void run(CrashDriver driver) throws IOException {
      for (int i = 0; i < 4; i++) {
        driver.writes(3);
        driver.write(3, 200, false);
        driver.kill(CrashLoad.FOREST);
        driver.write(2, 200, true);
        driver.writes(2);
        if (i % 2 == 1) {
          driver.flush();
          driver.steps(6);
        }
      }
      driver.check();
      for (int i = 0; i < 3; i++) {
        // In the end there are several logs of which nothing is in tables.
        driver.writes(3);
        driver.kill(CrashLoad.FOREST);
      }
      driver.writes(3);
    }
  },
  /** Batches go across families; one, of an operator, is dropped, and its name taken again. */
  FAMILIES(CrashLoad.FOREST, 40, options -> options.mergeOperator("orders", new LastBytes())) {
    @Override
    void run(CrashDriver driver) throws IOException {
      driver.create("users");
      for (int i = 0; i < 3; i++) {
        driver.create("orders");
        driver.writes(10);
        driver.flush();
        driver.writes(5);
        driver.steps(10);
        driver.check();
        driver.drop();
        driver.writes(3);
        driver.steps(4);
      }
      driver.flush();
      driver.writes(3);
    }
  },
  /** Keys go by deletion, by a range, by the end of their time; values grow by operands. */
  EVERY_KIND(CrashLoad.FOREST, 60, options -> options.mergeOperator(new LastBytes())) {
    @Override
    void run(CrashDriver driver) throws IOException {
      for (int i = 0; i < 5; i++) {
        driver.fill(0, 40, 90);
        driver.writes(3);
        driver.flush();
        driver.deleteRange(4 * i, 12, i % 2 == 0);
        driver.end(20 + 2 * i, 5, i % 2 == 1);
        driver.delete(30, 4, false);
        driver.merge(i, 30, false);
        driver.flush();
        driver.merge(15, 30, i % 2 == 0);
        driver.writes(i % 2);
        driver.steps(8);
        driver.check();
      }
      driver.deleteRange(10, 30, true);
      driver.writes(2);
    }
  },
  /** Merges of many tables stop half-way; each step is looked at. */
  HALF_MERGES(CrashLoad.FOREST, 160) {
    @Override
    void run(CrashDriver driver) throws IOException {
      driver.fill(0, 160, 260);
      driver.flush();
      driver.delete(10, 25, false);
      driver.write(4, 50, true);
      driver.hold();
      driver.delete(100, 10, false);
      driver.fill(40, 60, 260);
      driver.flush();
      for (int i = 0; i < 12; i++) {
        driver.steps(1);
        driver.check();
      }
      driver.release();
      driver.delete(60, 70, false);
      driver.flush();
      for (int i = 0; i < 12; i++) {
        driver.steps(1);
        driver.check();
      }
      driver.writes(2);
    }
  },
  /** Large merges run in parts, side by side. */
  MERGES_IN_PARTS(
      "leveled,fanout=2,l0_trigger=2,table_size=4KiB,cleaning_threshold=8",
      200,
      options -> options.compactionSlots(3)) {
    @Override
    void run(CrashDriver driver) throws IOException {
      for (int i = 0; i < 4; i++) {
        driver.fill(i, 190, 560);
        driver.delete(40 * i, 30, false);
        driver.flush();
        driver.fill(i + 1, 190, 560);
        driver.flush();
        driver.writes(1);
        driver.steps(6);
        driver.check();
        driver.rest();
      }
      driver.writes(2);
    }
  },
  /** Several merges at once, of what was deleted and written again. */
  MERGES_SIDE_BY_SIDE(
      "leveled,fanout=2,l0_trigger=1,table_size=4KiB,cleaning_threshold=1",
      90,
      options -> options.compactionSlots(4)) {
    @Override
    void run(CrashDriver driver) throws IOException {
      for (int i = 0; i < 5; i++) {
        driver.fill(9 * i, 50, 200);
        driver.flush();
        driver.steps(3);
        driver.delete(15 * i, 30, false);
        driver.writes(1);
        driver.flush();
        driver.steps(5);
        driver.check();
        driver.steps(8);
        driver.check();
        driver.checkPlans();
      }
      driver.writes(2);
    }
  },
  /** Merges meet tables that cannot be read for a while. */
  READ_ERRORS(CrashLoad.FOREST, 120) {
    @Override
    void run(CrashDriver driver) throws IOException {
      for (int i = 0; i < 4; i++) {
        driver.fill(20 * i, 60, 130);
        driver.flush();
        // One of the inputs at first, then of the outputs too, which are opened once written.
        Set<String> there = Set.copyOf(driver.memory().list());
        boolean inputs = i < 2;
        driver
            .errors()
            .fail(
                ErrorDisk.Fault.EIO,
                ErrorDisk.Operation.READ,
                name -> name.endsWith(".tbl") && (!inputs || there.contains(name)),
                inputs ? 2 + i : 1 + i);
        driver.steps(6);
        driver.errors().heal();
        driver.check();
        driver.steps(8);
      }
      driver.check();
    }
  },
  /** All is deleted, merged to the bottom, and written again. */
  DELETIONS(CrashLoad.FOREST, 50) {
    @Override
    void run(CrashDriver driver) throws IOException {
      for (int i = 0; i < 3; i++) {
        driver.fill(0, 50, 120);
        driver.flush();
        driver.steps(8);
        driver.delete(10 * i, 30, false);
        driver.writes(2);
        driver.flush();
        driver.steps(36);
        driver.check();
      }
      driver.delete(0, 50, true);
      driver.compact();
      driver.check();
      driver.writes(4);
    }
  },
  /** The disk is full now and then; the reserve is used and set aside again. */
  FULL_DISK(CrashLoad.FOREST, 40) {
    @Override
    void run(CrashDriver driver) throws IOException {
      MemDisk memory = driver.memory();
      for (int i = 0; i < 6; i++) {
        leaveFree(memory, 3_000 + 4_500L * i);
        for (int j = 0; j < 12; j++) {
          driver.write(3, 900, j % 3 == 0);
        }
        driver.tryFlush();
        driver.steps(12);
        driver.check();
        leaveFree(memory, 400_000);
        driver.writes(2);
        driver.flush();
        leaveFree(memory, 2_500 + 1_000L * i);
        driver.steps(16);
        leaveFree(memory, 400_000);
        driver.steps(12);
      }
      driver.check();
      driver.writes(3);
      leaveFree(memory, 0);
      driver.close();
      leaveFree(memory, 400_000);
      driver.open(CrashLoad.FOREST);
      driver.check();
    }
  },
  /** Each operation that begins a file, or a write, finds no room once. */
  NO_ROOM(CrashLoad.FOREST, 30, options -> TestStores.manifestBytes(options, 1)) {
    @Override
    void run(CrashDriver driver) throws IOException {
      ErrorDisk errors = driver.errors();
      for (int i = 0; i < 14; i++) {
        driver.writes(6);
        if (i % 2 == 0) {
          // Where CURRENT cannot be switched a store stops.
          errors.fail(ErrorDisk.Fault.ENOSPC, name -> !name.equals("CURRENT"), 1 + i, false);
        } else {
          String part = List.of("CURRENT", ".manifest", ".wal", ".tbl").get(i / 2 % 4);
          driver.writes(2);
          ErrorDisk.Operation operation =
              part.equals(".wal") ? ErrorDisk.Operation.WRITE : ErrorDisk.Operation.CREATE;
          errors.fail(ErrorDisk.Fault.ENOSPC, operation, name -> name.contains(part), 1);
        }
        driver.write(i % 2 == 0 ? 3 : 1, i % 2 == 0 ? 400 : 2_000, i % 4 == 0);
        driver.writes(i % 2 == 0 ? 2 : 0);
        if (i % 8 == 5) {
          // In the place of the record that found no room, and beyond.
          for (int j = 0; j < 5; j++) {
            driver.write(2, 600, false);
          }
        }
        driver.tryFlush();
        driver.steps(12);
        errors.heal();
        driver.check();
        driver.flush();
        driver.steps(8);
      }
      for (int i = 0; i < 3; i++) {
        // Half of a record is there already.
        errors.fail(ErrorDisk.Fault.ENOSPC, ErrorDisk.Operation.WRITE, CrashLoad::isManifest, 1);
        driver.writes(3);
        driver.tryFlush();
        driver.steps(4);
        errors.heal();
        driver.check();
        driver.flush();
      }
      // The envelope of the next manifest finds no room, not that of the reserve either.
      Set<String> there = Set.copyOf(driver.memory().list());
      errors.fail(
          ErrorDisk.Fault.ENOSPC, name -> isManifest(name) && !there.contains(name), 2, true);
      for (int i = 0; i < 12 && !errors.fired(); i++) {
        driver.writes(3);
        driver.tryFlush();
      }
      errors.heal();
      driver.check();
      driver.rest();
      driver.close();
      driver.memory().reopen();
      errors.delete("RESERVE");
      errors.fail(ErrorDisk.Operation.WRITE, "RESERVE"::equals, 1, false);
      driver.open(CrashLoad.FOREST);
      errors.heal();
      driver.writes(2);
      for (int i = 0; i < 2; i++) {
        // The header of the next log finds no room, and the old log takes what follows.
        Set<String> logs = Set.copyOf(driver.memory().list());
        errors.fail(
            ErrorDisk.Fault.ENOSPC,
            ErrorDisk.Operation.WRITE,
            name -> name.endsWith(".wal") && !logs.contains(name),
            1);
        for (int j = 0; j < 24 && !errors.fired(); j++) {
          driver.write(1, 2_000, false);
          driver.tryFlush();
        }
        for (int j = 0; j < 5; j++) {
          driver.write(2, 600, false);
        }
        errors.heal();
        driver.check();
      }
      for (int i = 0; i < 4; i++) {
        // An append lacks heap, and what it left is cut off at once.
        // An even sum of both numbers: a write that fails has no effect or writes a part.
        int n = 2 - errors.failures() % 2;
        errors.fail(
            ErrorDisk.Fault.HEAP, ErrorDisk.Operation.WRITE, name -> name.endsWith(".wal"), n);
        for (int j = 0; j < 12 && !errors.fired(); j++) {
          driver.write(2, 600, false);
        }
        errors.heal();
        driver.write(1, 200 + 300 * i, i % 2 == 0);
        driver.check();
      }
    }
  };

  /** Merges at every occasion, in steps of one small table. */
  private static final String FOREST = "split-forest,fanout=2,table_size=4KiB,cleaning_threshold=1";

  private final String policy;
  private final int keys;
  private final Consumer<StoreOptions.Builder> settings;

  CrashLoad(String policy, int keys) {
    this(policy, keys, options -> {});
  }

  CrashLoad(String policy, int keys, Consumer<StoreOptions.Builder> settings) {
    this.policy = policy;
    this.keys = keys;
    this.settings = settings;
  }

  /**
   * All that was done.
   *
   * @param ops what was done to the disk, which was empty
   * @param ledger what was written
   */
  public record Trace(
      CrashLoad load, List<DiskOp> ops, CrashLedger ledger, List<ManifestWrite> records) {

    /** The last record that was written before an operation, or null. */
    ManifestWrite lastRecord(int operation) {
      ManifestWrite last = null;
      for (ManifestWrite record : records) {
        if (record.index >= operation) {
          break;
        }
        last = record;
      }
      return last;
    }
  }

  /** A load that a failing call ended. */
  public static final class Stopped extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient Trace trace;
    private final boolean sound;

    private Stopped(Trace trace, boolean sound, Exception cause) {
      super(trace.load() + " after " + trace.ops().size() + " operations: " + cause, cause);
      this.trace = trace;
      this.sound = sound;
    }

    /** True if the disk was sound then; it may have been full, or the process killed, before. */
    public boolean onSoundDisk() {
      return sound;
    }

    /** What was done up to then. */
    public Trace trace() {
      return trace;
    }
  }

  /**
   * A record of a manifest.
   *
   * @param index the operation that wrote it
   * @param file the manifest's name
   * @param offset where it begins
   * @param bytes the record with its header
   * @param kinds the kinds of the changes in it
   */
  record ManifestWrite(int index, String file, int offset, byte[] bytes, Set<String> kinds) {}

  private static List<ManifestWrite> records(List<DiskOp> ops) {
    List<ManifestWrite> records = new ArrayList<>();
    for (int i = 0; i < ops.size(); i++) {
      DiskOp op = ops.get(i);
      if (op.kind() == DiskOp.Kind.WRITE
          && op.name().endsWith(".manifest")
          && op.position() > 0
          && op.bytes().length > RecordFrame.HEADER_BYTES) {
        byte[] payload = RecordFrame.payload(op.bytes());
        if (payload != null && ManifestRecord.isLegible(payload)) {
          records.add(
              new ManifestWrite(
                  i, op.name(), (int) op.position(), op.bytes(), ManifestRecord.kinds(payload)));
        }
      }
    }
    return records;
  }

  /** The options under which what a loss of power left is opened. */
  StoreOptions options() {
    return CrashDriver.options(policy, settings);
  }

  abstract void run(CrashDriver driver) throws IOException;

  /** Runs the load on an empty disk and leaves the store open. */
  public Trace record(Random random) throws IOException {
    return record(random, disk -> disk);
  }

  /** As above, and then makes a checkpoint. */
  Trace record(Random random, Disk checkpoint) throws IOException {
    return record(random, disk -> disk, recorded -> {}, checkpoint);
  }

  /** As above, with a disk of the caller's between the store and the recorded one. */
  public Trace record(Random random, UnaryOperator<Disk> wrapper) throws IOException {
    return record(random, wrapper, recorded -> {});
  }

  /** As above; {@code watcher} gets the recorded disk before anything is done to it. */
  public Trace record(Random random, UnaryOperator<Disk> wrapper, Consumer<RecordingDisk> watcher)
      throws IOException {
    return record(random, wrapper, watcher, null);
  }

  private Trace record(
      Random random, UnaryOperator<Disk> wrapper, Consumer<RecordingDisk> watcher, Disk checkpoint)
      throws IOException {
    CrashLedger ledger = new CrashLedger();
    MemDisk memory = new MemDisk();
    RecordingDisk recorded = new RecordingDisk(memory, ledger::durable, ledger::submitted);
    watcher.accept(recorded);
    ErrorDisk errors = new ErrorDisk(recorded);
    CrashDriver driver =
        new CrashDriver(memory, errors, wrapper.apply(errors), random, keys, ledger, settings);
    try {
      driver.open(policy);
      run(driver);
      recorded.stop();
      driver.release();
      if (checkpoint != null) {
        driver.checkpoint(checkpoint);
      }
      driver.rest();
      return new Trace(this, recorded.ops(), ledger, records(recorded.ops()));
    } catch (CrashViolation e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      recorded.stop();
      List<DiskOp> ops = recorded.ops();
      boolean sound = errors.failures() == 0 || this != READ_ERRORS;
      throw new Stopped(new Trace(this, ops, ledger, records(ops)), sound, e);
    } finally {
      recorded.stop();
      memory.capacity(Long.MAX_VALUE);
      driver.abandon();
    }
  }

  private static void flushesAndPlans(CrashDriver driver, int flushes, int writes)
      throws IOException {
    for (int i = 0; i < flushes; i++) {
      driver.writes(writes);
      driver.flush();
      driver.writes(i % 3);
      driver.steps(driver.random().nextInt(16));
    }
    driver.check();
    driver.writes(5);
  }

  private static boolean isManifest(String name) {
    return name.endsWith(".manifest");
  }

  private static void leaveFree(MemDisk memory, long bytes) {
    memory.capacity(Long.MAX_VALUE);
    memory.capacity(Long.MAX_VALUE - memory.freeBytes() + bytes);
  }
}
