// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.CorruptionException;
import io.coppice.entry.EntryBatchReader;
import io.coppice.io.Disk;
import io.coppice.io.FileHeader;
import io.coppice.io.FileKind;
import io.coppice.io.TornTail;
import io.coppice.table.TableMeta;
import io.coppice.version.ManifestState;
import io.coppice.version.Version;
import io.coppice.wal.WalReader;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeSet;

/**
 * Trustworthy part of the logs of a damaged store: everything up to the first damage in the order
 * of writing. The recovered state is therefore one that the store once had. Used once.
 */
final class LogSalvage {

  /**
   * Log that cannot stay as it is.
   *
   * @param file name of the log
   * @param text the reason, for people
   * @param keptBytes length of the prefix that can stay; 0 if none
   * @param lost whether the log may have held entries that are now missing
   * @param certain if {@code lost}, whether it is known to have held entries
   */
  record Bad(String file, String text, long keptBytes, boolean lost, boolean certain) {}

  /**
   * Range of sequence numbers missing in all tables and logs, both ends inclusive.
   *
   * @param before name of the log after the range
   */
  record Missing(String before, long first, long last) {
    String text() {
      return text(first, last);
    }

    static String text(long first, long last) {
      return String.format(
          "sequences %s to %s are in no table and no log: written without a log record, or"
              + " in a log that is missing",
          first, last);
    }
  }

  /**
   * Range of sequence numbers of an undamaged log, both ends inclusive.
   *
   * @param number file number of the log
   * @param gapless whether the log holds all numbers from the first to the last
   */
  record Span(long number, long first, long last, boolean gapless) {
    /** Returns whether the log certainly holds all entries of the table. */
    boolean covers(TableMeta table) {
      return gapless && table.minSequence() >= first && table.maxSequence() <= last;
    }

    /** Returns whether the table may hold some entries of the log. */
    boolean shares(TableMeta table) {
      return table.minSequence() <= last && table.maxSequence() >= first;
    }
  }

  private final Disk disk;
  private final ManifestState found;

  /** Numbers of logs whose entries are all known to be in tables. */
  private final Set<Long> flushed;

  /** Smallest family number that no readable edit has given out; the edit that did may be lost. */
  private final int firstUnknownFamily;

  private final List<Bad> bad = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();
  private final List<Missing> missing = new ArrayList<>();
  private final LoggedChains chains;
  private final TreeSet<Integer> families = new TreeSet<>();
  private long lastSequence;
  private boolean ended;

  /** Name of the newest log that was read to its end; null if there is none. */
  private String newest;

  private long newestEnd;

  /**
   * Creates a salvage that has read nothing yet.
   *
   * @param found the manifest state found, possibly incomplete
   * @param flushed numbers of the logs whose entries are all known to be in tables
   * @param firstUnknownFamily smallest family number that no readable edit has given out
   * @param chains receives the entries that stay
   */
  LogSalvage(
      Disk disk,
      ManifestState found,
      Set<Long> flushed,
      int firstUnknownFamily,
      LoggedChains chains) {
    this.chains = chains;
    this.disk = disk;
    this.found = found;
    this.flushed = flushed;
    this.firstUnknownFamily = firstUnknownFamily;
    this.lastSequence = found.marks().lastSequence();
  }

  /**
   * Returns the first readable sequence number of the logs from the log floor on; {@link
   * Long#MAX_VALUE} if there is none.
   */
  static long firstSequence(Disk disk, ManifestState found) throws IOException {
    for (long number : LoadedLogs.fromFloor(disk, found)) {
      try (WalReader log = WalReader.open(disk, number, TornTail.DROP)) {
        if (log.next()) {
          return log.firstSequence();
        }
      } catch (CorruptionException e) {
        // Its content may be in that table.
      }
    }
    return Long.MAX_VALUE;
  }

  /**
   * Returns the spans of all logs with entries that are undamaged except for a torn end, whether in
   * tables or not, oldest log first.
   */
  static List<Span> spans(Disk disk) throws IOException {
    List<Span> spans = new ArrayList<>();
    for (long number : LoadedLogs.fromFloor(disk.list(), 0)) {
      try (WalReader log = WalReader.open(disk, number, TornTail.DROP)) {
        long first = -1;
        long next = -1;
        boolean gapless = true;
        while (log.next()) {
          first = first < 0 ? log.firstSequence() : first;
          gapless &= next < 0 || next == log.firstSequence();
          next = log.firstSequence() + log.count();
        }
        if (first >= 0) {
          spans.add(new Span(number, first, next - 1, gapless));
        }
      } catch (CorruptionException e) {
        // Its content in tables is better than its remains.
      }
    }
    return spans;
  }

  /**
   * Reads the logs from the log floor on, oldest first. Called once, before the results are used.
   *
   * @throws IOException if a log cannot be read; damage is a result
   */
  void read() throws IOException {
    List<Long> logs = LoadedLogs.fromFloor(disk, found);
    for (int i = 0; i < logs.size(); i++) {
      String name = FileKind.WAL.fileName(logs.get(i));
      if (isMisplaced(name, logs.get(i))) {
        // The file replaced a log unless the next log continues where the last one ended.
        boolean replaced = !ended && !goesOn(logs.subList(i + 1, logs.size()));
        String text = name + " is another file than its name says";
        bad.add(new Bad(name, text, 0, replaced, false));
        ended |= replaced;
      } else if (ended) {
        bad.add(new Bad(name, name + " comes after damage and is left out", 0, true, true));
      } else {
        read(logs.get(i), i == logs.size() - 1 ? TornTail.DROP : TornTail.REFUSE);
      }
    }
    noteFamilies();
  }

