// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.recovery;

import io.coppice.base.CorruptionException;
import io.coppice.base.bytes.KeyText;
import io.coppice.base.bytes.NameText;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.disk.RealDisk;
import io.coppice.manifest.CurrentFile;
import io.coppice.manifest.Manifest;
import io.coppice.manifest.ManifestReader;
import io.coppice.manifest.ManifestSalvage;
import io.coppice.table.TableMeta;
import io.coppice.table.check.TableSalvage;
import io.coppice.table.check.TableVerifier;
import io.coppice.version.EditOp;
import io.coppice.version.Level;
import io.coppice.version.ManifestState;
import io.coppice.version.Run;
import io.coppice.version.Segment;
import io.coppice.version.Slice;
import io.coppice.version.Version;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.DoubleConsumer;

/**
 * Repair of a store that does not open; {@code docs/how-to/repair.md} defines the rules.
 *
 * <ol>
 *   <li>Levels: from the current manifest, or from the newest undamaged one if {@code CURRENT} is
 *       lost. A damaged manifest counts up to its damage if no table holds more. Otherwise the
 *       tables themselves define the levels.
 *   <li>Tables: a new table with the undamaged blocks replaces a damaged one.
 *   <li>Logs: they count up to the first damage; later writes are dropped.
 *   <li>A new manifest of all that becomes current. Only then are damaged files removed; the
 *       directory {@code lost} keeps each of them.
 * </ol>
 *
 * <p>A crash in between leaves a store that can be repaired again. The class is shipped with the
 * command line, in the artifact with the classifier {@code cli}. Its methods are safe to call by
 * several threads; they lock the store.
 */
public final class Repairer {

  /** Times that a repair reads all tables: before, to copy what is left, and afterwards. */
  private static final double PASSES = 3;

  private final Disk disk;
  private final DoubleConsumer progress;
  private final List<String> done = new ArrayList<>();
  private final List<RepairReport.Loss> losses = new ArrayList<>();
  private final Set<String> aside = new LinkedHashSet<>();

  /** Names of the copied prefixes of damaged logs, by the names that they finally get. */
  private final Map<String, String> replacements = new HashMap<>();

  /** Names of the logs written after a damaged one, oldest first. */
  private final List<String> behindDamage = new ArrayList<>();

  /** Number of each damaged table, by the number of the new table that holds its remains. */
  private final Map<Long, Long> copied = new HashMap<>();

  /** Lost entries by the number of the damaged table. */
  private final Map<Long, List<LostBases.Lost>> lost = new HashMap<>();

  private final LostBases bases = new LostBases();

  private boolean deletedMayReturn;

  /** Whether edits of the manifest are lost, which may have named more logs. */
  private boolean editsLost;

  /** Smallest family number that no readable edit has given out; the edit that did may be lost. */
  private int firstUnknownFamily = Integer.MAX_VALUE;

  /** Numbers of the logs that are in tables, found from logs and tables if the manifest is lost. */
  private Set<Long> flushed = Set.of();

  private long nextNumber;

  private Repairer(Disk disk, DoubleConsumer progress) {
    this.disk = disk;
    this.progress = progress;
  }

  /**
   * Repairs the store in this directory. Unreadable entries are dropped and reported with file and
   * key range. Damaged files are moved to a directory {@code lost} inside the store's; nothing
   * damaged is deleted. An undamaged store stays unchanged.
   *
   * @param progress receives the share of the work done, from 0 to 1, in the calling thread
   * @throws io.coppice.base.LockedException if a store has the directory open
   * @throws io.coppice.base.VersionException if the store was written by a newer version
   * @throws IOException if the directory holds no store, which leaves it unchanged; or if reading
   *     or writing fails
   */
  public static RepairReport repair(Path directory, DoubleConsumer progress) throws IOException {
    Objects.requireNonNull(progress, "progress");
    Path existing = directory.toRealPath();
    try (Disk disk = RealDisk.openForReading(existing)) {
      ManifestReader.refuseWithoutStore(disk);
    }
    try (Disk disk = RealDisk.open(existing)) {
      return repair(disk, progress);
    }
  }

