// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.compaction;

import io.coppice.base.CorruptionException;
import io.coppice.base.UnreadableTables;
import io.coppice.compaction.context.CompactionContext;
import io.coppice.io.FileKind;
import io.coppice.manifest.FamilyVersions;
import io.coppice.table.OpenTables;
import io.coppice.version.Run;
import io.coppice.version.Version;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tables of a family that a major compaction takes: all that exist when it begins, except those
 * that cannot be read. Guarded by the compactor's lock.
 */
final class MajorCompactionScope {

  private static final long NOT_RUNNING = -1;

  private final FamilyVersions versions;
  private final OpenTables tables;

  /** Tables and runs from this number on came too late for the major compaction. */
  private long boundary = NOT_RUNNING;

  /** Tables that are left out, by number in the order found, with their faults. */
  private final Map<Long, RuntimeException> skipped = new LinkedHashMap<>();

  MajorCompactionScope(FamilyVersions versions, OpenTables tables) {
    this.versions = versions;
    this.tables = tables;
  }

  /** Begins a major compaction of the present tables, except those already found damaged. */
  void begin() {
    boundary = versions.nextNumber();
    skipped.clear();
    for (CorruptionException damage : tables.damaged()) {
      leaveOut(damage);
    }
  }

  void end() {
    boundary = NOT_RUNNING;
  }

  boolean isRunning() {
    return boundary != NOT_RUNNING;
  }

  /** Returns the runs of level 0 that were flushed after the major compaction began. */
  Set<Long> lateRuns(Version version) {
    Set<Long> late = new HashSet<>();
    for (Run run : version.levels().get(0).runs()) {
      if (run.id() >= boundary) {
        late.add(run.id());
      }
    }
    return late;
  }

  /**
   * Leaves a damaged table out of the major compaction. Another part of a running merge may report
   * the same table again; later plans do not see it.
   *
   * @return whether the damaged file is a table of this family; otherwise nothing changes
   */
  boolean leaveOut(CorruptionException damage) {
    OptionalLong number = FileKind.TABLE.numberOf(damage.file());
    boolean present =
        number.isPresent()
            && versions.current().tables().stream()
                .anyMatch(table -> table.number() == number.getAsLong());
    if (present) {
      skipped.putIfAbsent(number.getAsLong(), damage);
    }
    return present;
  }

  Set<Long> skippedTables() {
    return skipped.keySet();
  }

  /**
   * Returns one exception for the faults of all tables that the last major compaction left out;
   * null if it left out none.
   */
  @Nullable RuntimeException faultOfSkippedTables() {
    return UnreadableTables.joined(skipped.values());
  }

  /**
   * Returns the ids of the slices that a rewrite of the last run takes. Their tables existed before
   * the major compaction began and contain droppable entries, two facts unknown to the policy.
   * Tables that turn out to be unreadable are left out.
   *
   * @throws UncheckedIOException if the whole disk cannot be read
   */
  Set<Long> slicesToRewrite(Version version, CompactionContext context) {
    Set<Long> old = new HashSet<>();
    long now = context.hooks().clock().millis();
    long[] snapshots = context.openSnapshots();
    version.forEachSlice(
        slice -> {
          long table = slice.table().number();
          try {
            if (table < boundary
                && !skipped.containsKey(table)
                && (context.hooks().filter() != null
                    || tables.get(table).mayShrink(now, snapshots))) {
              old.add(slice.id());
            }
          } catch (CorruptionException damage) {
            leaveOut(damage);
          } catch (UncheckedIOException e) {
            try {
              context.disk().list();
            } catch (IOException wholeDisk) {
              throw e;
            }
            skipped.put(table, e);
          }
        });
    return old;
  }
}
