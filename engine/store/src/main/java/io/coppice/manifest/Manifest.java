// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.manifest;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.CorruptionException;
import io.coppice.base.DiskFullException;
import io.coppice.base.JvmErrors;
import io.coppice.base.ReadOnlyException;
import io.coppice.base.bytes.ByteSink;
import io.coppice.base.bytes.NameText;
import io.coppice.base.thread.StackCheckedLock;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.RecordLogWriter;
import io.coppice.io.TooManyOpenFilesException;
import io.coppice.table.TableMeta;
import io.coppice.version.EditOp;
import io.coppice.version.ManifestState;
import io.coppice.version.Version;
import io.coppice.version.VersionEdit;
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
 * Manifest of a store: the current version of each family, and the log of edits that led to them.
 *
 * <p>The store's structure is a sequence of immutable states. An edit is appended to the log and
 * synced; only then do readers see its versions. The log is also the compaction journal: a
 * half-merged job is a legal version, so recovery needs no special case for it.
 *
 * <pre>
 * CURRENT ----- names -----> MANIFEST-n   [ snapshot ][ edit ][ edit ] ... [ edit ]
 *  durable length                                                  |
 *                                                      ManifestState (all families)
 * readers:  FamilyVersions.lease() ----> Lease ----> Version ----> Slice ----> table file
 * </pre>
 *
 * <p>An installation works in this order, under one lock:
 *
 * <ol>
 *   <li>Start a new log file if the present one is long or its format cannot hold the edit.
 *   <li>Apply the edit to the state, which refuses an illegal one without any effect.
 *   <li>Append the record and sync it. A failure here stops all further edits, except a lack of
 *       space or memory that the log could undo.
 *   <li>Record the durable length in {@code CURRENT} if no other file would reveal the loss of the
 *       edit.
 *   <li>Make the new versions current. Tables that they lack become obsolete once no lease holds
 *       them.
 * </ol>
 *
 * <p>The log is one file that begins with a snapshot. At every opening for writes, and when it is
 * long, a new file is written whole, synced, and put in force through {@code CURRENT}. Thread-safe;
 * readers take no lock.
 */
public final class Manifest implements Closeable {

  private static final System.Logger LOG = System.getLogger("io.coppice.Store");

  /**
   * Smallest log size in bytes for a replacement, because replaying a shorter log takes little
   * time.
   */
  public static final long MIN_ROTATION_BYTES = 1 << 20;

  /** Ratio of edit bytes to snapshot bytes above which a log is replaced. */
  private static final int ROTATION_FACTOR = 2;

  /** Largest buffer in bytes that is kept for edits after a long snapshot. */
  private static final int MAX_KEPT_BYTES = 1 << 20;

  private final Disk disk;
  private final long minRotationBytes;

  /** Living families by number. */
  private final Map<Integer, FamilyVersions> versionsByFamily = new ConcurrentHashMap<>();

  /** Dropped families with tables that leases still hold. */
  private final Queue<FamilyVersions> dropped = new ConcurrentLinkedQueue<>();

  private final AtomicLong nextNumber;
  private final long droppedBytes;

  /** Lock of all installations. Volatile fields below are written under it, and read without. */
  private final ReentrantLock installing = new StackCheckedLock();

  /** Runs that running merges fill. A run is contained once for each of its merges. */
  @GuardedBy("installing")
  private final Multiset<Long> runsWithOutput = HashMultiset.create();

  /** Log in force; null if the manifest is open for reading. */
  @GuardedBy("installing")
  private RecordLogWriter log;

  /** Number of the log in force. */
  @GuardedBy("installing")
  private long logNumber;

  /** Format of the log in force, see {@link ManifestFormat}. */
  @GuardedBy("installing")
  private int logFormat;

  /** Durable bytes of the log that {@code CURRENT} records. */
  @GuardedBy("installing")
  private long recordedDurableBytes;

  /**
   * Lowest number of the families created since {@code CURRENT} last recorded the log's length;
   * {@link Integer#MAX_VALUE} if there is none.
   */
  private volatile int firstUnrecorded = Integer.MAX_VALUE;