  /**
   * Repairs the store on this disk.
   *
   * @throws IOException if the disk cannot be read or written; the repair may then be repeated
   * @throws io.coppice.base.VersionException if the store was written by a newer version; nothing
   *     was changed
   */
  public static RepairReport repair(Disk disk) throws IOException {
    return repair(disk, share -> {});
  }

  /**
   * Repairs the store on this disk and reports progress.
   *
   * @param progress receives the share of the work done, from 0 to 1; everything is read before the
   *     repair if a manifest is in force, during it, and again afterwards
   */
  public static RepairReport repair(Disk bare, DoubleConsumer progress) throws IOException {
    Disk disk = new RepairDisk(bare);
    Verification before = StoreVerifier.verify(disk, share -> progress.accept(share / PASSES));
    if (!before.damaged() && !holdMore(disk)) {
      return new RepairReport(List.of(), List.of(), List.of(), false, before);
    }
    double read = before.tables() == 0 ? 0 : 1 / PASSES;
    return new Repairer(disk, share -> progress.accept(read + (1 - read) * share)).run();
  }

  private static boolean holdMore(Disk disk) throws IOException {
    ManifestReader found = ManifestReader.read(disk);
    return MissingEditCheck.tablesHoldMore(disk, found.state(), found.named());
  }

  /**
   * Verifies a store like {@code Store.verify}, but retries failed reads once, and reports an
   * unreadable part of the manifest as damage too.
   *
   * @param progress receives the share done, from 0 to 1, in the calling thread
   * @throws io.coppice.base.LockedException if a store has the directory open
   * @throws io.coppice.base.VersionException if the store was written by a newer version
   * @throws UncheckedIOException if the directory cannot be read
   */
  public static Verification verify(Path directory, DoubleConsumer progress) {
    Objects.requireNonNull(progress, "progress");
    try (Disk disk = RealDisk.openForReading(directory)) {
      return verify(disk, progress);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot verify: " + e.getMessage(), e);
    }
  }

  /** Verifies the store on this disk, as {@link #verify(Path, DoubleConsumer)} does. */
  public static Verification verify(Disk disk, DoubleConsumer progress) throws IOException {
    return StoreVerifier.verify(new RepairDisk(disk), progress);
  }

  private RepairReport run() throws IOException {
    List<String> names = new ArrayList<>(disk.list());
    names.sort(null);
    nextNumber = FileKind.maxNumber(names) + 1;
    ManifestState found = catalogue(names);
    LogSalvage logs = logs(found, names);
    deleteWithoutBase(logs);
    OptionalLong oldest = logs.oldest();
    EditOp.WalFloor floor =
        new EditOp.WalFloor(oldest.isPresent() ? oldest.getAsLong() : number(), oldest.isPresent());
    Manifest.write(disk, logs.state(), floor, nextNumber);
    done.add("a manifest of what is left was put in force");
    if (!behindDamage.isEmpty()) {
      // They go first: without the damage, no reader would notice the gap before them.
      for (String log : behindDamage) {
        disk.delete(log);
      }
      disk.syncDirectory();
    }
    for (String name : aside) {
      String replacement = replacements.get(name);
      if (replacement != null) {
        disk.rename(replacement, name);
      } else if (!behindDamage.contains(name) && !name.equals(FileKind.CURRENT.fileName(0))) {
        disk.delete(name);
      }
    }
    for (String name : names) {
      if (FileKind.MANIFEST.numberOf(name).isPresent() && !aside.contains(name)) {
        // Undamaged or not, it is no longer current; the next opening would remove it.
        setAside(name);
        disk.delete(name);
      }
    }
    disk.syncDirectory();
    Verification after = StoreVerifier.verify(disk, share -> progress.accept((1 + share) / 2));
    return new RepairReport(done, losses, List.copyOf(aside), deletedMayReturn, after);
  }

  private long number() {
    return nextNumber++;
  }

