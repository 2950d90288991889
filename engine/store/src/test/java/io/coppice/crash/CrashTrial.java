// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import io.coppice.Store;
import io.coppice.StoreOptions;
import io.coppice.TestStores;
import io.coppice.base.thread.SeededWorkers;
import io.coppice.crash.CrashViolation.Kind;
import io.coppice.io.Disk;
import io.coppice.io.DiskOp;
import io.coppice.io.MemDisk;
import io.coppice.io.MemDisk.Stored;
import io.coppice.io.RecordingDisk;
import io.coppice.recovery.StoreVerifier;
import io.coppice.recovery.Verification;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/**
 * Opens what a loss of power left and holds it against what was written: the universal check of the
 * crash tests. The store opens; its files are sound and none is superfluous; what it shows is what
 * some number of batches left, at least the durable ones; closed and opened again it shows the
 * same; and memory and files are given back.
 */
final class CrashTrial {

  /** Of so many states in one merges go on after the recovery. */
  private static final int MERGE_EVERY = 3;

  private static final int MERGE_STEPS = 12;

  private final CrashLoad.Trace trace;
  private final StoreOptions options;
  private final UnaryOperator<Disk> wrapper;
  private int count;

  /**
   * Prepares for what a load may leave.
   *
   * @param wrapper wraps the disk of the store at each opening
   */
  CrashTrial(CrashLoad.Trace trace, UnaryOperator<Disk> wrapper) {
    this.trace = trace;
    this.options = trace.load().options();
    this.wrapper = wrapper;
  }

  /** The operations of an opening, and what the store then showed. */
  record Recovered(long digest, List<DiskOp> ops) {}

  /**
   * Checks one state in full.
   *
   * @param recorded whether the operations of the opening are wanted
   */
  Recovered check(Map<String, Stored> files, long least, long most, boolean recorded) {
    MemDisk memory = new MemDisk(files);
    RecordingDisk recording = null;
    Disk disk = memory;
    List<DiskOp> ops = List.of();
    try {
      if (recorded) {
        recording = new RecordingDisk(memory, () -> least, () -> most);
        disk = recording;
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    SeededWorkers workers = new SeededWorkers(count);
    Store store = open(disk, workers);
    long digest;
    try {
      if (recorded) {
        recording.stop();
        ops = recording.ops();
      }
      digest = digest(store);
      if (!trace.ledger().isPrefix(digest, least, most)) {
        throw trace.ledger().explain(CrashDriver.contents(store), least, most);
      }
      verify(memory);
      if (count++ % MERGE_EVERY == 0) {
        lookUp(store);
        merge(store, workers, digest);
      }
    } catch (RuntimeException | Error e) {
      closeQuietly(store, e);
      throw e;
    }
    close(store, memory);
    again(memory, digest);
    return new Recovered(digest, ops);
  }

  /** Checks that a state shows what it should. */
  void checkShows(Map<String, Stored> files, long digest) {
    MemDisk memory = new MemDisk(files);
    again(memory, digest);
    if (count++ % MERGE_EVERY == 0) {
      verify(memory);
    }
  }

  private void again(MemDisk memory, long digest) {
    Store store = open(memory.reopen(), new SeededWorkers(count));
    try {
      if (digest(store) != digest) {
        throw new CrashViolation(Kind.UNSTABLE, "another opening shows something else");
      }
    } catch (RuntimeException | Error e) {
      closeQuietly(store, e);
      throw e;
    }
    close(store, memory);
  }

  private Store open(Disk disk, SeededWorkers workers) {
    try {
      return TestStores.open(wrapper.apply(disk), options, workers);
    } catch (IOException | RuntimeException | Error e) {
      throw new CrashViolation(Kind.UNOPENABLE, e.toString(), e);
    }
  }

  private static long digest(Store store) {
    try {
      return CrashDriver.digest(store);
    } catch (CrashViolation e) {
      throw e;
    } catch (RuntimeException e) {
      throw new CrashViolation(Kind.WRONG_ANSWER, "a scan fails: " + e, e);
    }
  }

  private static void verify(MemDisk memory) {
    Verification found;
    try {
      found = StoreVerifier.verify(memory.reopen());
    } catch (IOException | RuntimeException e) {
      throw new CrashViolation(Kind.UNSOUND, e.toString(), e);
    }
    if (!found.damages().isEmpty()) {
      throw new CrashViolation(Kind.UNSOUND, found.damages().toString());
    }
    if (!found.leftovers().isEmpty()) {
      throw new CrashViolation(Kind.LEFTOVER, found.leftovers().toString());
    }
  }

  /** What a scan finds a lookup finds too. */
  private static void lookUp(Store store) {
    CrashDriver.contents(store)
        .forEach(
            (key, value) -> {
              byte[] found;
              try {
                found = CrashDriver.get(store, key);
              } catch (RuntimeException e) {
                throw new CrashViolation(Kind.WRONG_ANSWER, "a lookup fails: " + e, e);
              }
              if (!Arrays.equals(found, value)) {
                throw new CrashViolation(Kind.LOST, "a lookup does not find what a scan finds");
              }
            });
  }

  private static void merge(Store store, SeededWorkers workers, long digest) {
    for (int i = 0; i < MERGE_STEPS && workers.step(); i++) {
      // On from what the crash left.
    }
    if (digest(store) != digest) {
      throw new CrashViolation(Kind.UNSTABLE, "merges after the recovery change what is shown");
    }
  }

  private void close(Store store, MemDisk memory) {
    try {
      store.close();
    } catch (RuntimeException e) {
      throw new CrashViolation(Kind.WRONG_ANSWER, "closing fails: " + e, e);
    }
    if (memory.openFiles() != 0) {
      throw new CrashViolation(Kind.LEAK, memory.openFiles() + " files are open");
    }
    if (TestStores.memory(options).usedBytes() != 0) {
      throw new CrashViolation(
          Kind.LEAK, TestStores.memory(options).usedBytes() + " bytes are held");
    }
  }

  private static void closeQuietly(Store store, Throwable reason) {
    try {
      store.close();
    } catch (RuntimeException e) {
      reason.addSuppressed(e);
    }
  }
}
