// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import com.google.common.util.concurrent.Uninterruptibles;
import io.coppice.base.ClosedException;
import io.coppice.base.CorruptionException;
import io.coppice.base.DiskFullException;
import io.coppice.base.Durability;
import io.coppice.base.InvalidOptionsException;
import io.coppice.base.LockedException;
import io.coppice.base.ReadOnlyException;
import io.coppice.base.SearchScheme;
import io.coppice.base.StalledException;
import io.coppice.base.StoreException;
import io.coppice.base.UnreadableTables;
import io.coppice.base.bytes.NameText;
import io.coppice.base.thread.StackRoom;
import io.coppice.base.thread.WorkerThreads;
import io.coppice.base.thread.Workers;
import io.coppice.io.Disk;
import io.coppice.io.ReadMode;
import io.coppice.io.disk.DirectoryDraft;
import io.coppice.io.disk.RealDisk;
import io.coppice.io.file.MappingBudget;
import io.coppice.policy.observe.Decision;
import io.coppice.policy.observe.DecisionJournal;
import io.coppice.policy.spec.PolicySpec;
import io.coppice.recovery.Checkpoint;
import io.coppice.recovery.StoreVerifier;
import io.coppice.recovery.Verification;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Embedded, ordered map from byte strings to byte strings, stored on disk. Keys are ordered as
 * unsigned bytes. The methods of this class work on the family {@code default}; a store may have
 * further {@link Family families}. Safe to share between threads.
 *
 * <pre>{@code
 * try (Store store = Store.open(Path.of("data"))) {
 *   store.put(key, value);
 *   byte[] found = store.get(key);
 * }
 * }</pre>
 *
 * <p><b>Bytes.</b> A method reads its arguments before it returns and keeps no reference to them.
 * Results are copies that belong to the caller. A {@link ByteBuffer} argument stands for its bytes
 * from position to limit, and neither of the two moves. A key has 0 to 65,535 bytes, a value up to
 * 256 MiB.
 *
 * <p><b>Errors.</b> Every instance method except {@link #close} throws {@link ClosedException} once
 * the store is closed. A null argument for a parameter that is not marked nullable throws {@link
 * NullPointerException}. A method throws {@link CorruptionException} if it reads bytes on disk that
 * differ from those written; damage in one table leaves the others readable. After a failed write
 * or sync the store is read-only until it is reopened, and writes throw {@link ReadOnlyException}.
 * On a full disk, writes and flushes throw {@link DiskFullException} and lose no data. A merge
 * stops, and its completed steps stay. All of them work again once there is room.
 */
public final class Store implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger("io.coppice.Store");

  private final StoreOptions options;
  private final StoreParts parts;
  private final OpenHandles handles;

  /** Read-locked during calls whose parts no handle keeps open, so that closing waits for them. */
  private final ReentrantReadWriteLock calls = new ReentrantReadWriteLock();

  private final CountDownLatch closed = new CountDownLatch(1);

  /** Reused batch of each thread for writes of one entry. */
  private final ThreadLocal<WriteBatch> single = ThreadLocal.withInitial(WriteBatch::new);

  /** Family handles that were requested, by the number of the living family. */
  private final Map<Integer, Family> families = new ConcurrentHashMap<>();

  /** Handle of the family {@code default}. */
  private final Family main;

  /** JMX beans, or null without {@link StoreOptions.Builder#jmx}. */
  private final @Nullable StoreBeans beans;

  private Store(StoreOptions options, StoreParts parts) {
    this.options = options;
    this.parts = parts;
    this.handles = new OpenHandles(options.leakTracking, System::nanoTime, this::forgotten);
    this.main = handle(parts.families.defaultOne());
    this.beans = options.jmx ? new StoreBeans(this) : null;
    if (beans != null) {
      parts.families.all().forEach(beans::add);
    }
  }

  private Family handle(FamilyParts family) {
    return families.computeIfAbsent(family.number(), number -> new Family(this, family));
  }

  /** Opens a store with default options, as {@link #open(Path, StoreOptions)} does. */
  public static Store open(Path directory) {
    return open(directory, StoreOptions.defaults());
  }

  /**
   * Opens a store and creates the directory if it is missing. It first recovers from the logs every
   * acknowledged write that no table holds yet.
   *
   * @throws LockedException if another store has the directory open; the message names the holder
   * @throws CorruptionException if a file that opening needs is damaged
   * @throws DiskFullException if recovery has no room; all data remains
   * @throws UncheckedIOException if the directory is unusable, or has files but lacks those of a
   *     store
   */
  public static Store open(Path directory, StoreOptions options) {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(options, "options");
    ReadMode mode = options.mapped ? ReadMode.MMAP : ReadMode.READ;
    try {
      return open(RealDisk.open(directory, mode, MappingBudget.ofProcess()), options);
    } catch (IOException e) {
      throw failed("cannot open a store in " + directory, e);
    }
  }

  private static UncheckedIOException failed(String what, IOException cause) {
    boolean reasoned = cause instanceof FileSystemException of && of.getReason() != null;
    String reason = reasoned ? ": " + ((FileSystemException) cause).getReason() : "";
    return new UncheckedIOException(what + reason, cause);
  }

  /** Opens an existing store for reading with default options. */
  public static Store openReadOnly(Path directory) {
    return openReadOnly(directory, StoreOptions.defaults());
  }

  /**
   * Opens an existing store for reading, without a single write to disk. The logs stay unchanged on
   * disk and are loaded into memory, so the store shows the state that {@link #open(Path)} would
   * recover. Until it is closed, other processes may read the directory, and none may write.
   * Methods that would change the store throw {@link ReadOnlyException}.
   *
   * @param options memory, metrics, name and {@code io} take effect; the policy is the store's own
   * @throws LockedException if a store has the directory open for writing, or this process has it
   *     open for reading already
   * @throws CorruptionException if a file that opening needs is damaged or missing
   * @throws IllegalArgumentException if the memory has no room for the logs
   * @throws UncheckedIOException if the directory cannot be read
   */
  public static Store openReadOnly(Path directory, StoreOptions options) {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(options, "options");
    ReadMode mode = options.mapped ? ReadMode.MMAP : ReadMode.READ;
    try {
      return openReadOnly(
          RealDisk.openForReading(directory, mode, MappingBudget.ofProcess()), options);
    } catch (IOException e) {
      throw failed("cannot read a store in " + directory, e);
    }
  }

  /** Opens the store of a disk for reading. The store closes the disk, also if opening fails. */
  static Store openReadOnly(Disk disk, StoreOptions options) throws IOException {
    return new Store(options, StoreOpener.openReadOnly(disk, options));
  }

  /**
   * Verifies the manifest, tables and logs of a closed store without changing any file. Compares
   * their checksums and checks order and references. Filters and the disk space reserve are not
   * checked. Damage is reported in the result instead of thrown, and so is a part of a table or log
   * that cannot be read.
   *
   * @throws LockedException if a store has the directory open
   * @throws io.coppice.base.VersionException if the store was written by a newer version
   * @throws UncheckedIOException if the directory or its manifest cannot be read
   */
  public static Verification verify(Path directory) {
    return verify(directory, share -> {});
  }

  /**
   * Verifies a closed store, as {@link #verify(Path)} does, and reports progress.
   *
   * @param progress receives the share done, from 0 to 1, in the calling thread
   */
  public static Verification verify(Path directory, DoubleConsumer progress) {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(progress, "progress");
    try (Disk disk = RealDisk.openForReading(directory)) {
      return StoreVerifier.verify(disk, progress);
    } catch (IOException e) {
      throw failed("cannot verify " + directory, e);
    }
  }

  /** Opens a store on a disk. The store closes the disk, also if opening fails. */
  static Store open(Disk disk, StoreOptions options) throws IOException {
    return open(disk, options, new WorkerThreads());
  }

  /**
   * Opens a store on a disk; the given workers run its background work. The store closes the disk,
   * also if opening fails.
   */
  static Store open(Disk disk, StoreOptions options, Workers workers) throws IOException {
    return new Store(options, StoreOpener.open(disk, options, workers));
  }

  /**
   * Opens a store on a disk with compaction paused until {@link #resumeCompaction}. The store
   * closes the disk, also if opening fails.
   */
  static Store openPaused(Disk disk, StoreOptions options) throws IOException {
    return new Store(options, StoreOpener.openPaused(disk, options));
  }

  StoreParts parts() {
    return parts;
  }

  /**
   * Sets the value of a key, with the durability of the options. Errors are those of {@link
   * #write(WriteBatch, Durability)}. The bytes are copied.
   */
  public void put(byte[] key, byte[] value) {
    main.put(key, value);
  }

  /** Sets the value of a key, as {@link #put(byte[], byte[])} does. The bytes are copied. */
  public void put(ByteBuffer key, ByteBuffer value) {
    main.put(key, value);
  }

  /**
   * Deletes a key, which may be absent, with the durability of the options. Errors are those of
   * {@link #write(WriteBatch, Durability)}. The bytes are copied.
   */
  public void delete(byte[] key) {
    main.delete(key);
  }

  /** Deletes a key, as {@link #delete(byte[])} does. The bytes are copied. */
  public void delete(ByteBuffer key) {
    main.delete(key);
  }

  /**
   * Deletes all keys of a range, with the durability of the options. The cost is that of one
   * delete, regardless of the number of keys. The bytes are copied.
   *
   * @param from first key of the range, inclusive
   * @param to end of the range, exclusive
   * @throws IllegalArgumentException if {@code from} does not sort before {@code to}
   */
  public void deleteRange(byte[] from, byte[] to) {
    main.deleteRange(from, to);
  }

  /**
   * Adds an operand for the merge operator of the options to a key, without reading its value. The
   * bytes are copied.
   *
   * @throws IllegalArgumentException if the store was opened without a merge operator
   */
  public void merge(byte[] key, byte[] operand) {
    main.merge(key, operand);
  }

  /**
   * Sets the value of a key for a limited time. Afterwards the key is absent, in snapshots too.
   * Merging an operand into the value does not extend the time. The bytes are copied.
   *
   * @throws IllegalArgumentException if the time is negative
   */
  public void put(byte[] key, byte[] value, Duration timeToLive) {
    main.put(key, value, timeToLive);
  }

  /**
   * Changes a key if it has the expected value, with the durability of the options, as {@link
   * #compareAndSet(byte[], byte[], byte[], Durability)} does. The bytes are copied.
   */
  public boolean compareAndSet(byte[] key, byte @Nullable [] expected, byte @Nullable [] update) {
    return main.compareAndSet(key, expected, update);
  }

  /**
   * Changes a key atomically if it has the expected value: no other write takes effect between
   * comparison and change. Errors are those of {@link #write(WriteBatch, Durability)}. The bytes
   * are copied.
   *
   * @param expected the present value, or null if the key must be absent
   * @param update the new value, or null to delete the key
   * @return whether the value was the expected one; otherwise nothing was written
   * @throws CorruptionException if the present value is unreadable; nothing was written
   */
  public boolean compareAndSet(
      byte[] key, byte @Nullable [] expected, byte @Nullable [] update, Durability durability) {
    return main.compareAndSet(key, expected, update, durability);
  }

  /** Applies a batch atomically, with the durability of the options. */
  public void write(WriteBatch batch) {
    write(batch, options.durability);
  }

  /**
   * Applies a batch atomically. It returns once the batch has the requested durability and every
   * later read sees it. A durable write makes everything logged before it durable as well, so an
   * empty batch with {@link Durability#SYNC} is a {@link #sync}.
   *
   * @throws ClosedException if a family that the batch names was dropped; the batch has no effect
   * @throws IllegalArgumentException if the batch names a family of another store
   * @throws ReadOnlyException if the store is read-only; if this very write made it so, the batch
   *     may or may not be found after reopening
   * @throws DiskFullException if the disk is full; the batch has no effect
   * @throws StalledException if the write must wait and its thread is interrupted, or the merges it
   *     waits for fail; the batch has no effect
   * @throws UncheckedIOException if the process is out of file descriptors for a new log or table;
   *     the batch has no effect
   */
  public void write(WriteBatch batch, Durability durability) {
    Objects.requireNonNull(durability, "durability");
    if (batch.store() != null && batch.store() != this) {
      throw new IllegalArgumentException(
          "the batch names families of another store; take them from the store that writes it");
    }
    checkOperators(batch);
    parts.writes().commit(batch.entries(), durability);
  }

  private void checkOperators(WriteBatch batch) {
    for (int number : batch.merged()) {
      FamilyParts family = parts.families.get(number);
      if (family != null && family.hooks().operator() == null) {
        throw new IllegalArgumentException(
            "the batch merges into family "
                + NameText.quoted(family.name())
                + ", which was opened without a merge operator");
      }
    }
  }

  /** Returns the reused batch of the calling thread, empty. */
  WriteBatch singleBatch() {
    WriteBatch batch = single.get();
    batch.clear();
    return batch;
  }

  /** Returns a copy of the value of a key, or null if the key is absent. */
  public byte @Nullable [] get(byte[] key) {
    return main.get(key);
  }

  /** Returns a copy of the value of a key, as {@link #get(byte[])} does. */
  public byte @Nullable [] get(ByteBuffer key) {
    return main.get(key);
  }

  /**
   * Copies the value of a key into the caller's buffer, from its position on, if the value fits
   * before its limit. Otherwise it copies nothing. Position and limit stay where they are.
   * Allocates nothing.
   *
   * @return the length of the value, whether it fits or not; -1 if the key is absent
   * @throws java.nio.ReadOnlyBufferException if the buffer is read-only and the value would fit
   */
  public int getInto(byte[] key, ByteBuffer target) {
    return main.getInto(key, target);
  }

  /**
   * Copies the value of a key into the caller's buffer, as {@link #getInto(byte[], ByteBuffer)}
   * does.
   */
  public int getInto(ByteBuffer key, ByteBuffer target) {
    return main.getInto(key, target);
  }

  /**
   * Returns copies of the values of many keys as of one moment. The list is unmodifiable, in the
   * order of the keys, with null for an absent key. Keys may come in any order and repeat. One call
   * is cheaper than single lookups, above all if the keys are close together.
   */
  public List<byte @Nullable []> getAll(List<byte[]> keys) {
    return main.getAll(keys);
  }

  /**
   * Returns the family of a name; {@code default} names the store's own keys.
   *
   * @throws IllegalArgumentException if there is none; the message lists the existing names
   */
  public Family family(String name) {
    checkOpen();
    FamilyParts family = parts.families.find(Objects.requireNonNull(name, "name"));
    if (family == null) {
      FamilyNames.check(name);
      throw FamilyNames.missing(name, parts.families.names());
    }
    return handle(family);
  }

  /** Returns all families, the default one first, the others in order of creation. */
  public List<Family> families() {
    checkOpen();
    return parts.families.all().stream().map(this::handle).toList();
  }

  /**
   * Creates a family with the policy of the default family, as {@link #createFamily(String,
   * String)} does.
   */
  public Family createFamily(String name) {
    return createFamily(name, parts.families.policy(main.number()).toString());
  }

  /**
   * Creates a family durably. It also makes every earlier write with a log record durable.
   *
   * @param name 1 to 255 bytes of UTF-8 that no other family has; names are compared byte by byte
   * @param policyText the compaction policy, such as {@code leveled,fanout=8}
   * @throws IllegalArgumentException if the name is malformed or taken
   * @throws InvalidOptionsException naming every fault of the policy; nothing was changed
   * @throws ReadOnlyException if the store takes no writes
   * @throws DiskFullException if the disk is full; nothing was changed
   * @throws StalledException if the thread is interrupted while it waits; nothing was changed
   */
  public Family createFamily(String name, String policyText) {
    checkOpen();
    FamilyNames.check(Objects.requireNonNull(name, "name"));
    PolicySpec policy = Family.spec(policyText, options());
    beginCall();
    try {
      FamilyParts family = parts.lifecycle.create(name, policy);
      if (beans != null) {
        beans.add(family);
      }
      return handle(family);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the family " + NameText.quoted(name) + " could not be created", e);
    } finally {
      endCall();
    }
  }

  /**
   * Drops a family with all its keys, durably. The keys are gone for good, even if a new family
   * takes the name. It also makes every earlier write with a log record durable. Handles of the
   * family are closed. Open cursors continue and keep its tables on disk until they are closed.
   *
   * @throws IllegalArgumentException if there is no such family, or it is the default one
   * @throws ReadOnlyException if the store takes no writes
   * @throws DiskFullException if the disk is full; nothing was changed
   * @throws StalledException if the thread is interrupted while it waits; nothing was changed
   */
  public void dropFamily(String name) {
    Family family = family(name);
    if (family == main) {
      throw new IllegalArgumentException(
          "the default family cannot be dropped; delete its keys, or remove the store");
    }
    beginCall();
    try {
      parts.lifecycle.drop(family.parts());
      families.remove(family.number());
      if (beans != null) {
        beans.remove(family.parts());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StalledException("a drop was interrupted while it waited for merges", e);
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the family " + NameText.quoted(name) + " could not be dropped", e);
    } finally {
      endCall();
    }
  }

  /** Returns a snapshot of the present state of all families. The caller closes it. */
  public Snapshot snapshot() {
    checkOpen();
    long sequence = parts.snapshots.open(parts::visible);
    try {
      return new Snapshot(main, sequence, () -> parts.closeSnapshot(sequence), handles);
    } catch (RuntimeException | Error e) {
      parts.snapshots.close(sequence);
      throw e;
    }
  }

  /** Returns a cursor over the present keys of a range. The caller closes it. */
  public Cursor cursor(KeyRange range) {
    return main.cursor(range);
  }

  /**
   * Makes every earlier write that has a log record durable: all writes except those of {@link
   * Durability#NONE}.
   *
   * @throws ReadOnlyException if the store takes no writes
   * @throws StalledException if the thread is interrupted while it waits
   */
  public void sync() {
    parts.writes().sync();
  }

  /**
   * Writes all memtables to tables, and returns once the tables are durable.
   *
   * @throws ReadOnlyException if the store takes no writes
   * @throws DiskFullException if the disk is full; all data stays readable
   * @throws StalledException if the thread is interrupted while it waits
   */
  public void flush() {
    parts.writes().flush();
  }

  /**
   * Runs a major compaction: flushes, then merges each family into one run, and returns when done.
   * Other tables are rewritten as well if this removes tombstones, expired values or versions that
   * only closed snapshots needed. With a compaction filter every table is rewritten. The policies'
   * own plans wait. If the thread is interrupted, the method returns at once with the interrupt
   * still set; completed merge steps stay.
   *
   * @throws ClosedException if the store is closed before it is done
   * @throws CorruptionException if tables are unreadable and the first of them is damaged; the
   *     message names all of them, and everything else of each family is merged
   * @throws UncheckedIOException if tables are unreadable and the first of them cannot be opened,
   *     with the same effect; or if another read or write fails
   * @throws DiskFullException if the disk is full; completed merge steps stay
   */
  public void compact() throws StoreException {
    compact(List.copyOf(parts.families.all()));
  }

  void compact(List<FamilyParts> chosen) {
    List<RuntimeException> unreadable = new ArrayList<>();
    try {
      flushBesideMerges();
      for (FamilyParts family : chosen) {
        try {
          parts.compactor.everything(family.number());
        } catch (CorruptionException | UncheckedIOException e) {
          unreadable.add(e);
        } catch (ClosedException e) {
          // A family that was dropped by now has nothing to merge.
          if (parts.manifest.state().family(family.number()) != null) {
            throw e;
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    checkOpen();
    if (!unreadable.isEmpty()) {
      throw UnreadableTables.joined(unreadable);
    }
  }

  /**
   * Flushes all memtables. On a full disk it tries once more after all merges have ended, because
   * outputs of a running merge take room for a moment.
   */
  private void flushBesideMerges() throws InterruptedException {
    try {
      parts.writes().flushInterruptibly();
    } catch (DiskFullException e) {
      parts.compactor.awaitPaused();
      parts.writes().flushInterruptibly();
    }
  }

  /**
   * Pauses compaction: stops starting merges, moves and delays, and returns when none runs. A
   * running merge stops at its next table; {@link #resumeCompaction} plans the rest again. Writes
   * continue, but throw {@link StalledException} instead of waiting for merges. If the thread is
   * interrupted, the method returns at once with the interrupt still set, and compaction stays
   * paused.
   */
  public void pauseCompaction() {
    pauseCompaction(false);
  }

  /**
   * Pauses compaction as {@link #pauseCompaction} does, but stops running merges at once. A merge
   * gives up its outputs that are not durable yet: at most the tables of one step.
   */
  public void cancelCompaction() {
    pauseCompaction(true);
  }

  private void pauseCompaction(boolean atOnce) {
    checkOpen();
    try {
      parts.pauseCompaction(atOnce);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Resumes compaction after {@link #pauseCompaction} or {@link #cancelCompaction}. */
  public void resumeCompaction() {
    checkOpen();
    parts.resumeCompaction();
  }

  /**
   * Limits the total write rate of all merges until the store is closed.
   *
   * @param bytesPerSecond 0 for no limit
   * @throws IllegalArgumentException if the rate is negative
   * @throws ReadOnlyException if the store was opened for reading
   */
  public void compactionRate(long bytesPerSecond) {
    checkOpen();
    if (bytesPerSecond < 0) {
      throw new IllegalArgumentException(
          "bytesPerSecond (" + bytesPerSecond + ") must not be negative");
    }
    parts.writes();
    parts.compactionRate.bytesPerSecond(bytesPerSecond);
  }

  /**
   * Changes the search scheme of lookups until the store is closed. Results do not depend on it.
   */
  public void search(SearchScheme scheme) {
    Objects.requireNonNull(scheme, "scheme");
    checkOpen();
    parts.searching.scheme(scheme);
  }

  /** Changes the compaction policy of the default family, as {@link Family#policy(String)} does. */
  public void policy(String text) {
    main.policy(text);
  }

  /**
   * Waits until every sealed memtable is in tables and no policy wants a further merge or move. If
   * the thread is interrupted, the method returns at once with the interrupt still set. While
   * compaction is paused, wanted plans wait for its resumption, and so does this method.
   *
   * @throws ClosedException if the store is closed before it is done
   */
  public void awaitIdle() {
    checkOpen();
    try {
      parts.writes().awaitSealed();
      parts.compactor.awaitIdle();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    checkOpen();
  }

  /**
   * Creates a checkpoint: a second store, in another directory, with the present state of this one.
   * Memory is flushed first. Tables are shared by hard links, or copied to another file system, so
   * a checkpoint takes little time and room. The new store keeps the disk space of tables that this
   * one deletes later. It appears under its name once all of it is durable, or not at all.
   *
   * <p>If this store was opened for reading, the logs are copied and nothing is flushed.
   *
   * @param directory missing or empty, and outside this store's directory
   * @return the number of tables, and the bytes linked and copied
   * @throws ReadOnlyException if a write of this store failed and it takes no more
   * @throws DiskFullException if there is no room
   * @throws StalledException if the thread is interrupted while it waits for the flush
   * @throws UncheckedIOException if the directory cannot be made, for example because it has files
   */
  public Checkpoint checkpoint(Path directory) {
    return checkpoint(directory, share -> {});
  }

  /**
   * Creates a checkpoint, as {@link #checkpoint(Path)} does, and reports progress.
   *
   * @param progress receives the share done, from 0 to 1, in the calling thread; it must not close
   *     the store
   */
  public Checkpoint checkpoint(Path directory, DoubleConsumer progress) {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(progress, "progress");
    beginCall();
    try (DirectoryDraft draft = DirectoryDraft.begin(directory, parts.disk)) {
      Checkpoint made = parts.checkpoint(draft.disk(), progress);
      draft.publish();
      return made;
    } catch (IOException e) {
      String reason = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      // The message of the file system begins with the name of the directory already.
      String place = reason.startsWith(directory + ":") ? "" : directory + ": ";
      throw new UncheckedIOException("cannot make a checkpoint in " + place + reason, e);
    } finally {
      endCall();
    }
  }

  /** Returns the present statistics; cheap enough to call every second. */
  public StoreStats stats() {
    beginCall();
    try {
      return parts.figures().stats(handles);
    } finally {
      endCall();
    }
  }

  FamilyStats stats(FamilyParts family) {
    beginCall();
    try {
      checkOpen(family);
      return parts.figures().stats(family);
    } finally {
      endCall();
    }
  }

  /**
   * Begins a call that delays the closing of the store until {@link #endCall}. After an exception
   * no call has begun.
   *
   * @throws ClosedException if the store is closed
   * @throws StackOverflowError if the thread has too little stack for the call to end
   */
  void beginCall() {
    StackRoom.require();
    boolean open = false;
    calls.readLock().lock();
    try {
      checkOpen();
      open = true;
    } finally {
      if (!open) {
        calls.readLock().unlock();
      }
    }
  }

  void endCall() {
    calls.readLock().unlock();
  }

  /**
   * Returns the recent decisions of the policies, oldest first: each request for a plan with its
   * answer. There are at most 1,000, fewer in a store of more than 100 tables.
   */
  public List<Decision> decisions() {
    checkOpen();
    return parts.decisions();
  }

  /**
   * Returns the policy changes that the store made by itself in {@code adaptive} families, each
   * with the load that it followed, oldest first. There are at most 1,000 since the store was
   * opened.
   */
  public List<DecisionJournal.FamilySwitch> switches() {
    checkOpen();
    return parts.switches();
  }

  /**
   * Closes the store: flushes, waits for calls in progress, and releases every file, mapping,
   * thread and byte of memory. Open cursors and snapshots are closed. Idempotent; if another thread
   * is closing the store, the method waits for it.
   *
   * @throws DiskFullException if there was no room for writes of {@link Durability#NONE}, which are
   *     lost; the next opening recovers all others
   * @throws UncheckedIOException if a part cannot be closed cleanly; the store is closed all the
   *     same
   * @throws IllegalStateException if this thread is inside a call that closing waits for, such as
   *     the progress callback of a checkpoint; the store stays open
   */
  @Override
  public void close() {
    if (calls.getReadHoldCount() > 0) {
      throw new IllegalStateException(
          "a store cannot be closed by a thread inside one of its calls; "
              + "close it after the call");
    }
    StackRoom.requireMuch();
    if (!parts.startClosing()) {
      Uninterruptibles.awaitUninterruptibly(closed);
      return;
    }
    try {
      calls.writeLock().lock();
      calls.writeLock().unlock();
      // No call is in progress any longer, so none adds a bean after this.
      if (beans != null) {
        beans.close();
      }
      handles.closeAll();
    } finally {
      try {
        closeParts();
      } finally {
        closed.countDown();
      }
    }
  }

  private void closeParts() {
    try {
      parts.close();
    } catch (IOException e) {
      throw new UncheckedIOException("the store could not be closed cleanly", e);
    }
  }

  private void forgotten(OpenHandles.What what, Duration age, @Nullable Throwable opened) {
    String where =
        opened == null
            ? "; StoreOptions.Builder.leakTracking(LeakTracking.ALL) shows where it was opened"
            : "";
    LOG.log(
        System.Logger.Level.WARNING,
        "a %s of store %s was never closed; it kept its tables for %s and is closed now%s"
            .formatted(what, options.name, age, where),
        opened);
  }

  StoreOptions options() {
    return options;
  }

  OpenHandles handles() {
    return handles;
  }

  void checkOpen(FamilyParts family) {
    checkOpen();
    if (family.writeState().dropped()) {
      throw new ClosedException(
          "the family " + NameText.quoted(family.name()) + ", which was dropped,");
    }
  }

  void checkOpen() {
    if (parts.closing()) {
      throw new ClosedException("the store");
    }
  }
}