  private void setAside(String name) throws IOException {
    if (aside.add(name)) {
      disk.keepAside(name);
    }
  }

  /**
   * Deletes the keys whose merge operands may have lost the value that they apply to, with a log
   * that is newer than all others.
   */
  private void deleteWithoutBase(LogSalvage logs) throws IOException {
    ManifestState state = logs.state();
    Map<Integer, NavigableSet<byte[]>> keys = bases.find(disk, state);
    if (keys.isEmpty()) {
      return;
    }
    for (Map.Entry<Integer, NavigableSet<byte[]>> family : new TreeMap<>(keys).entrySet()) {
      String name = state.family(family.getKey()).name();
      NavigableSet<byte[]> own = family.getValue();
      done.add(
          String.format(
              "family %s: %s%s deleted from %s to %s, because merge operands were left"
                  + " without the value that they change",
              NameText.quoted(name),
              own.size(),
              own.size() == 1 ? " key was" : " keys were",
              KeyText.of(own.first()),
              KeyText.of(own.last())));
    }
    cutNewest(logs);
    LostBases.delete(disk, number(), logs.lastSequence() + 1, keys);
  }

  /**
   * Cuts the newest log after its last record before the repair adds a newer one, because only the
   * newest log may have bytes after its records. The directory {@code lost} keeps the original. A
   * log without a valid header is left out.
   */
  private void cutNewest(LogSalvage logs) throws IOException {
    String name = logs.newest();
    if (name == null || replacements.containsKey(name) || aside.contains(name)) {
      return;
    }
    long length;
    try (Disk.InputFile file = disk.open(name)) {
      length = file.length();
    }
    if (length > logs.newestEnd() || length == 0) {
      setAside(name);
      if (logs.newestEnd() > 0) {
        replacements.put(name, prefix(name, logs.newestEnd()));
      } else {
        logs.leaveOut(name);
      }
      done.add(name + " was cut at offset " + logs.newestEnd() + ", behind its last record");
    }
  }

  // State of the manifest.

  private ManifestState catalogue(List<String> names) throws IOException {
    ManifestState found = written(names);
    if (found != null) {
      nextNumber = Math.max(nextNumber, found.marks().nextNumber());
      return mendTables(found, new HashSet<>(names));
    }
    editsLost = true;
    // Only the lost edits show whether a table is missing whose deletions and values hid others.
    deletedMayReturn = true;
    return fromTables(names, remains(names));
  }

  /** Returns the state of a trustworthy manifest; null if there is none. */
  private ManifestState written(List<String> names) throws IOException {
    long inForce = -1;
    long durable = 0;
    try {
      CurrentFile current = CurrentFile.read(disk);
      inForce = current.manifest();
      durable = current.durable();
    } catch (NoSuchFileException e) {
      done.add("CURRENT is missing");
    } catch (CorruptionException e) {
      done.add(e.getMessage());
      setAside(e.file());
    }
    if (inForce < 0) {
      inForce = newestSound(names);
      if (inForce < 0) {
        return null;
      }
      done.add(FileKind.MANIFEST.fileName(inForce) + " is the newest sound manifest");
    }
    String name = FileKind.MANIFEST.fileName(inForce);
    if (!names.contains(name)) {
      done.add(name + " is missing");
      return null;
    }
    return usable(ManifestSalvage.remains(disk, inForce, durable));
  }

  /** Returns the state of a manifest before its damage; null if tables hold more than that. */
  private ManifestState usable(ManifestSalvage.Remains remains) throws IOException {
    String name = remains.file();
    ManifestState found = remains.state();
    boolean more = found != null && MissingEditCheck.tablesHoldMore(disk, found, remains.named());
    if (found != null && remains.damage() == null && !more) {
      return found;
    }
    setAside(name);
    if (remains.damage() != null) {
      done.add(remains.damage().getMessage());
    } else {
      done.add(name + (more ? " was cut off: tables hold more" : " has no content"));
    }
    if (found == null || more) {
      return null;
    }
    editsLost = true;
    firstUnknownFamily = found.marks().nextFamily();
    done.add(
        name
            + " counts up to offset "
            + remains.end()
            + ", as no table holds more than that and the logs; families that were created or"
            + " dropped later, and policies set later, are as they were before");
    deletedMayReturn |= found.families().size() > 1;
    return found;
  }

