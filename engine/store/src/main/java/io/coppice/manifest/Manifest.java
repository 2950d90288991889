// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import io.coppice.base.ByteSink;
import io.coppice.base.CorruptionException;
import io.coppice.base.DiskFullException;
import io.coppice.base.JvmErrors;
import io.coppice.base.NameText;
import io.coppice.base.ReadOnlyException;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.OutOfFilesException;
import io.coppice.io.RecordLogWriter;
import io.coppice.table.TableMeta;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The current Version of each family and the log of edits that led to them. An edit is durable
 * before anybody sees its Versions; the log is the compaction journal, and a half-merged job is a
 * legal Version.
 *
 * <p>The log is one file that begins with a snapshot. When it has grown long, and at every opening,
 * a new file is begun: written whole, synced, then put in force through {@code CURRENT}. Safe to
 * share between threads; readers take no lock.
 */
public final class Manifest implements Closeable {

  private static final System.Logger LOG = System.getLogger("io.coppice.Store");

  /** A log is never replaced before this; below, replaying it takes no time worth saving. */
  public static final long MIN_ROTATION_BYTES = 1 << 20;

  /** A log is replaced when its edits are this many times as long as its snapshot. */
  private static final int ROTATION_FACTOR = 2;

  /** The memory of a long snapshot is not kept for edits. */
  private static final int MAX_KEPT_BYTES = 1 << 20;

  private final Disk disk;
  private final long minRotationBytes;

  /** By number, of the living families. */
  private final Map<Integer, Lineage> lineages = new ConcurrentHashMap<>();

  /** Of dropped families whose tables are still held. */
  private final Queue<Lineage> dropped = new ConcurrentLinkedQueue<>();

  private final AtomicLong nextNumber;
  private final long droppedBytes;

  /** Held while an edit is installed; guards the fields below. */
  private final ReentrantLock installing = new ReentrantLock();

  /** As many times as merges under way fill it. */
  private final Multiset<Long> filling = HashMultiset.create();

  /** Null if the manifest is open for reading. */
  private RecordLogWriter log;

  /** Of the log in force. */
  private long logNumber;

  /** The {@link ManifestFormat} of the log in force. */
  private int logFormat;

  /** So many bytes of the log are durable by what {@code CURRENT} says. */
  private long witnessed;

  /** Lowest number of the families created since then; the largest number if there is none. */
  private volatile int firstUnwitnessed = Integer.MAX_VALUE;

  private long rotateAt;
  private volatile Throwable failure;
  private volatile boolean closed;
  private volatile Catalogue catalogue;

  private volatile Consumer<TableMeta> retirement =
      table -> {
        throw new IllegalStateException("nobody was named to retire " + table);
      };

  private volatile Runnable onStall = () -> {};

  private volatile Consumer<Throwable> onFailure = cause -> {};

  private final ByteSink record = new ByteSink(4096);

  private Manifest(
      Disk disk, long minRotationBytes, Catalogue first, long nextNumber, long droppedBytes) {
    this.disk = disk;
    this.minRotationBytes = minRotationBytes;
    this.catalogue = first;
    this.nextNumber = new AtomicLong(nextNumber);
    this.droppedBytes = droppedBytes;
    first.families().forEach(this::begin);
  }

  private void begin(Catalogue.Family family) {
    Leases leases = new Leases(family.version(), this::retire, () -> onStall.run());
    lineages.put(family.number(), new Lineage(this, family.number(), family.name(), leases));
  }

  private void retire(TableMeta table) {
    if (!closed) {
      retirement.accept(table);
    }
  }

  /**
   * Opens the manifest of a directory, or creates one in a directory without a store.
   *
   * @throws CorruptionException if the manifest is damaged, or {@code CURRENT} is missing although
   *     another file shows that there was a store
   * @throws io.coppice.base.VersionException if it was written by a newer version
   */
  public static Manifest open(Disk disk) throws IOException {
    return open(disk, MIN_ROTATION_BYTES, found -> {});
  }

  /** Looks at what a manifest says, in the one thread that opens it, before anything changes. */
  public interface Inspection {
    /** Throws {@link CorruptionException} if the store must not be opened. */
    void inspect(ManifestReader found) throws IOException;
  }