  /** Whether the last attempt to record an edit in {@code CURRENT} lacked space or descriptors. */
  @GuardedBy("installing")
  private boolean recordOverdue;

  @GuardedBy("installing")
  private long rotateAt;

  private volatile Throwable failure;
  private volatile boolean closed;
  private volatile ManifestState state;

  private volatile Consumer<TableMeta> retirement =
      table -> {
        throw new IllegalStateException("no retirement was set before an edit removed " + table);
      };

  private volatile Runnable onStall = () -> {};

  private volatile Consumer<Throwable> onFailure = cause -> {};

  @GuardedBy("installing")
  private final ByteSink record = new ByteSink(4096);

  private Manifest(
      Disk disk, long minRotationBytes, ManifestState first, long nextNumber, long droppedBytes) {
    this.disk = disk;
    this.minRotationBytes = minRotationBytes;
    this.state = first;
    this.nextNumber = new AtomicLong(nextNumber);
    this.droppedBytes = droppedBytes;
    first.families().forEach(this::begin);
  }

  private void begin(ManifestState.Family family) {
    Leases leases = new Leases(family.version(), this::retire, () -> onStall.run());
    versionsByFamily.put(
        family.number(), new FamilyVersions(this, family.number(), family.name(), leases));
  }

  private void retire(TableMeta table) {
    if (!closed) {
      retirement.accept(table);
    }
  }

  /**
   * Opens the manifest of a directory, or creates one in a directory without a store. The caller
   * closes it.
   *
   * @throws CorruptionException if the manifest is damaged, or {@code CURRENT} is missing although
   *     another file shows that there was a store
   * @throws io.coppice.base.VersionException if a newer version wrote it
   */
  public static Manifest open(Disk disk) throws IOException {
    return open(disk, MIN_ROTATION_BYTES, found -> {});
  }

  /**
   * Check of a manifest's contents before an opening changes anything. Called by one thread, the
   * one that opens the store.
   */
  public interface Inspection {
    /**
     * Inspects the manifest's contents.
     *
     * @throws CorruptionException if the store must not be opened
     */
    void inspect(ManifestReader found) throws IOException;
  }

  /**
   * Opens the manifest like {@link #open(Disk)}, with a check.
   *
   * @param minRotationBytes smallest log size in bytes for a replacement
   * @param inspection called before anything is written, unless there is no store yet; again if
   *     another store changed the manifest during the opening. Its exception ends the opening
   */
  public static Manifest open(Disk disk, long minRotationBytes, Inspection inspection)
      throws IOException {
    List<String> names = disk.list();
    Manifest manifest = begin(disk, minRotationBytes, names, inspection);
    try {
      manifest.removeOthers(names);
      return manifest;
    } catch (IOException | RuntimeException | Error e) {
      manifest.closeLog();
      throw e;
    }
  }

  /** Puts a log in force that begins with the final state of the previous one. */
  private static Manifest begin(
      Disk disk, long minRotationBytes, List<String> names, Inspection inspection)
      throws IOException {
    long number = FileKind.maxNumber(names) + 1;
    if (!names.contains(CurrentFile.NAME)) {
      if (!CutCreation.isOf(disk, names)) {
        throw CurrentFile.missing(names);
      }
      Manifest manifest = new Manifest(disk, minRotationBytes, ManifestState.EMPTY, number, 0);
      manifest.startFirstLog();
      return manifest;
    }
    CurrentFile current = CurrentFile.read(disk);
    String name = FileKind.MANIFEST.fileName(current.manifest());
    while (true) {
      Disk.Stamp stamp = disk.stamp(name);
      ManifestReplay replay = ManifestReplay.of(disk, current);
      ManifestState found = replay.state();
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
      manifest.startFirstLog();
      if (Objects.equals(stamp, disk.stamp(name))) {
        return manifest;
      }
      // Another store that has just lost the directory was writing its last edit.
      manifest.closeLog();
      number = manifest.nextNumber.get();
    }
  }