  private long newestSound(List<String> names) throws IOException {
    List<Long> numbers = manifests(names);
    for (int i = numbers.size() - 1; i >= 0; i--) {
      ManifestSalvage.Remains remains = ManifestSalvage.remains(disk, numbers.get(i), 0);
      if (remains.damage() == null && remains.state() != null) {
        return numbers.get(i);
      }
    }
    return -1;
  }

  private static List<Long> manifests(List<String> names) {
    List<Long> numbers = new ArrayList<>();
    names.forEach(name -> FileKind.MANIFEST.numberOf(name).ifPresent(numbers::add));
    numbers.sort(null);
    return numbers;
  }

  /** Returns the newest state readable in any manifest, however damaged; null if there is none. */
  private ManifestState remains(List<String> names) throws IOException {
    List<Long> numbers = manifests(names);
    for (int i = numbers.size() - 1; i >= 0; i--) {
      ManifestSalvage.Remains remains = ManifestSalvage.remains(disk, numbers.get(i), 0);
      if (remains.state() != null) {
        return remains.state();
      }
    }
    return null;
  }

  // Tables that the manifest names.

  private ManifestState mendTables(ManifestState found, Set<String> names) throws IOException {
    Map<Long, TableMeta> salvaged = new HashMap<>();
    Set<Long> damaged = new HashSet<>();
    List<TableMeta> tables = sorted(found);
    double all = tables.stream().mapToLong(TableMeta::bytes).sum();
    long read = 0;
    for (TableMeta table : tables) {
      progress.accept(read / all / 2);
      read += table.bytes();
      List<CorruptionException> damages = new ArrayList<>();
      TableVerifier.run(disk, table, damages::add);
      if (!damages.isEmpty()) {
        damaged.add(table.number());
        TableMeta copy = salvage(found, table, damages.get(0), names);
        if (copy != null) {
          salvaged.put(table.number(), copy);
        }
      }
    }
    if (damaged.isEmpty()) {
      return found;
    }
    List<ManifestState.Family> families = new ArrayList<>();
    for (ManifestState.Family family : found.families()) {
      Version version = family.version();
      Map<Long, Slice> slices = new HashMap<>();
      version.forEachSlice(slice -> slices.put(slice.id(), slice));
      bases.lose(family.number(), version, lost, id -> replaced(slices.get(id), damaged, salvaged));
      families.add(family.withVersion(replaced(version, damaged, salvaged)));
    }
    return new ManifestState(found.marks(), families);
  }

  private static List<TableMeta> sorted(ManifestState state) {
    List<TableMeta> tables = new ArrayList<>(state.tables());
    tables.sort(Comparator.comparingLong(TableMeta::number));
    return tables;
  }

  /**
   * Copies the remains of a damaged table to a new one. Returns null if there are none.
   *
   * @param found the manifest state; null if the manifest is lost
   */
  private TableMeta salvage(
      ManifestState found, TableMeta table, CorruptionException damage, Set<String> names)
      throws IOException {
    String name = FileKind.TABLE.fileName(table.number());
    done.add(damage.getMessage());
    if (names.contains(name)) {
      setAside(name);
    }
    boolean elsewhere = isOlderElsewhere(found, table);
    deletedMayReturn |= elsewhere;
    try {
      TableSalvage.Salvaged salvaged = TableSalvage.copy(disk, table, number());
      for (TableSalvage.Gap gap : salvaged.gaps()) {
        String text = "a block" + older(table, elsewhere || gap.olderLeft());
        losses.add(new RepairReport.Loss(name, gap.above(), gap.inclusive(), gap.upTo(), text));
        boolean first = gap.above() == null;
        byte[] low = first ? table.smallestKey() : gap.above();
        lose(found, table, low, first || gap.inclusive(), gap.upTo());
      }
      if (salvaged.table() != null) {
        copied.put(salvaged.table().number(), table.number());
        done.add(
            name
                + ": "
                + salvaged.table().entries()
                + " of "
                + table.entries()
                + " entries were copied to "
                + FileKind.TABLE.fileName(salvaged.table().number()));
      }
      return salvaged.table();
    } catch (CorruptionException e) {
      losses.add(
          new RepairReport.Loss(
              name,
              table.smallestKey(),
              true,
              table.largestKey(),
              "all " + table.entries() + " entries" + older(table, elsewhere)));
      lose(found, table, table.smallestKey(), true, table.largestKey());
      return null;
    }
  }

