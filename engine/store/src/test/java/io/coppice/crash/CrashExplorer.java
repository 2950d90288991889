// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import io.coppice.crash.CrashLoad.Trace;
import io.coppice.crash.CrashTrial.Recovered;
import io.coppice.io.Disk;
import io.coppice.io.DiskImage;
import io.coppice.io.DiskImage.State;
import io.coppice.io.DiskOp;
import io.coppice.io.MemDisk.Stored;
import io.coppice.io.disk.CallSite;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;

/**
 * Cuts the power at every operation of a trace, and at operations inside the recoveries that
 * follow. A content that was seen before is not opened again, but must still be good enough for
 * what was acknowledged by then.
 */
public final class CrashExplorer {

  private final Trace trace;
  private final CrashTrial trial;
  private final CrashCoverage coverage;
  private final Random random;
  private final int statesPerPoint;
  private final int secondCrashes;

  /** What a content shows, and what its recovery does. */
  private record Known(long digest, Set<CrashCoverage.Branch> branches) {}

  /** By the hash of the content. */
  private final Map<Long, Known> shown = new HashMap<>();

  private final Set<Long> first = new HashSet<>();
  private final Set<Long> second = new HashSet<>();

  /** Where a second power loss left an operation done in part. */
  private final Set<CallSite> tornAgain = new HashSet<>();

  /** Where the power was cut in a recovery, if every place is to be met. */
  private final Set<CallSite> cutAgain = new HashSet<>();

  private boolean everyPlace;
  private long checked;

  /**
   * Prepares to explore a trace.
   *
   * @param wrapper wraps the disks of stores
   * @param statesPerPoint how many states to look at for each operation, three at least
   * @param secondCrashes how many states to look at inside each recovery
   */
  public CrashExplorer(
      Trace trace,
      UnaryOperator<Disk> wrapper,
      CrashCoverage coverage,
      Random random,
      int statesPerPoint,
      int secondCrashes) {
    this.trace = trace;
    this.trial = new CrashTrial(trace, wrapper);
    this.coverage = coverage;
    this.random = random;
    this.statesPerPoint = statesPerPoint;
    this.secondCrashes = secondCrashes;
  }

  /** Distinct contents that a crash of the load left, filters and reserve aside. */
  Set<Long> first() {
    return first;
  }

  /** Distinct contents that a crash of a recovery left and that are not among the first. */
  Set<Long> second() {
    return second;
  }

  /** Distinct contents, filters included, that were opened. */
  int contents() {
    return shown.size();
  }

  /** States checked, also those seen before. */
  long checked() {
    return checked;
  }

  /** From now on also cuts the power once at every line that works in some recovery. */
  CrashExplorer atEveryPlace() {
    everyPlace = true;
    return this;
  }

  /** Explores all operations; the first broken promise ends it. */
  public void run() {
    run(k -> true);
  }

  /** Explores the states before some of the operations, and at the end. */
  public void run(IntPredicate chosen) {
    List<DiskOp> ops = trace.ops();
    DiskImage image = new DiskImage(Map.of());
    while (true) {
      int k = image.applied();
      boolean end = k == ops.size();
      if (!end && !chosen.test(k)) {
        image.apply(ops.get(k));
        continue;
      }
      long least = end ? trace.ledger().durable() : ops.get(k).least();
      long most = end ? trace.ledger().submitted() : ops.get(k).most();
      before(image, least, most);
      if (end) {
        return;
      }
      DiskOp next = ops.get(k);
      int tears = next.kind() == DiskOp.Kind.WRITE ? 2 : 1;
      for (int i = 0; i < tears; i++) {
        State torn = image.torn(next, random);
        if (torn != null) {
          coverage.tearable(next);
          coverage.torn(next);
          check(torn, least, most, "torn " + next, k + 1);
        }
      }
      image.apply(next);
      coverage.beforeAndAfter(next);
    }
  }

  private void before(DiskImage image, long least, long most) {
    int k = image.applied();
    State lost = image.allLost();
    State kept = image.allKept();
    check(lost, least, most, "all lost", k);
    if (kept.hash() == lost.hash()) {
      return;
    }
    check(kept, least, most, "all kept", k);
    check(image.prefix(random.nextInt(k + 1)), least, most, "prefix", k);
    for (int i = 3; i < statesPerPoint; i++) {
      check(image.random(random), least, most, "random", k);
    }
  }

  private void check(State state, long least, long most, String manner, int k) {
    checked++;
    Known known = shown.get(state.hash());
    if (known == null || !trace.ledger().isPrefix(known.digest, least, most)) {
      recover(state, least, most, manner, k);
    } else {
      coverage.recovered(trace, k, state, known.branches);
    }
  }

  private void recover(State state, long least, long most, String manner, int k) {
    first.add(state.core());
    try {
      Recovered recovered = trial.check(state.files(), least, most, secondCrashes > 0);
      Set<CrashCoverage.Branch> branches = CrashCoverage.branches(recovered.ops());
      shown.put(state.hash(), new Known(recovered.digest(), branches));
      coverage.recovered(trace, k, state, branches);
      if (secondCrashes > 0) {
        again(state.files(), recovered);
      }
    } catch (CrashViolation e) {
      throw new CrashViolation(
          e.kind(),
          trace.load()
              + ", "
              + manner
              + " before operation "
              + k
              + (k < trace.ops().size() ? " (" + trace.ops().get(k) + ")" : "")
              + ": "
              + e.getMessage(),
          e);
    }
  }

  /**
   * Crashes inside a recovery, and recovers. What can be done in part at some line is so once, as
   * some lines are too rare to be drawn.
   */
  private void again(Map<String, Stored> files, Recovered recovered) {
    List<DiskOp> ops = recovered.ops();
    if (ops.isEmpty()) {
      return;
    }
    int stride = Math.max(1, ops.size() / secondCrashes);
    int next = random.nextInt(stride);
    DiskImage image = new DiskImage(files);
    for (DiskOp op : ops) {
      State half = tornAgain.contains(op.site()) ? null : image.torn(op, random);
      if (half != null) {
        tornAgain.add(op.site());
        coverage.tearable(op);
        coverage.torn(op);
        checkAgain(half, recovered.digest(), op);
      }
      boolean unmet = everyPlace && cutAgain.add(op.site());
      if (image.applied() == next || unmet) {
        next += image.applied() == next ? stride : 0;
        int manner = random.nextInt(8);
        if (image.torn(op, random) != null) {
          coverage.tearable(op);
        }
        State state =
            manner == 0
                ? image.allLost()
                : manner == 1
                    ? image.allKept()
                    : manner == 2
                        ? image.prefix(random.nextInt(image.applied() + 1))
                        : manner < 5 ? image.torn(op, random) : image.random(random);
        if (state == null) {
          state = image.random(random);
        } else if (manner > 2 && manner < 5) {
          coverage.torn(op);
        }
        coverage.beforeAndAfter(op);
        checkAgain(state, recovered.digest(), op);
      }
      image.apply(op);
    }
  }

  private void checkAgain(State state, long digest, DiskOp op) {
    checked++;
    Known known = shown.get(state.hash());
    if (known == null || known.digest != digest) {
      try {
        trial.checkShows(state.files(), digest);
      } catch (CrashViolation e) {
        throw new CrashViolation(
            e.kind(), "and in the recovery before " + op + ": " + e.getMessage(), e);
      }
      shown.put(state.hash(), new Known(digest, Set.of(CrashCoverage.Branch.NOTHING)));
      if (!first.contains(state.core())) {
        second.add(state.core());
      }
    }
  }
}