  /**
   * Opens the manifest in force with its versions and leases but without a log. It writes nothing
   * and refuses edits.
   *
   * @throws CorruptionException if the manifest or {@code CURRENT} is damaged or missing
   * @throws io.coppice.base.VersionException if a newer version wrote it
   */
  public static Manifest openReadOnly(Disk disk, Inspection inspection) throws IOException {
    ManifestReader found = ManifestReader.read(disk);
    inspection.inspect(found);
    Manifest manifest =
        new Manifest(
            disk,
            MIN_ROTATION_BYTES,
            found.state(),
            found.state().marks().nextNumber(),
            found.droppedBytes());
    manifest.closed = true;
    return manifest;
  }

  /**
   * Writes a manifest of exactly this state and puts it in force, on a disk without one. It is
   * durable on return, and so are the names of all files. The caller must have made the bytes of
   * all tables and logs that the state names durable, because the manifest vouches for them.
   *
   * @param floor the oldest log that belongs to the state
   * @param nextNumber larger than the number of every file of the store
   * @throws IOException if a write or sync fails; whether the manifest is in force is then unknown
   * @throws DiskFullException if the disk is full
   */
  public static void write(Disk disk, ManifestState state, EditOp.WalFloor floor, long nextNumber)
      throws IOException {
    ManifestState whole =
        state.apply(VersionEdit.builder().add(floor).nextNumber(nextNumber).build());
    try (Manifest manifest =
        new Manifest(disk, MIN_ROTATION_BYTES, whole, whole.marks().nextNumber(), 0)) {
      manifest.startFirstLog();
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
   * Sets the receiver of obsolete tables, which gets each once. It runs in the thread that installs
   * or releases the last lease. Must be set before the first edit that removes a slice, because
   * that can make a table obsolete.
   */
  public void retireTo(Consumer<TableMeta> retirement) {
    retireTo(retirement, () -> {});
  }

  /**
   * Sets the receiver of obsolete tables like {@link #retireTo(Consumer)}.
   *
   * @param stalled runs in the same threads when a lack of heap or stack has stopped retirement; it
   *     arranges a call of {@link #settle} and takes no lock
   */
  public void retireTo(Consumer<TableMeta> retirement, Runnable stalled) {
    this.retirement = retirement;
    this.onStall = stalled;
  }

  /**
   * Continues a retirement of tables that a lack of heap or stack has stopped.
   *
   * @return false if it was stopped again
   */
  public boolean settle() {
    boolean settled = true;
    for (FamilyVersions versions : versionsByFamily.values()) {
      settled &= versions.leases().settle();
    }
    for (FamilyVersions gone : dropped) {
      settled &= gone.leases().settle();
    }
    return settled;
  }

  /**
   * Sets the listener for the failure that ends edits. It runs in the thread of each failed or
   * refused edit, without the manifest's lock.
   */
  public void onFailure(Consumer<Throwable> listener) {
    onFailure = listener;
  }

  /** Returns the present state; its versions are not leased. */
  public ManifestState state() {
    return state;
  }

  /**
   * Returns the present state with a lease on the version of every family. It waits for an
   * installation in progress.
   *
   * @throws io.coppice.base.ClosedException if the manifest is closed
   */
  public ManifestStateLease leaseAll() {
    installing.lock();
    try {
      List<Lease> leases = new ArrayList<>(state.families().size());
      ManifestStateLease all = new ManifestStateLease(state, leases);
      try {
        for (ManifestState.Family family : state.families()) {
          leases.add(versionsByFamily.get(family.number()).lease());
        }
      } catch (RuntimeException | Error e) {
        all.close();
        throw e;
      }
      return all;
    } finally {
      installing.unlock();
    }
  }

  /** Returns the versions of a living family, or null if there is none with this number. */
  public FamilyVersions family(int number) {
    return versionsByFamily.get(number);
  }

  /** Returns the versions of the default family. */
  public FamilyVersions family() {
    return versionsByFamily.get(ManifestState.DEFAULT_FAMILY);
  }

  /** Returns the bytes of the tables in the current versions of all families, each counted once. */
  public long tableBytes() {
    long bytes = 0;
    for (FamilyVersions versions : versionsByFamily.values()) {
      bytes += versions.leases().tableBytes();
    }
    return bytes;
  }

  /** Returns the bytes of tables that only leases keep, because no current version names them. */
  public long pinnedBytes() {
    dropped.removeIf(gone -> gone.pinnedBytes() == 0 && gone.leases().isSettled());
    long bytes = 0;
    for (FamilyVersions versions : versionsByFamily.values()) {
      bytes += versions.pinnedBytes();
    }
    for (FamilyVersions versions : dropped) {
      bytes += versions.pinnedBytes();
    }
    return bytes;
  }

  /** Returns a new number for a file, a run, a slice or a group. */
  public long nextNumber() {
    return nextNumber.getAndIncrement();
  }

  /** Returns the bytes of a torn last edit that the opening ignored, or 0. */
  public long droppedBytes() {
    return droppedBytes;
  }

  /** Returns the failure that ended edits, or null. */
  public Throwable failure() {
    return failure;
  }

  /** Returns the name of the log in force; the manifest must be open for writing. */
  public String fileName() {
    installing.lock();
    try {
      return log.name();
    } finally {
      installing.unlock();
    }
  }

  /**
   * Makes an edit durable and its versions the current ones. Tables that the edit adds must be
   * synced, with durable names, because the edit outlives a loss of power.
   *
   * @return the new state
   * @throws IllegalArgumentException if the edit is illegal; nothing has happened then
   * @throws DiskFullException if the disk is full; nothing has happened then
   * @throws IOException if the edit could not be made durable. The old versions stay current, and
   *     all later edits are refused. A reopened store may or may not contain this edit, so the
   *     caller must keep all tables involved. An Error means the same if {@link #failure} is set
   *     then; otherwise nothing has happened
   * @throws ReadOnlyException if an earlier edit failed that way
   */
  public ManifestState install(VersionEdit edit) throws IOException {
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

  /**
   * Tells the listener about the failure that ended edits. An exception of the listener is added to
   * the one thrown.
   */
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

  private ManifestState installLocked(VersionEdit edit) throws IOException {
    installing.lock();
    try {
      refuseIfFailed();
      if (log == null) {
        throw ReadOnlyException.openForReading(disk.describe());
      }
      rotateIfNeeded(edit);
      ManifestState old = state;
      // A new log has used a number that its snapshot records, so the numbers are read afterwards.
      VersionEdit whole = withNumbers(edit, old);
      ManifestState next = old.apply(whole).withoutEmptyRuns(runsWithOutput);
      EditTables tables = new EditTables(edit);
      append(whole);
      try {
        if (next.marks().nextFamily() > old.marks().nextFamily()) {
          firstUnrecorded = Math.min(firstUnrecorded, old.marks().nextFamily());
        }
        if (recordOverdue || whole.leavesNoTrace(old.marks())) {
          recordDurableLength();
        }
        nextNumber.accumulateAndGet(next.marks().nextNumber(), Math::max);
        state = next;
        swap(tables, old, next);
      } catch (IOException | RuntimeException | Error e) {
        // The edit is durable but not all readers see it.
        failure = e;
        throw e;
      }
      return next;
    } finally {
      installing.unlock();
    }
  }

  /**
   * Returns the lowest family number that needs a call of {@link #recordFamilies} before the family
   * gets its first entry.
   */
  public int firstUnrecorded() {
    return firstUnrecorded;
  }

  /**
   * Records every family in {@code CURRENT}, so that a manifest that has lost one is detected. An
   * empty family needs no such record, so its creation returns earlier.
   *
   * @throws IOException if the record could not be made durable; all later edits are refused then.
   *     An Error means the same if {@link #failure} is set
   * @throws ReadOnlyException if an earlier edit failed that way
   */
  public void recordFamilies() throws IOException {
    try {
      recordLocked();
    } catch (IOException | RuntimeException | Error e) {
      announceFailure(e);
      throw e;
    }
  }

  private void recordLocked() throws IOException {
    installing.lock();
    try {
      refuseIfFailed();
      if (firstUnrecorded < Integer.MAX_VALUE) {
        recordDurableLength();
      }
    } catch (IOException e) {
      failure = e;
      throw e;
    } finally {
      installing.unlock();
    }
  }

  /**
   * Returns whether a current version names a table, or may name it after the next opening because
   * an edit has failed.
   */
  public boolean mayName(TableMeta table) {
    return failure != null
        || state.families().stream()
            .flatMap(family -> family.version().tables().stream())
            .anyMatch(named -> named.number() == table.number());
  }

  /** Begins to fill a run, see {@link FamilyVersions#beginOutput}. */
  void beginOutput(long run) {
    installing.lock();
    try {
      runsWithOutput.add(run);
    } finally {
      installing.unlock();
    }
  }

  /** Ends the filling of a run, see {@link FamilyVersions#endOutput}. */
  void endOutput(long run) {
    installing.lock();
    try {
      runsWithOutput.remove(run);
      ManifestState old = state;
      ManifestState next = old.withoutEmptyRuns(runsWithOutput);
      if (next != old && !closed) {
        state = next;
        swap(new EditTables(VersionEdit.builder().build()), old, next);
      }
    } finally {
      installing.unlock();
    }
  }

  /** Makes the new versions visible to readers. */
  @GuardedBy("installing")
  private void swap(EditTables tables, ManifestState old, ManifestState next) {
    for (ManifestState.Family family : next.families()) {
      ManifestState.Family before = old.family(family.number());
      if (before == null) {
        begin(ManifestState.Family.created(family.number(), family.name()));
      }
      Version from = before == null ? Version.EMPTY : before.version();
      if (from != family.version()) {
        versionsByFamily
            .get(family.number())
            .leases()
            .install(
                family.version(),
                tables.added(family.number()),
                tables.dropped(family.number(), from, family.version()));
      }
    }
    for (ManifestState.Family family : old.families()) {
      if (next.family(family.number()) == null) {
        FamilyVersions gone = versionsByFamily.get(family.number());
        dropped.add(gone);
        versionsByFamily.remove(family.number());
        gone.leases().drop("the family " + NameText.quoted(gone.name()) + ", which was dropped,");
      }
    }
  }

  /**
   * Runs a task once all leases are released that may have found a table by now. The task runs in
   * the thread that releases the last one, or in this one, and must take no lock.
   *
   * @return false if all current versions lack the table; the task then does not run
   */
  public boolean afterReaders(TableMeta table, Runnable task) {
    installing.lock();
    try {
      for (FamilyVersions versions : versionsByFamily.values()) {
        if (versions.leases().afterPresent(table, task)) {
          return true;
        }
      }
      return false;
    } finally {
      installing.unlock();
    }
  }

  /** Returns the edit with the next free number added, unless the edit contains a larger one. */
  private VersionEdit withNumbers(VersionEdit edit, ManifestState old) {
    long next = nextNumber.get();
    for (EditOp op : edit.ops()) {
      if (op instanceof EditOp.NextNumber raised) {
        next = Math.max(next, raised.number());
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

  @GuardedBy("installing")
  private void append(VersionEdit edit) throws IOException {
    record.clear();
    EditCodec.encode(edit, record);
    try {
      log.append(record.array(), 0, record.length());
    } catch (IOException | RuntimeException | Error e) {
      // A lack of space, heap or stack is no failure if the log has removed the partial record.
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

  /**
   * Records the durable length of the log in {@code CURRENT}. Without disk space or descriptors the
   * old record stays, which promises less. The next edit tries again, and so does the next entry of
   * a family that {@code CURRENT} does not record.
   */
  @GuardedBy("installing")
  private void recordDurableLength() throws IOException {
    boolean lacked = recordOverdue;
    recordOverdue = true;
    try {
      CurrentFile.write(disk, logNumber, log.syncedPosition());
      recordedDurableBytes = log.syncedPosition();
      recordOverdue = false;
      firstUnrecorded = Integer.MAX_VALUE;
    } catch (DiskFullException | TooManyOpenFilesException e) {
      if (!lacked) {
        warn("CURRENT could not be written again", e);
      }
    }
  }

  /** Starts a new log before an edit if the log is long, or its format cannot hold the edit. */
  @GuardedBy("installing")
  private void rotateIfNeeded(VersionEdit edit) throws IOException {
    int format = ManifestFormat.of(edit);
    if (log.position() <= rotateAt && format <= logFormat) {
      return;
    }
    RecordLogWriter old = log;
    try {
      startLog(format);
    } catch (DiskFullException | TooManyOpenFilesException e) {
      if (format > logFormat) {
        throw e;
      }
      // The log in force stays usable, if long.
      rotateAt = log.position() + minRotationBytes;
      return;
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
      throw e;
    }
    leaveBehind(old);
  }

  /** Closes and deletes a replaced log. If that fails, the next opening deletes it. */
  private void leaveBehind(RecordLogWriter old) {
    try {
      old.close();
      disk.delete(old.name());
    } catch (IOException e) {
      warn(old.name() + " was not removed", e);
    }
  }

  private void startFirstLog() throws IOException {
    installing.lock();
    try {
      startLog(FileKind.FIRST_FORMAT);
    } finally {
      installing.unlock();
    }
  }

  /**
   * Writes a manifest that begins with the current state, and puts it in force. Without disk space
   * or file descriptors, the previous one stays in force.
   *
   * @param minFormat its format, unless the state needs a newer one
   */
  @GuardedBy("installing")
  private void startLog(int minFormat) throws IOException {
    int format = Math.max(minFormat, ManifestFormat.of(state));
    long number = nextNumber.getAndIncrement();
    record.clear();
    ManifestSnapshotCodec.encode(
        state.apply(VersionEdit.builder().nextNumber(nextNumber.get()).build()), record);
    RecordLogWriter started = RecordLogWriter.create(disk, FileKind.MANIFEST, format, number);
    try {
      started.append(record.array(), 0, record.length());
      started.sync();
      disk.syncDirectory();
      CurrentFile.write(disk, number, started.syncedPosition());
    } catch (DiskFullException | TooManyOpenFilesException e) {
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
    recordedDurableBytes = started.syncedPosition();
    recordOverdue = false;
    firstUnrecorded = Integer.MAX_VALUE;
    rotateAt = Math.max(minRotationBytes, (1L + ROTATION_FACTOR) * log.position());
    record.clear(MAX_KEPT_BYTES);
  }

  /**
   * Closes the log after a record of its synced length, so that the last edit differs from a torn
   * one. Records that length in {@code CURRENT} too, so that a truncation is detected. Held leases
   * stay usable; the next opening deletes the tables that wait for them.
   */
  @Override
  public void close() throws IOException {
    installing.lock();
    try {
      versionsByFamily.values().forEach(versions -> versions.leases().close());
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
      try {
        closeLog();
      } finally {
        installing.unlock();
      }
    }
  }

  private void closeLog() throws IOException {
    installing.lock();
    try {
      if (log != null) {
        log.close();
      }
    } finally {
      installing.unlock();
    }
  }

  /**
   * Appends the closing record with the synced length. Edits survive without it; half of it is a
   * torn end.
   */
  @GuardedBy("installing")
  private void appendIfPossible() {
    try {
      log.append(record.array(), 0, record.length());
      if (recordedDurableBytes < log.syncedPosition()) {
        recordDurableLength();
      }
    } catch (IOException | DiskFullException e) {
      warn("the manifest was closed without its last record", e);
    }
  }

  /**
   * Logs a warning about the manifest. A logger of the application that throws must not separate an
   * edit from its versions.
   */
  private static void warn(String what, Exception cause) {
    try {
      LOG.log(System.Logger.Level.WARNING, what, cause);
    } catch (RuntimeException | Error e) {
      // There is no other receiver for this error.
    }
  }
}
