// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.bytes.Bytes;
import io.coppice.entry.EntryBatch;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryKind;
import io.coppice.entry.RangeDeletions;
import io.coppice.io.Disk;
import io.coppice.table.check.TableSalvage;
import io.coppice.table.check.TableSalvage.Part;
import io.coppice.version.ManifestState;
import io.coppice.version.Slice;
import io.coppice.version.Version;
import io.coppice.wal.WalWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.LongFunction;

/**
 * Search for keys whose newest entries are merge operands while the value under these operands,
 * their base, may be lost. Such a key would show a value that it never had. The repair therefore
 * deletes it with a log that is newer than all others.
 */
final class LostBases {

  private static final int BATCH_ENTRIES = 1000;
  private static final int BATCH_BYTES = 1 << 20;
  private static final long NEWEST = Long.MAX_VALUE;

  /**
   * Range of keys whose entries in a table are lost.
   *
   * @param low null for every smaller key
   * @param inclusive whether {@code low} belongs to the range
   * @param high inclusive
   * @param newer parts of tables with newer entries of these keys; null if the order of tables is
   *     unknown
   * @param own the remaining part of the table; null if there is none
   * @param minSequence lower bound of the lost sequence numbers
   * @param maxSequence upper bound of the lost sequence numbers
   */
  private record Region(
      int family,
      byte[] low,
      boolean inclusive,
      byte[] high,
      List<Part> newer,
      Part own,
      long minSequence,
      long maxSequence) {

    boolean contains(int number, byte[] key) {
      return number == family
          && (low == null || Bytes.compare(low, key) < (inclusive ? 1 : 0))
          && Bytes.compare(key, high) <= 0;
    }

    /**
     * Returns whether an entry with this sequence number is known to be newer than the lost ones.
     */
    boolean isNewer(long sequence) {
      return newer != null ? sequence >= 0 : sequence >= maxSequence;
    }
  }

  private final List<Region> regions = new ArrayList<>();
  private final LoggedChains logged = new LoggedChains(this::isOfInterest);

  /** Whether a log is missing that was written before all others. */
  private boolean logMissing;

  private boolean isOfInterest(int family, byte[] key) {
    return logMissing || regions.stream().anyMatch(region -> region.contains(family, key));
  }

  /** Records that the oldest log is missing: operands in other logs may apply to its entries. */
  void missLog() {
    logMissing = true;
  }

  /** Records lost entries of a table whose age among the tables of its family is unknown. */
  void lose(int family, Lost lost) {
    regions.add(
        new Region(
            family,
            lost.low,
            lost.inclusive,
            lost.high,
            null,
            null,
            lost.minSequence,
            lost.maxSequence));
  }

  /**
   * Range of keys whose entries in a table are lost; the components are those of {@link Region}.
   */
  record Lost(byte[] low, boolean inclusive, byte[] high, long minSequence, long maxSequence) {}

  /**
   * Records lost entries of the tables of a family whose order the manifest defines.
   *
   * @param version the family's version in the manifest
   * @param lost lost entries by table number
   * @param left returns the remaining part of a slice by its id; null if there is none
   */
  void lose(int family, Version version, Map<Long, List<Lost>> lost, LongFunction<Slice> left) {
    List<Part> newer = new ArrayList<>();
    for (Slice slice : version.slices()) {
      Slice kept = left.apply(slice.id());
      Part own = kept == null ? null : new Part(kept.table(), kept.window());
      for (Lost one : lost.getOrDefault(slice.table().number(), List.of())) {
        byte[] low = one.low;
        boolean inclusive = one.inclusive;
        byte[] windowLow = slice.window().low();
        if (windowLow != null && (low == null || Bytes.compare(windowLow, low) >= 0)) {
          low = windowLow;
          inclusive = false;
        }
        byte[] windowHigh = slice.window().high();
        boolean cut = windowHigh != null && Bytes.compare(windowHigh, one.high) < 0;
        byte[] high = cut ? windowHigh : one.high;
        if (low == null || Bytes.compare(low, high) < (inclusive ? 1 : 0)) {
          regions.add(
              new Region(
                  family,
                  low,
                  inclusive,
                  high,
                  overlapping(newer, low, high),
                  own,
                  one.minSequence,
                  one.maxSequence));
        }
      }
      if (own != null) {
        newer.add(own);
      }
    }
  }

  private static List<Part> overlapping(List<Part> parts, byte[] low, byte[] high) {
    return parts.stream()
        .filter(
            part ->
                Bytes.compare(part.table().smallestKey(), high) <= 0
                    && (low == null || Bytes.compare(low, part.table().largestKey()) <= 0))
        .toList();
  }

  /**
   * Returns the collector for the entries of the remaining logs, which must be added oldest first,
   * because later ones apply to earlier ones.
   */
  LoggedChains logged() {
    return logged;
  }

  /**
   * Returns the keys whose base may be lost, by family number; families without such keys, or
   * outside the given state, are left out.
   *
   * @throws IOException if a table cannot be read
   */
  Map<Integer, NavigableSet<byte[]>> find(Disk disk, ManifestState state) throws IOException {
    Map<Integer, NavigableSet<byte[]>> found = new HashMap<>();
    for (Region region : regions) {
      ManifestState.Family family = state.family(region.family);
      if (family != null) {
        List<Part> parts = region.newer == null ? all(family.version(), region) : region.newer;
        NavigableSet<byte[]> keys = new TreeSet<>(Bytes.ORDER);
        RegionScan scan = new RegionScan(region, logged, keys);
        TableSalvage.scan(disk, parts, scan::run);
        if (scan.lowUndecided) {
          TableSalvage.scan(disk, List.of(region.own), scan::runOwn);
        }
        found.computeIfAbsent(region.family, x -> new TreeSet<>(Bytes.ORDER)).addAll(keys);
      }
    }
    if (logMissing) {
      for (ManifestState.Family family : state.families()) {
        NavigableSet<byte[]> keys =
            found.computeIfAbsent(family.number(), x -> new TreeSet<>(Bytes.ORDER));
        logged
            .of(family.number())
            .forEach(
                (key, based) -> {
                  if (!based) {
                    keys.add(key);
                  }
                });
      }
    }
    found.values().removeIf(NavigableSet::isEmpty);
    return found;
  }