  /**
   * As {@link #open(Disk)}.
   *
   * @param minRotationBytes a log is not replaced before it has so many bytes
   * @param inspection asked before anything is written, unless there is no store yet
   */
  public static Manifest open(Disk disk, long minRotationBytes, Inspection inspection)
      throws IOException {
    List<String> names = disk.list();
    Manifest manifest = begin(disk, minRotationBytes, names, inspection);
    try {
      manifest.removeOthers(names);
      return manifest;
    } catch (IOException | RuntimeException | Error e) {
      manifest.log.close();
      throw e;
    }
  }

  /** Puts a log in force that begins with what the one before led to. */
  private static Manifest begin(
      Disk disk, long minRotationBytes, List<String> names, Inspection inspection)
      throws IOException {
    long number = FileKind.maxNumber(names) + 1;
    if (!names.contains(CurrentFile.NAME)) {
      if (!CutCreation.isOf(disk, names)) {
        throw CurrentFile.missing(names);
      }
      Manifest manifest = new Manifest(disk, minRotationBytes, Catalogue.EMPTY, number, 0);
      manifest.startLog(FileKind.FIRST_FORMAT);
      return manifest;
    }
    CurrentFile current = CurrentFile.read(disk);
    String name = FileKind.MANIFEST.fileName(current.manifest());
    while (true) {
      Disk.Stamp stamp = disk.stamp(name);
      Replay replay = Replay.of(disk, current);
      Catalogue found = replay.catalogue();
      try {
        inspection.inspect(ManifestReader.of(current, replay));
      } catch (CorruptionException e) {
        if (Objects.equals(stamp, disk.stamp(name))) {
          throw e;
        }
        continue;
      }
      number = Math.max(number, found.marks().nextNumber());
      Manifest manifest =
          new Manifest(disk, minRotationBytes, found, number, replay.droppedBytes());
      manifest.startLog(FileKind.FIRST_FORMAT);
      if (Objects.equals(stamp, disk.stamp(name))) {
        return manifest;
      }
      // A store that has just lost the directory had an edit on its way: its last.
      manifest.log.close();
      number = manifest.nextNumber.get();
    }
  }

  /**
   * The manifest in force, with its versions and leases, but without a log: nothing is written, and
   * no edit is taken.
   *
   * @throws CorruptionException if the manifest or {@code CURRENT} is damaged or missing
   * @throws io.coppice.base.VersionException if it was written by a newer version
   */
  public static Manifest openReadOnly(Disk disk, Inspection inspection) throws IOException {
    ManifestReader found = ManifestReader.read(disk);
    inspection.inspect(found);
    Manifest manifest =
        new Manifest(
            disk,
            MIN_ROTATION_BYTES,
            found.catalogue(),
            found.catalogue().marks().nextNumber(),
            found.droppedBytes());
    manifest.closed = true;
    return manifest;
  }

  /**
   * Writes a manifest that holds this catalogue and nothing else, and puts it in force, on a disk
   * that has none. Durable on return, with the names of all files; the bytes of the tables and logs
   * that the catalogue names must be durable before.
   *
   * @param floor which logs are part of it
   * @param nextNumber no file of the store has this number or a larger one
   */
  public static void write(Disk disk, Catalogue catalogue, EditOp.WalFloor floor, long nextNumber)
      throws IOException {
    Catalogue whole =
        catalogue.apply(VersionEdit.builder().add(floor).nextNumber(nextNumber).build());
    try (Manifest manifest =
        new Manifest(disk, MIN_ROTATION_BYTES, whole, whole.marks().nextNumber(), 0)) {
      manifest.startLog(FileKind.FIRST_FORMAT);
    }
  }

  private void removeOthers(List<String> names) throws IOException {
    for (String name : names) {
      if (FileKind.MANIFEST.numberOf(name).isPresent()) {
        disk.delete(name);
      }
    }
  }

  /**
   * Names who is told, once, of each table that no Version and no lease names any more. Called in
   * the thread that gave back the last lease, or that installs. To be set before the first edit
   * that removes a slice.
   */
  public void retireTo(Consumer<TableMeta> retirement) {
    retireTo(retirement, () -> {});
  }

  /**
   * As {@link #retireTo(Consumer)}.
   *
   * @param stalled runs in the same threads when a lack of heap or stack has stopped retirement; it
   *     arranges for a call of {@link #settle} and takes no lock
   */
  public void retireTo(Consumer<TableMeta> retirement, Runnable stalled) {
    this.retirement = retirement;
    this.onStall = stalled;
  }