  /**
   * Records the lost entries of a table.
   *
   * @param low exclusive unless {@code inclusive}; null for the beginning of the table
   * @param high inclusive
   */
  private void lose(
      ManifestState found, TableMeta table, byte[] low, boolean inclusive, byte[] high)
      throws IOException {
    LostBases.Lost one =
        new LostBases.Lost(low, inclusive, high, table.minSequence(), table.maxSequence());
    if (found == null) {
      bases.lose(TableSalvage.family(disk, table.number()), one);
    } else {
      lost.computeIfAbsent(table.number(), x -> new ArrayList<>()).add(one);
    }
  }

  /** Returns whether another table may hold older entries of the table's keys. */
  private static boolean isOlderElsewhere(ManifestState found, TableMeta table) {
    boolean some = found == null;
    for (ManifestState.Family family :
        found == null ? List.<ManifestState.Family>of() : found.families()) {
      if (family.version().tables().contains(table)) {
        for (TableMeta other : family.version().tables()) {
          some |= other != table && sharesKeys(other, table) && isOlder(other, table);
        }
      }
    }
    return some;
  }

  /**
   * Returns text about the lost entries of a table and the older ones that may show again.
   *
   * @param some whether another table may hold older entries of the same keys
   */
  private String older(TableMeta table, boolean some) {
    deletedMayReturn |= some;
    return some
        ? " of sequences up to "
            + table.maxSequence()
            + "; older values there, and keys that were deleted, may show again"
        : " of sequences up to " + table.maxSequence() + "; nothing older lies there";
  }

  private static boolean isOlder(TableMeta other, TableMeta table) {
    return other.minSequence() < table.maxSequence();
  }

  static boolean sharesKeys(TableMeta a, TableMeta b) {
    return Arrays.compareUnsigned(a.smallestKey(), b.largestKey()) <= 0
        && Arrays.compareUnsigned(b.smallestKey(), a.largestKey()) <= 0;
  }

  private static Version replaced(
      Version version, Set<Long> damaged, Map<Long, TableMeta> salvaged) {
    List<Level> levels = new ArrayList<>();
    for (Level level : version.levels()) {
      List<Run> runs = new ArrayList<>();
      for (Run run : level.runs()) {
        List<Segment> segments = new ArrayList<>();
        for (Segment segment : run.segments()) {
          List<Slice> slices = new ArrayList<>();
          for (Slice slice : segment.slices()) {
            Slice kept = replaced(slice, damaged, salvaged);
            if (kept != null) {
              slices.add(kept);
            }
          }
          if (!slices.isEmpty()) {
            segments.add(new Segment(slices, segment.group(), segment.parents()));
          }
        }
        runs.add(new Run(run.id(), segments, run.sources()));
      }
      levels.add(new Level(runs));
    }
    return new Version(levels).withoutEmptyRuns(Set.of());
  }

  /**
   * Returns a slice over the remains of its damaged table, the slice itself if the table is
   * undamaged, or null if nothing is left.
   */
  private static Slice replaced(Slice slice, Set<Long> damaged, Map<Long, TableMeta> salvaged) {
    long number = slice.table().number();
    if (!damaged.contains(number)) {
      return slice;
    }
    TableMeta copy = salvaged.get(number);
    if (copy == null) {
      return null;
    }
    try {
      return new Slice(slice.id(), copy, slice.window());
    } catch (IllegalArgumentException e) {
      return null;
    }
  }