  private static List<Part> all(Version version, Region region) {
    List<Part> parts = new ArrayList<>();
    for (Slice slice : version.slices()) {
      parts.add(new Part(slice.table(), slice.window()));
    }
    return overlapping(parts, region.low, region.high);
  }

  /**
   * Deletes keys by a new log, which is durable on return.
   *
   * @param number number of the log
   * @param firstSequence sequence number of its first entry
   * @param keys keys by family number
   * @throws IOException if the log cannot be written; a part of it may remain
   */
  static void delete(
      Disk disk, long number, long firstSequence, Map<Integer, NavigableSet<byte[]>> keys)
      throws IOException {
    try (WalWriter log = WalWriter.create(disk, number)) {
      long sequence = firstSequence;
      EntryBatch batch = new EntryBatch();
      for (Map.Entry<Integer, NavigableSet<byte[]>> family : new TreeMap<>(keys).entrySet()) {
        for (byte[] key : family.getValue()) {
          batch.in(family.getKey()).delete(key, 0, key.length);
          if (batch.count() == BATCH_ENTRIES || batch.bytes().length() > BATCH_BYTES) {
            log.append(sequence, List.of(batch));
            sequence += batch.count();
            batch = new EntryBatch();
          }
        }
      }
      if (batch.count() > 0) {
        log.append(sequence, List.of(batch));
      }
      log.finish();
    }
  }

  /** Search of one region: examines the newest entries of each of its keys. */
  private static final class RegionScan {
    private final Region region;
    private final NavigableMap<byte[], Boolean> chains;
    private final LoggedChains logged;
    private final NavigableSet<byte[]> found;

    /** Whether only the remaining part of the table can show if the smallest key has its base. */
    private boolean lowUndecided;

    /** Whether newer tables or logs merge operands into the smallest key. */
    private boolean lowOpen;

    RegionScan(Region region, LoggedChains logged, NavigableSet<byte[]> found) {
      this.region = region;
      this.logged = logged;
      this.chains = logged.of(region.family);
      this.found = found;
    }

    void run(EntryCursor entries, RangeDeletions ranges) {
      NavigableSet<byte[]> onlyLogged = new TreeSet<>(Bytes.ORDER);
      chains.forEach(
          (key, based) -> {
            if (!based && region.contains(region.family, key)) {
              onlyLogged.add(key);
            }
          });
      if (region.low == null) {
        entries.first();
      } else {
        entries.seek(region.low, 0, region.low.length);
      }
      while (entries.valid()) {
        byte[] key = Bytes.copy(entries.keyArray(), entries.keyOffset(), entries.keyLength());
        if (Bytes.compare(key, region.high) > 0) {
          break;
        }
        onlyLogged.remove(key);
        boolean lacking = lacksBase(entries, key, isCovered(ranges, key));
        if (lacking && region.contains(region.family, key)) {
          found.add(key);
        }
      }
      onlyLogged.removeIf(key -> isCovered(ranges, key));
      found.addAll(onlyLogged);
      if (region.own != null && region.inclusive) {
        byte[] low = region.low;
        lowOpen = found.remove(low);
        lowUndecided = lowOpen || !isBasedByNewer(entries, low, isCovered(ranges, low));
      }
    }

    private boolean isBasedByNewer(EntryCursor entries, byte[] key, boolean covered) {
      entries.seek(key, 0, key.length);
      return covered
          || chains.containsKey(key)
          || logged.deletes(region.family, key)
          || isAt(entries, key);
    }

    /**
     * Examines the remaining entries of the smallest key in the table itself. They are newer than
     * the lost entries, unless all lost entries are of this key.
     */
    void runOwn(EntryCursor entries, RangeDeletions ranges) {
      byte[] key = region.low;
      boolean open = lowOpen;
      boolean based = false;
      entries.seek(key, 0, key.length);
      while (!based && isAt(entries, key)) {
        based = entries.kind() != EntryKind.MERGE;
        open |= !based;
        entries.next();
      }
      if (open && (!based || Bytes.compare(key, region.high) == 0)) {
        found.add(key);
      }
    }

    private static boolean isAt(EntryCursor entries, byte[] key) {
      return entries.valid()
          && Bytes.equal(
              key, 0, key.length, entries.keyArray(), entries.keyOffset(), entries.keyLength());
    }

    private boolean isCovered(RangeDeletions ranges, byte[] key) {
      return region.isNewer(ranges.newestCovering(key, 0, key.length, NEWEST));
    }

    /**
     * Returns whether the operands of a key may lack their base. Moves past the entries of the key.
     *
     * @param covered whether range deletions hide what is older
     */
    private boolean lacksBase(EntryCursor entries, byte[] key, boolean covered) {
      Boolean based = chains.get(key);
      boolean decided = covered || logged.deletes(region.family, key) || Boolean.TRUE.equals(based);
      boolean open = !decided && based != null;
      while (isAt(entries, key)) {
        boolean operand = entries.kind() == EntryKind.MERGE;
        if (!decided && !operand) {
          decided = true;
          open &= !region.isNewer(entries.sequence());
        } else if (!decided && !open) {
          open = region.newer != null || entries.sequence() > region.minSequence;
          decided = !open;
        }
        entries.next();
      }
      return open;
    }
  }
}