  /**
   * Continues a retirement that a lack of heap or stack has stopped.
   *
   * @return false if that stopped it again
   */
  public boolean settle() {
    boolean settled = true;
    for (Lineage lineage : lineages.values()) {
      settled &= lineage.leases().settle();
    }
    for (Lineage gone : dropped) {
      settled &= gone.leases().settle();
    }
    return settled;
  }

  /**
   * Names the listener that is told why no edit is taken any more. It is told by each failed edit,
   * in the thread of that edit, without the manifest's lock.
   */
  public void onFailure(Consumer<Throwable> listener) {
    onFailure = listener;
  }

  /** All that the edits so far amount to; its Versions are not leased. */
  public Catalogue catalogue() {
    return catalogue;
  }

  /** As {@link #catalogue}, with a lease on the Version of every family. Waits for an edit. */
  public CatalogueLease leaseAll() {
    installing.lock();
    try {
      List<Lease> leases = new ArrayList<>();
      for (Catalogue.Family family : catalogue.families()) {
        leases.add(lineages.get(family.number()).lease());
      }
      return new CatalogueLease(catalogue, leases);
    } finally {
      installing.unlock();
    }
  }

  /** The Versions of a family; null if there is none, or no longer, with this number. */
  public Lineage family(int number) {
    return lineages.get(number);
  }

  /** The Versions of the default family. */
  public Lineage family() {
    return lineages.get(Catalogue.DEFAULT_FAMILY);
  }

  /** Bytes of the tables of the current Versions of all families, each counted once. */
  public long tableBytes() {
    long bytes = 0;
    for (Lineage lineage : lineages.values()) {
      bytes += lineage.leases().tableBytes();
    }
    return bytes;
  }

  /** Bytes of tables that only leases keep: no current Version names them any more. */
  public long pinnedBytes() {
    dropped.removeIf(gone -> gone.pinnedBytes() == 0 && gone.leases().isSettled());
    long bytes = 0;
    for (Lineage lineage : lineages.values()) {
      bytes += lineage.pinnedBytes();
    }
    for (Lineage lineage : dropped) {
      bytes += lineage.pinnedBytes();
    }
    return bytes;
  }

  /** A number that was never given out: for a file, a run or a slice. */
  public long nextNumber() {
    return nextNumber.getAndIncrement();
  }

  /** Bytes of a torn last edit that opening left out. */
  public long droppedBytes() {
    return droppedBytes;
  }

  /** Why no edit is taken any more, or null. */
  public Throwable failure() {
    return failure;
  }

  /** The name of the log in force. */
  public String fileName() {
    installing.lock();
    try {
      return log.name();
    } finally {
      installing.unlock();
    }
  }

  /**
   * Makes an edit durable and its Versions the current ones. Tables that the edit adds must be
   * synced and their names durable.
   *
   * @return the new catalogue
   * @throws IllegalArgumentException if the edit is illegal; nothing has happened then
   * @throws DiskFullException if there is no room; nothing has happened then
   * @throws IOException if it could not be made durable. The old Versions stay current and no edit
   *     is taken any more; whether this one is found when the store is reopened is open, so none of
   *     the tables involved may be removed. An Error means the same if {@link #failure} is set
   *     then, else that nothing has happened
   * @throws ReadOnlyException if that happened before
   */
  public Catalogue install(VersionEdit edit) throws IOException {
    try {
      return installLocked(edit);
    } catch (IOException | RuntimeException | Error e) {
      announceFailure(e);
      throw e;
    }
  }

  private void refuseIfFailed() {
    if (failure != null) {
      throw new ReadOnlyException("the manifest failed: " + failure.getMessage(), failure);
    }
  }

  /** Tells the listener about a failure; an exception of the listener joins that of the edit. */
  private void announceFailure(Throwable thrown) {
    Throwable cause = failure;
    if (cause == null) {
      return;
    }
    try {
      onFailure.accept(cause);
    } catch (RuntimeException | Error e) {
      if (e != thrown) {
        thrown.addSuppressed(e);
      }
    }
  }