  // Tables alone.

  /**
   * Returns the families that the manifest still mentions and those that only tables mention, each
   * rebuilt from its tables.
   *
   * @param stale null if no manifest is readable
   */
  private ManifestState fromTables(List<String> names, ManifestState stale) throws IOException {
    ManifestState known = stale == null ? ManifestState.EMPTY : stale;
    int nextFamily = known.marks().nextFamily();
    firstUnknownFamily = nextFamily;
    deletedMayReturn |= known.families().size() > 1;
    Map<Integer, List<TableMeta>> tables = new HashMap<>();
    long last = 0;
    for (TableMeta table : withoutFlushesUnderWay(readable(names), known)) {
      int family = TableSalvage.family(disk, table.number());
      tables.computeIfAbsent(family, x -> new ArrayList<>()).add(table);
      last = Math.max(last, table.maxSequence());
      nextFamily = Math.max(nextFamily, family + 1);
    }
    List<ManifestState.Family> families = new ArrayList<>();
    SortedSet<Integer> numbers = new TreeSet<>(tables.keySet());
    known.families().forEach(family -> numbers.add(family.number()));
    for (int number : numbers) {
      List<TableMeta> own = tables.getOrDefault(number, List.of());
      ManifestState.Family family = known.family(number);
      if (family == null && number >= firstUnknownFamily) {
        family = LogSalvage.recoveredFamily(number, known);
        done.add("family " + number + " is named " + family.name() + ": its name is lost");
        deletedMayReturn = true;
      }
      if (family != null) {
        families.add(of(family, own));
      }
    }
    return new ManifestState(
        new ManifestState.Marks(nextNumber, last, 0, false, nextFamily, known.marks().clockFloor()),
        families);
  }

  private ManifestState.Family of(ManifestState.Family family, List<TableMeta> own)
      throws IOException {
    TableAgeOrder layers =
        TableAgeOrder.of(disk, own, newestFirst(), family.number(), this::number);
    Version version = layers.version(this::number);
    report(family, own, layers);
    return family.withVersion(version);
  }

  /** Returns an order of tables, newest first. A copy of remains is as old as the damaged table. */
  private Comparator<TableMeta> newestFirst() {
    return Comparator.comparingLong(table -> -copied.getOrDefault(table.number(), table.number()));
  }

  private void report(ManifestState.Family family, List<TableMeta> own, TableAgeOrder layers)
      throws IOException {
    done.add(
        "family "
            + NameText.quoted(family.name())
            + " was put together of "
            + own.size()
            + " tables by their sequence numbers"
            + (layers.merged() == 0
                ? ""
                : "; " + layers.merged() + " of them in no order of age were merged"));
    if (layers.sharing()) {
      deletedMayReturn = true;
      done.add(
          "family "
              + NameText.quoted(family.name())
              + ": tables share keys, and the manifest alone knew which of them merges had used"
              + " up: keys whose deletion a merge had already left out may show again, and merge"
              + " operands may apply to such values");
    }
  }

  private List<TableMeta> readable(List<String> names) throws IOException {
    List<TableMeta> tables = new ArrayList<>();
    List<String> files = new ArrayList<>(names);
    files.removeIf(name -> FileKind.TABLE.numberOf(name).isEmpty());
    double read = 0;
    for (String name : files) {
      progress.accept(read++ / files.size() / 2);
      TableMeta table = readable(name, FileKind.TABLE.numberOf(name).getAsLong());
      if (table != null) {
        tables.add(table);
      }
    }
    return tables;
  }

