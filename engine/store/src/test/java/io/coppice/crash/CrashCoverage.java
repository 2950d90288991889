// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.crash;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.crash.CrashLoad.ManifestWrite;
import io.coppice.crash.CrashLoad.Trace;
import io.coppice.io.DiskImage.State;
import io.coppice.io.DiskOp;
import io.coppice.io.MemDisk.Stored;
import io.coppice.io.disk.CallSite;
import io.coppice.manifest.ManifestRecord;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * At which lines of the engine the power was cut, and how; and what recoveries met. Safe to share
 * between threads.
 */
public final class CrashCoverage {

  /** What is left of the last record of a manifest. */
  enum Fate {
    LOST,
    TORN,
    WHOLE
  }

  /** What a recovery does besides beginning a new manifest and a new log. */
  enum Branch {
    /** A log is replayed, and kept, or its entries become tables. */
    REPLAYS_LOG,
    /** A log is removed. */
    REMOVES_LOG,
    /** A table that the manifest does not name is removed. */
    REMOVES_TABLE,
    /** A manifest is removed. */
    REMOVES_MANIFEST,
    /** There was none of these. */
    NOTHING
  }

  /** The last record written before a crash, by a kind of change in it. */
  record Met(String kind, Fate fate, Branch branch) {}

  private final Set<CallSite> around = ConcurrentHashMap.newKeySet();
  private final Set<CallSite> torn = ConcurrentHashMap.newKeySet();
  private final Set<CallSite> tearable = ConcurrentHashMap.newKeySet();
  private final Set<Met> records = ConcurrentHashMap.newKeySet();

  void beforeAndAfter(DiskOp op) {
    around.add(op.site());
  }

  /** An operation that can happen in part. */
  void tearable(DiskOp op) {
    tearable.add(op.site());
  }

  void torn(DiskOp op) {
    torn.add(op.site());
  }

  /** A state before an operation was recovered in such a way. */
  void recovered(Trace trace, int k, State state, Set<Branch> branches) {
    ManifestWrite last = trace.lastRecord(k);
    if (last == null) {
      return;
    }
    Fate fate = fate(last, state.files().get(last.file()));
    for (String kind : last.kinds()) {
      for (Branch branch : branches) {
        records.add(new Met(kind, fate, branch));
      }
    }
  }

  private static Fate fate(ManifestWrite write, Stored stored) {
    if (stored == null || stored.length() <= write.offset()) {
      return Fate.LOST;
    }
    int end = write.offset() + write.bytes().length;
    if (stored.length() < end) {
      return Fate.TORN;
    }
    boolean same =
        Arrays.equals(stored.array(), write.offset(), end, write.bytes(), 0, write.bytes().length);
    return same ? Fate.WHOLE : Fate.TORN;
  }

  /** What a recovery did, by its operations. */
  static Set<Branch> branches(List<DiskOp> recovery) {
    Set<Branch> branches = EnumSet.noneOf(Branch.class);
    for (DiskOp op : recovery) {
      if ((op.kind() == DiskOp.Kind.CREATE && op.name().endsWith(".tbl"))
          || (op.kind() == DiskOp.Kind.OPEN && op.name().endsWith(".wal"))) {
        branches.add(Branch.REPLAYS_LOG);
      } else if (op.kind() == DiskOp.Kind.DELETE) {
        if (op.name().endsWith(".wal")) {
          branches.add(Branch.REMOVES_LOG);
        } else if (op.name().endsWith(".tbl")) {
          branches.add(Branch.REMOVES_TABLE);
        } else if (op.name().endsWith(".manifest")) {
          branches.add(Branch.REMOVES_MANIFEST);
        }
      }
    }
    if (branches.isEmpty()) {
      branches.add(Branch.NOTHING);
    }
    return branches;
  }

  Set<CallSite> around() {
    return around;
  }

  Set<Met> records() {
    return records;
  }

  static Set<String> allKinds() {
    return ManifestRecord.allKinds();
  }

  /** Returns the failure of {@link #check} on one line; an empty text if it passes. */
  String leftOut(Set<CallSite> sites) {
    try {
      check(sites);
      return "";
    } catch (AssertionError e) {
      return e.getMessage().strip().replaceAll("\\s+", " ");
    }
  }

  /** Fails with the names of what was not covered. */
  void check(Set<CallSite> sites) {
    Set<String> reached = lines(around);
    Set<String> missed = new TreeSet<>();
    for (CallSite site : sites) {
      if (!reached.contains(line(site))) {
        missed.add(site.toString());
      }
    }
    assertThat(missed).as("call sites around which the power was not cut").isEmpty();
    Set<String> whole = lines(tearable);
    whole.removeAll(lines(torn));
    assertThat(whole).as("call sites inside which the power was not cut").isEmpty();
    assertThat(unmet()).as("records that recoveries did not meet").isEmpty();
  }

  /** Combinations that could have been met. */
  Map<String, Set<String>> unmet() {
    Map<String, Set<String>> unmet = new TreeMap<>();
    for (String kind : allKinds()) {
      for (Fate fate : Fate.values()) {
        if (records.stream().noneMatch(met -> met.kind.equals(kind) && met.fate == fate)) {
          unmet.computeIfAbsent(kind, x -> new TreeSet<>()).add(fate.name());
        }
      }
      for (Branch branch : Branch.values()) {
        if (branch != Branch.NOTHING
            && !isImpossible(kind, branch)
            && records.stream().noneMatch(met -> met.kind.equals(kind) && met.branch == branch)) {
          unmet.computeIfAbsent(kind, x -> new TreeSet<>()).add(branch.name());
        }
      }
    }
    return unmet;
  }

  /** In these loads the last record of a closed store follows the flush that ends its logs. */
  private static boolean isImpossible(String kind, Branch branch) {
    return kind.equals(ManifestRecord.NOTHING) && branch == Branch.REPLAYS_LOG;
  }

  private static Set<String> lines(Set<CallSite> sites) {
    Set<String> lines = new TreeSet<>();
    sites.forEach(site -> lines.add(line(site)));
    return lines;
  }

  private static String line(CallSite site) {
    return site.type() + ":" + site.line();
  }
}