  private Catalogue installLocked(VersionEdit edit) throws IOException {
    installing.lock();
    try {
      refuseIfFailed();
      if (log == null) {
        throw ReadOnlyException.openForReading(disk.describe());
      }
      rotateIfNeeded(edit);
      Catalogue old = catalogue;
      // Only now: a new log has taken a number, and its snapshot tells of it.
      VersionEdit whole = withNumbers(edit, old);
      Catalogue next = old.apply(whole).settled(filling);
      EditTables tables = new EditTables(edit);
      append(whole);
      try {
        if (whole.leavesNoTrace(old.marks())) {
          witness();
        } else if (next.marks().nextFamily() > old.marks().nextFamily()) {
          firstUnwitnessed = Math.min(firstUnwitnessed, old.marks().nextFamily());
        }
        nextNumber.accumulateAndGet(next.marks().nextNumber(), Math::max);
        catalogue = next;
        swap(tables, old, next);
      } catch (IOException | RuntimeException | Error e) {
        // It is durable, and not known to all.
        failure = e;
        throw e;
      }
      return next;
    } finally {
      installing.unlock();
    }
  }

  /**
   * Returns the number from which on {@link #witnessFamilies} is to be called before a family gets
   * its first entry.
   */
  public int firstUnwitnessed() {
    return firstUnwitnessed;
  }

  /**
   * Lets {@code CURRENT} tell of every family, so that a manifest which has lost one is noticed. A
   * family without entries does not need that, so creating a family does not wait for it.
   *
   * @throws IOException if it could not be made durable; no edit is taken any more then. An Error
   *     means the same if {@link #failure} is set
   * @throws ReadOnlyException if that happened before
   */
  public void witnessFamilies() throws IOException {
    try {
      witnessLocked();
    } catch (IOException | RuntimeException | Error e) {
      announceFailure(e);
      throw e;
    }
  }

  private void witnessLocked() throws IOException {
    installing.lock();
    try {
      refuseIfFailed();
      if (firstUnwitnessed < Integer.MAX_VALUE) {
        witness();
      }
    } catch (IOException e) {
      failure = e;
      throw e;
    } finally {
      installing.unlock();
    }
  }

  /** As {@link Lineage#fill}. */
  void fill(long run) {
    installing.lock();
    try {
      filling.add(run);
    } finally {
      installing.unlock();
    }
  }

  /** As {@link Lineage#filled}. */
  void filled(long run) {
    installing.lock();
    try {
      filling.remove(run);
      Catalogue old = catalogue;
      Catalogue next = old.settled(filling);
      if (next != old && !closed) {
        catalogue = next;
        swap(new EditTables(VersionEdit.builder().build()), old, next);
      }
    } finally {
      installing.unlock();
    }
  }

  /** Makes the new Versions those that readers find. */
  private void swap(EditTables tables, Catalogue old, Catalogue next) {
    for (Catalogue.Family family : next.families()) {
      Catalogue.Family before = old.family(family.number());
      if (before == null) {
        begin(Catalogue.Family.created(family.number(), family.name()));
      }
      Version from = before == null ? Version.EMPTY : before.version();
      if (from != family.version()) {
        lineages
            .get(family.number())
            .leases()
            .install(
                family.version(),
                tables.added(family.number()),
                tables.dropped(family.number(), from, family.version()));
      }
    }
    for (Catalogue.Family family : old.families()) {
      if (next.family(family.number()) == null) {
        Lineage gone = lineages.get(family.number());
        dropped.add(gone);
        lineages.remove(family.number());
        gone.leases().drop("the family " + NameText.quoted(gone.name()) + ", which was dropped,");
      }
    }
  }

  /**
   * Runs a task once all have given their leases back who may have found a table by now. It runs in
   * the thread that gives back the last one, or in this one, and must take no lock.
   *
   * @return false if no current Version names the table; the task is not run then
   */
  public boolean afterReaders(TableMeta table, Runnable task) {
    installing.lock();
    try {
      for (Lineage lineage : lineages.values()) {
        if (lineage.leases().afterPresent(table, task)) {
          return true;
        }
      }
      return false;
    } finally {
      installing.unlock();
    }
  }

  /** The edit, with the numbers given out meanwhile unless it tells of them itself. */
  private VersionEdit withNumbers(VersionEdit edit, Catalogue old) {
    long next = nextNumber.get();
    for (EditOp op : edit.ops()) {
      if (op instanceof EditOp.NextNumber told) {
        next = Math.max(next, told.number());
      }
    }
    if (next == old.marks().nextNumber()) {
      return edit;
    }
    VersionEdit.Builder whole = VersionEdit.builder().nextNumber(next);
    for (EditOp op : edit.ops()) {
      if (!(op instanceof EditOp.NextNumber)) {
        whole.add(op);
      }
    }
    return whole.build();
  }