  /**
   * Returns the tables except those of flushes that may be incomplete. Their logs exist and hold
   * all their entries, so the logs count instead.
   *
   * @param known content of the manifest that is still readable
   */
  private List<TableMeta> withoutFlushesUnderWay(List<TableMeta> tables, ManifestState known)
      throws IOException {
    ProvenFlushes flushes = ProvenFlushes.of(disk, tables, known);
    flushed = flushes.flushed();
    List<TableMeta> kept = new ArrayList<>(tables);
    for (TableMeta table : flushes.underWay()) {
      String name = FileKind.TABLE.fileName(table.number());
      kept.remove(table);
      setAside(name);
      done.add(name + " is left out: all of it that was logged is in a log");
    }
    for (long log : flushes.unsure()) {
      deletedMayReturn = true;
      done.add(
          FileKind.WAL.fileName(log)
              + " counts, although tables hold some of it: not all of it is there");
    }
    return kept;
  }

  /**
   * Returns the metadata of an undamaged table, or of the copy of a damaged one; null if nothing is
   * left.
   */
  private TableMeta readable(String name, long number) throws IOException {
    TableMeta table;
    try {
      table = TableSalvage.facts(disk, number);
    } catch (CorruptionException e) {
      done.add(e.getMessage());
      setAside(name);
      loseAnyKeys(
          name,
          "all entries of the table; older values, deleted keys, and values that merge operands"
              + " make of these may show");
      return null;
    }
    List<CorruptionException> damages = new ArrayList<>();
    TableVerifier.run(disk, table, damages::add);
    if (damages.isEmpty()) {
      return table;
    }
    deletedMayReturn = true;
    return salvage(null, table, damages.get(0), Set.of(name));
  }

  // Logs.

  /** Returns the logs up to the first damage; what follows it is lost. */
  private LogSalvage logs(ManifestState found, List<String> names) throws IOException {
    boolean floorMissing = TruncatedManifestCheck.isFloorMissing(new HashSet<>(names), found);
    if (floorMissing) {
      bases.missLog();
    }
    LogSalvage salvage = new LogSalvage(disk, found, flushed, firstUnknownFamily, bases.logged());
    salvage.read();
    if (floorMissing) {
      String name = FileKind.WAL.fileName(found.marks().walFloor());
      done.add(name + " is missing");
      loseAnyKeys(
          name,
          "writes and deletions after sequence "
              + found.marks().lastSequence()
              + ", which did not reach a table");
    }
    if (editsLost && salvage.oldest().isEmpty()) {
      loseAnyKeys(
          "*.wal",
          "writes and deletions after sequence "
              + salvage.lastSequence()
              + ", if a log is missing: only the lost edits of the manifest tell whether there"
              + " was one");
    }
    boolean damaged = false;
    for (LogSalvage.Bad bad : salvage.bad()) {
      setAside(bad.file());
      if (damaged && bad.lost()) {
        behindDamage.add(bad.file());
      }
      damaged |= bad.lost();
      done.add(bad.text());
      if (bad.lost()) {
        loseAnyKeys(
            bad.file(),
            "writes and deletions after sequence "
                + salvage.lastSequence()
                + ", which did not reach a table"
                + (bad.certain() ? "" : ", if it held any"));
      }
      if (bad.keptBytes() > 0) {
        replacements.put(bad.file(), prefix(bad.file(), bad.keptBytes()));
      }
    }
    for (LogSalvage.Missing gap : salvage.missing()) {
      loseAnyKeys(
          gap.before(),
          "the log before it, if one is missing: "
              + gap.text()
              + "; keys with merge operands of later logs may show values that they never had");
    }
    salvage.notes().forEach(done::add);
    return salvage;
  }

  /** Records the loss of entries of a file whose keys are unknown. */
  private void loseAnyKeys(String file, String text) {
    losses.add(RepairReport.Loss.ofAnyKeys(file, text));
    deletedMayReturn = true;
  }

  /**
   * Copies the first bytes of a file to another name, durably, and replaces a file that has this
   * name. Returns the name.
   */
  private String prefix(String name, long bytes) throws IOException {
    String copy = name + ".new";
    disk.delete(copy);
    try (Disk.InputFile from = disk.open(name);
        Disk.OutputFile to = disk.create(copy)) {
      Checkpoint.copy(from, bytes, to);
    }
    return copy;
  }
}