  /**
   * Returns whether the first record of the first readable one of these logs follows the last
   * record read.
   */
  private boolean goesOn(List<Long> logs) throws IOException {
    for (long number : logs) {
      try (WalReader log = WalReader.open(disk, number, TornTail.DROP)) {
        if (log.next()) {
          return log.firstSequence() <= lastSequence + 1;
        }
      } catch (CorruptionException e) {
        return false;
      }
    }
    return false;
  }

  /**
   * Returns whether a log is the oldest one that counts, so that none is missing before it.
   *
   * @param number file number of the log
   */
  static boolean isFloor(ManifestState.Marks marks, long number) {
    return marks.floorBegun() && marks.walFloor() == number;
  }

  private boolean isMisplaced(String name, long number) throws IOException {
    try (Disk.InputFile file = disk.open(name)) {
      FileHeader.read(file, FileKind.WAL, number);
      return false;
    } catch (CorruptionException e) {
      return e.getMessage().endsWith("a misplaced file");
    }
  }

  private void read(long number, TornTail tornTail) throws IOException {
    String name = FileKind.WAL.fileName(number);
    long end = 0;
    long first = -1;
    long last = -1;
    TreeSet<Integer> seen = new TreeSet<>();
    CorruptionException damage = null;
    try (WalReader log = WalReader.open(disk, number, tornTail)) {
      end = FileHeader.BYTES;
      while (log.next()) {
        first = first < 0 ? log.firstSequence() : first;
        last = log.firstSequence() + log.count() - 1;
        EntryBatchReader entries = log.entries();
        while (entries.next()) {
          seen.add(entries.family());
          if (firstUnknownFamily == Integer.MAX_VALUE) {
            log.checkFamily(found.marks().nextFamily());
          }
          chains.add(entries);
        }
        end = log.end();
      }
      newest = name;
      newestEnd = log.end();
    } catch (CorruptionException e) {
      damage = e;
    }
    if (flushed.contains(number)
        && damage == null
        && last >= 0
        && last <= found.marks().lastSequence()) {
      bad.add(new Bad(name, name + " holds nothing that is not in tables", 0, false, false));
      return;
    }
    families.addAll(seen);
    if (first > lastSequence + 1 && lastSequence > 0 && !isFloor(found.marks(), number)) {
      missing.add(new Missing(name, lastSequence + 1, first - 1));
    }
    lastSequence = Math.max(lastSequence, last);
    if (damage != null) {
      ended = true;
      bad.add(new Bad(name, damage.getMessage(), end, true, true));
    }
  }

  private void noteFamilies() {
    for (int family : families.tailSet(firstUnknownFamily)) {
      if (found.family(family) == null) {
        notes.add(
            "family %s is named %s: its name is lost"
                .formatted(family, recoveredFamily(family, found).name()));
      }
    }
  }

  /** Returns the number of the oldest log that stays, whole or in part; empty if none does. */
  OptionalLong oldest() throws IOException {
    Set<String> gone = new HashSet<>();
    for (Bad one : bad) {
      if (one.keptBytes == 0) {
        gone.add(one.file);
      }
    }
    return LoadedLogs.fromFloor(disk, found).stream()
        .mapToLong(number -> number)
        .filter(number -> !gone.contains(FileKind.WAL.fileName(number)))
        .findFirst();
  }

  /** Leaves out an empty log, and reports no loss. */
  void leaveOut(String name) {
    bad.add(new Bad(name, name + " holds nothing", 0, false, false));
  }

  /**
   * Returns an empty family for a number whose name is lost. Its name is {@code recovered-N}, with
   * hyphens appended until no family in {@code known} has the name.
   */
  static ManifestState.Family recoveredFamily(int number, ManifestState known) {
    StringBuilder name = new StringBuilder("recovered-").append(number);
    while (known.family(name.toString()) != null) {
      name.append('-');
    }
    return new ManifestState.Family(number, name.toString(), "", "", "", Version.EMPTY);
  }

  List<Bad> bad() {
    return bad;
  }

  /** Returns the gaps between logs, or before the first, oldest first. */
  List<Missing> missing() {
    return missing;
  }

  /**
   * Returns the name of the newest log that is undamaged except for its end; null if there is none.
   */
  String newest() {
    return newest;
  }

  /**
   * Returns the offset after the last record of the {@link #newest} log; 0 if even its file header
   * is missing.
   */
  long newestEnd() {
    return newestEnd;
  }

  List<String> notes() {
    return notes;
  }

  long lastSequence() {
    return lastSequence;
  }

  /** Returns the manifest state found, extended by the families that only logs mention. */
  ManifestState state() {
    List<ManifestState.Family> all = new ArrayList<>(found.families());
    int next = found.marks().nextFamily();
    for (int family : families.tailSet(firstUnknownFamily)) {
      if (found.family(family) == null) {
        all.add(recoveredFamily(family, found));
        next = Math.max(next, family + 1);
      }
    }
    all.sort(Comparator.comparingInt(ManifestState.Family::number));
    ManifestState.Marks marks = found.marks();
    return new ManifestState(
        new ManifestState.Marks(
            marks.nextNumber(),
            marks.lastSequence(),
            marks.walFloor(),
            marks.floorBegun(),
            next,
            marks.clockFloor()),
        all);
  }
}