  private void append(VersionEdit edit) throws IOException {
    record.clear();
    EditCodec.encode(edit, record);
    try {
      log.append(record.array(), 0, record.length());
    } catch (IOException | RuntimeException | Error e) {
      // A full disk, or a lack of heap or stack, is no failure if the log has cut the edit off.
      if (log.isBroken() || !(e instanceof DiskFullException) && JvmErrors.in(e) == null) {
        failure = e;
      }
      throw e;
    }
    try {
      log.sync();
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
      throw e;
    }
  }

  /** Lets {@code CURRENT} tell how far the log is durable; without room it tells less. */
  private void witness() throws IOException {
    try {
      CurrentFile.write(disk, logNumber, log.syncedPosition());
      witnessed = log.syncedPosition();
    } catch (DiskFullException | OutOfFilesException e) {
      warn("CURRENT could not be written again", e);
    }
    firstUnwitnessed = Integer.MAX_VALUE;
  }

  /** Starts a new log before an edit if the log is long, or its format cannot hold the edit. */
  private void rotateIfNeeded(VersionEdit edit) throws IOException {
    int format = ManifestFormat.of(edit);
    if (log.position() <= rotateAt && format <= logFormat) {
      return;
    }
    RecordLogWriter old = log;
    try {
      startLog(format);
    } catch (DiskFullException | OutOfFilesException e) {
      if (format > logFormat) {
        throw e;
      }
      // The log in force is as good as before, if long.
      rotateAt = log.position() + minRotationBytes;
      return;
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
      throw e;
    }
    leaveBehind(old);
  }

  /** It is whole and no longer in force; if it stays, the next opening removes it. */
  private void leaveBehind(RecordLogWriter old) {
    try {
      old.close();
      disk.delete(old.name());
    } catch (IOException e) {
      warn(old.name() + " was not removed", e);
    }
  }

  /**
   * Writes a manifest that begins with the current catalogue, and puts it in force. If there is no
   * room or descriptor for that, the one before stays in force.
   *
   * @param leastFormat its format, unless the catalogue needs a newer one
   */
  private void startLog(int leastFormat) throws IOException {
    int format = Math.max(leastFormat, ManifestFormat.of(catalogue));
    long number = nextNumber.getAndIncrement();
    record.clear();
    SnapshotCodec.encode(
        catalogue.apply(VersionEdit.builder().nextNumber(nextNumber.get()).build()), record);
    RecordLogWriter started = RecordLogWriter.create(disk, FileKind.MANIFEST, format, number);
    try {
      started.append(record.array(), 0, record.length());
      started.sync();
      disk.syncDirectory();
      CurrentFile.write(disk, number, started.syncedPosition());
    } catch (DiskFullException | OutOfFilesException e) {
      started.close();
      disk.delete(started.name());
      throw e;
    } catch (IOException | RuntimeException | Error e) {
      started.close();
      throw e;
    }
    log = started;
    logNumber = number;
    logFormat = format;
    witnessed = started.syncedPosition();
    firstUnwitnessed = Integer.MAX_VALUE;
    rotateAt = Math.max(minRotationBytes, (1L + ROTATION_FACTOR) * log.position());
    record.clear(MAX_KEPT_BYTES);
  }

  /**
   * Closes the log, behind a record that tells how far it was synced, so that the last edit can be
   * told from a torn one; and lets {@code CURRENT} tell that too, so that a cut is noticed. Leases
   * still held stay usable, but tables that wait for them are left to the next opening.
   */
  @Override
  public void close() throws IOException {
    installing.lock();
    try {
      lineages.values().forEach(lineage -> lineage.leases().close());
      if (closed) {
        return;
      }
      closed = true;
      if (failure == null) {
        record.clear();
        EditCodec.encode(VersionEdit.builder().build(), record);
        appendIfPossible();
      }
    } finally {
      if (log != null) {
        log.close();
      }
      installing.unlock();
    }
  }

  /** Without that record nothing is lost; half of it is a torn end. */
  private void appendIfPossible() {
    try {
      log.append(record.array(), 0, record.length());
      if (witnessed < log.syncedPosition()) {
        witness();
      }
    } catch (IOException | DiskFullException e) {
      warn("the manifest was closed without its last record", e);
    }
  }

  /** A logger of the application that throws must not come between an edit and its Versions. */
  private static void warn(String what, Exception cause) {
    try {
      LOG.log(System.Logger.Level.WARNING, what, cause);
    } catch (RuntimeException | Error e) {
      // There is nobody else to be told.
    }
  }
}
