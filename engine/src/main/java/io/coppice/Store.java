// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice;

import io.coppice.base.ClosedException;
import io.coppice.base.CorruptionException;
import io.coppice.base.DiskFullException;
import io.coppice.base.Durability;
import io.coppice.base.InvalidOptionsException;
import io.coppice.base.LockedException;
import io.coppice.base.NameText;
import io.coppice.base.ReadOnlyException;
import io.coppice.base.SearchScheme;
import io.coppice.base.StackRoom;
import io.coppice.base.StalledException;
import io.coppice.base.StoreException;
import io.coppice.base.WorkerThreads;
import io.coppice.base.Workers;
import io.coppice.io.DirectoryDraft;
import io.coppice.io.Disk;
import io.coppice.io.MappingBudget;
import io.coppice.io.ReadMode;
import io.coppice.io.RealDisk;
import io.coppice.policy.Decision;
import io.coppice.policy.DecisionJournal;
import io.coppice.policy.PolicySpec;
import io.coppice.recovery.Checkpoint;
import io.coppice.recovery.Verification;
import io.coppice.recovery.Verifier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.DoubleConsumer;
import org.jspecify.annotations.Nullable;

/**
 * An ordered map from byte strings to byte strings, on disk. Keys are ordered as unsigned bytes.
 * Safe to share between threads. Beside its own keys, those of the family {@code default}, a store
 * may hold further {@link Family families}.
 *
 * <pre>{@code
 * try (Store store = Store.open(Path.of("data"))) {
 *   store.put(key, value);
 *   byte[] found = store.get(key);
 * }
 * }</pre>
 *
 * <p>Arguments are read before a method returns and never kept; results are copies that belong to
 * the caller. A key has 0 to 65,535 bytes, a value up to 256 MiB. Every method throws {@link
 * ClosedException} once the store is closed, {@link NullPointerException} for a null argument, and
 * {@link CorruptionException} where bytes on disk are not what was written; damage in one table
 * leaves the others readable. After a failed write or sync the store is read-only until it is
 * reopened, and writes throw {@link ReadOnlyException}. On a full disk writes, flushes and merges
 * throw {@link DiskFullException}, have no effect, and work again once there is room.
 */
public final class Store implements AutoCloseable {

  private static final System.Logger LOG = System.getLogger("io.coppice.Store");

  private final StoreOptions options;
  private final StoreParts parts;
  private final OpenHandles handles;

  /** Read while a call uses what closing gives back and nothing else keeps. */
  private final ReentrantReadWriteLock calls = new ReentrantReadWriteLock();

  private final CountDownLatch closed = new CountDownLatch(1);

  /** The batch of one entry that each thread writes again and again. */
  private final ThreadLocal<WriteBatch> single = ThreadLocal.withInitial(WriteBatch::new);

  /** The handles of the living families that were asked for, by number. */
  private final Map<Integer, Family> families = new ConcurrentHashMap<>();

  private final Family main;

  /** Null without {@link StoreOptions.Builder#jmx}. */
  private final @Nullable StoreBeans beans;

  private Store(StoreOptions options, StoreParts parts) {
    this.options = options;
    this.parts = parts;
    this.handles = new OpenHandles(options.leakTracking(), System::nanoTime, this::forgotten);
    this.main = handle(parts.families().defaultOne());
    this.beans = options.jmx() ? new StoreBeans(this) : null;
    if (beans != null) {
      parts.families().all().forEach(beans::add);
    }
  }

  private Family handle(FamilyParts family) {
    return families.computeIfAbsent(family.number(), number -> new Family(this, family));
  }

  /** Opens a store with default options; the directory is created if it is missing. */
  public static Store open(Path directory) {
    return open(directory, StoreOptions.defaults());
  }

  /**
   * Opens a store; the directory is created if it is missing. Writes that were acknowledged and are
   * not in tables are recovered from the log first.
   *
   * @throws LockedException if another store has the directory open; the message names the holder
   * @throws CorruptionException if what is needed to open the store is damaged
   * @throws DiskFullException if recovery has no room; nothing is lost
   * @throws UncheckedIOException if the directory cannot be used, or has files, but none of a store
   */
  public static Store open(Path directory, StoreOptions options) {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(options, "options");
    ReadMode mode = options.mapped() ? ReadMode.MMAP : ReadMode.READ;
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

  /** As {@link #openReadOnly(Path, StoreOptions)}, with default options. */
  public static Store openReadOnly(Path directory) {
    return openReadOnly(directory, StoreOptions.defaults());
  }

  /**
   * Opens a store that exists to read it, without a single write: the logs stay as they are and are
   * kept in memory. It shows the state that {@link #open(Path)} would recover. Writers are kept out
   * until it is closed; other processes may read meanwhile. What would change the store throws
   * {@link ReadOnlyException}.
   *
   * @param options of which the memory, the metrics, the name and {@code io} count; the policy is
   *     the store's own
   * @throws LockedException if a store has the directory open for writing, or this process has it
   *     open for reading already
   * @throws CorruptionException if what is needed to open the store is damaged or missing
   * @throws IllegalArgumentException if the memory has no room for the logs
   * @throws UncheckedIOException if the directory cannot be read
   */
  public static Store openReadOnly(Path directory, StoreOptions options) {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(options, "options");
    ReadMode mode = options.mapped() ? ReadMode.MMAP : ReadMode.READ;
    try {
      return openReadOnly(
          RealDisk.openForReading(directory, mode, MappingBudget.ofProcess()), options);
    } catch (IOException e) {
      throw failed("cannot read a store in " + directory, e);
    }
  }

  /** Opens a store on a disk to read it; the disk is closed with it, also if opening fails. */
  static Store openReadOnly(Disk disk, StoreOptions options) throws IOException {
    return new Store(options, StoreParts.openReadOnly(disk, options));
  }

  /**
   * Reads every file of a store that nobody has open, compares all checksums, looks at order and
   * references, and changes nothing. Damage is reported, not thrown, and so is a place of a table
   * or log that cannot be read.
   *
   * @throws LockedException if a store has the directory open
   * @throws io.coppice.base.VersionException if the store was written by a newer version
   * @throws UncheckedIOException if the directory cannot be read, or its manifest
   */
  public static Verification verify(Path directory) {
    return verify(directory, share -> {});
  }

  /** As above; {@code progress} is told which share is done, from 0 to 1, in this thread. */
  public static Verification verify(Path directory, DoubleConsumer progress) {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(progress, "progress");
    try (Disk disk = RealDisk.openForReading(directory)) {
      return Verifier.verify(disk, progress);
    } catch (IOException e) {
      throw failed("cannot verify " + directory, e);
    }
  }

  /** Opens a store on a disk, which it closes, also if opening fails. */
  static Store open(Disk disk, StoreOptions options) throws IOException {
    return open(disk, options, new WorkerThreads());
  }

  /** As {@link #open(Disk, StoreOptions)}, with its background work carried out by others. */
  static Store open(Disk disk, StoreOptions options, Workers workers) throws IOException {
    return new Store(options, StoreParts.open(disk, options, workers));
  }

  /** As {@link #open(Disk, StoreOptions)}; nothing is merged unless the compactor is told to. */
  static Store openPaused(Disk disk, StoreOptions options) throws IOException {
    return new Store(options, StoreParts.openPaused(disk, options));
  }

  StoreParts parts() {
    return parts;
  }

  /**
   * Sets the value of a key, with the durability of the options. The bytes are read before this
   * returns and never kept.
   */
  public void put(byte[] key, byte[] value) {
    main.put(key, value);
  }

  /**
   * As {@link #put(byte[], byte[])}, from position to limit of each buffer, which do not move. The
   * bytes are read before this returns and never kept.
   */
  public void put(ByteBuffer key, ByteBuffer value) {
    main.put(key, value);
  }

  /**
   * Removes a key, which need not exist, with the durability of the options. The bytes are read
   * before this returns and never kept.
   */
  public void delete(byte[] key) {
    main.delete(key);
  }

  /**
   * As {@link #delete(byte[])}, from position to limit of the buffer, which does not move. The
   * bytes are read before this returns and never kept.
   */
  public void delete(ByteBuffer key) {
    main.delete(key);
  }

  /**
   * Removes all keys from one on, inclusive, and before another, with the durability of the
   * options. It costs as much as one delete, however many keys there are. The bytes are read before
   * this returns and never kept.
   *
   * @throws IllegalArgumentException if the first does not sort before the second
   */
  public void deleteRange(byte[] from, byte[] to) {
    main.deleteRange(from, to);
  }

  /**
   * Changes the value of a key by the merge operator of the options, without reading it. The bytes
   * are read before this returns and never kept.
   *
   * @throws IllegalArgumentException if the store was opened without a merge operator
   */
  public void merge(byte[] key, byte[] operand) {
    main.merge(key, operand);
  }

  /**
   * Sets the value of a key for so long: then the key is absent, in snapshots too. A merge of an
   * operand onto the value does not make it last longer. The bytes are read before this returns and
   * never kept.
   *
   * @throws IllegalArgumentException if the time is negative
   */
  public void put(byte[] key, byte[] value, Duration timeToLive) {
    main.put(key, value, timeToLive);
  }

  /**
   * As the longer form, with the durability of the options. The bytes are read before this returns
   * and never kept.
   */
  public boolean compareAndSet(byte[] key, byte @Nullable [] expected, byte @Nullable [] update) {
    return main.compareAndSet(key, expected, update);
  }

  /**
   * Changes the value of a key if it is what is expected; nothing that any other writer does falls
   * between the comparison and the change. The arrays are read before this returns and never kept.
   * Fails as {@link #write(WriteBatch, Durability)} does.
   *
   * @param expected the present value, or null if the key must be absent
   * @param update the new value, or null to remove the key
   * @return false if the value was another; nothing was written then
   * @throws CorruptionException if the present value cannot be read; nothing was written then
   */
  public boolean compareAndSet(
      byte[] key, byte @Nullable [] expected, byte @Nullable [] update, Durability durability) {
    return main.compareAndSet(key, expected, update, durability);
  }

  /** Applies a batch, all or nothing, with the durability of the options. */
  public void write(WriteBatch batch) {
    write(batch, options.durability());
  }

  /**
   * Applies a batch, all or nothing. Returns when it is as durable as asked and every later read
   * sees it. What is durable takes with it all that was logged before: an empty batch with {@link
   * Durability#SYNC} is a {@link #sync}.
   *
   * @throws ClosedException if a family that it names was dropped; the batch has no effect
   * @throws IllegalArgumentException if it names a family of another store
   * @throws ReadOnlyException if the store takes no writes; if this very write made it so, whether
   *     the batch is found after reopening is open
   * @throws DiskFullException if there is no room; the batch has no effect
   * @throws StalledException if the write must wait and its thread is interrupted, or the merges it
   *     waits for fail; the batch has no effect
   * @throws UncheckedIOException if there is no descriptor for a new log or table; the batch has no
   *     effect
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
      FamilyParts family = parts.families().get(number);
      if (family != null && family.extensions().operator() == null) {
        throw new IllegalArgumentException(
            "the batch merges into family "
                + NameText.quoted(family.name())
                + ", which was opened without a merge operator");
      }
    }
  }

  /** The calling thread's own, empty. */
  WriteBatch singleBatch() {
    WriteBatch batch = single.get();
    batch.clear();
    return batch;
  }

  /** The value of a key, as a copy that is yours; null if the key is absent. */
  public byte @Nullable [] get(byte[] key) {
    return main.get(key);
  }

  /**
   * As {@link #get(byte[])}, from position to limit of the key, which does not move. A copy that is
   * yours.
   */
  public byte @Nullable [] get(ByteBuffer key) {
    return main.get(key);
  }

  /**
   * Copies the value of a key into a buffer of yours, from its position on, if it fits up to its
   * limit; position and limit do not move. If it does not fit nothing is copied. Allocates nothing.
   *
   * @return the length of the value, fitting or not; -1 if the key is absent
   * @throws java.nio.ReadOnlyBufferException if the buffer is read-only and the value would fit
   */
  public int getInto(byte[] key, ByteBuffer target) {
    return main.getInto(key, target);
  }

  /**
   * As {@link #getInto(byte[], ByteBuffer)}, from position to limit of the key, which does not
   * move. The bytes are read before this returns and never kept.
   */
  public int getInto(ByteBuffer key, ByteBuffer target) {
    return main.getInto(key, target);
  }

  /**
   * The values of many keys as they are at one moment: a list in the order of the keys,
   * unmodifiable, with null where a key is absent. The values are copies that are yours. Cheaper
   * than as many single lookups, the more so the closer the keys lie together; they may come in any
   * order and repeat.
   */
  public List<byte @Nullable []> getAll(List<byte[]> keys) {
    return main.getAll(keys);
  }

  /**
   * A family by its name; {@code default} names the store's own keys.
   *
   * @throws IllegalArgumentException if there is none; the message names those there are
   */
  public Family family(String name) {
    checkOpen();
    FamilyParts family = parts.families().find(Objects.requireNonNull(name, "name"));
    if (family == null) {
      FamilyNames.check(name);
      throw FamilyNames.missing(name, parts.families().names());
    }
    return handle(family);
  }

  /** All families, the default one first, the others in the order in which they were created. */
  public List<Family> families() {
    checkOpen();
    return parts.families().all().stream().map(this::handle).toList();
  }

  /** As {@link #createFamily(String, String)}, with the policy of the default family. */
  public Family createFamily(String name) {
    return createFamily(name, parts.families().policy(main.number()).toString());
  }

  /**
   * Creates a family; it is durable when this returns, and with it every write before that has a
   * log record.
   *
   * @param name 1 to 255 bytes of UTF-8, which no other family has; it is compared byte by byte
   * @param policyText its compaction policy, such as {@code leveled,fanout=8}
   * @throws IllegalArgumentException if the name is wrong or taken
   * @throws InvalidOptionsException naming every fault of the policy; nothing was changed
   * @throws ReadOnlyException if the store takes no writes
   * @throws DiskFullException if there is no room; nothing was changed
   * @throws StalledException if the thread is interrupted while it waits; nothing was changed
   */
  public Family createFamily(String name, String policyText) {
    checkOpen();
    FamilyNames.check(Objects.requireNonNull(name, "name"));
    PolicySpec policy = Family.spec(policyText, options());
    beginCall();
    try {
      FamilyParts family = parts.create(name, policy);
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
   * Drops a family with all its keys; it is gone for good when this returns, also if another one
   * gets its name. Every write before that has a log record is durable then too. Handles of the
   * family are closed; cursors that are open go on, and keep its tables on disk until they are
   * closed.
   *
   * @throws IllegalArgumentException if there is no such family, or it is the default one
   * @throws ReadOnlyException if the store takes no writes
   * @throws DiskFullException if there is no room; nothing was changed
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
      parts.drop(family.parts());
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

  /** The store as it is now, to be read for as long as the snapshot is open. */
  public Snapshot snapshot() {
    checkOpen();
    long sequence = parts.snapshots().open(parts::visible);
    try {
      return new Snapshot(main, sequence, () -> parts.snapshots().close(sequence), handles);
    } catch (RuntimeException | Error e) {
      parts.snapshots().close(sequence);
      throw e;
    }
  }

  /** A cursor over the keys of a range as they are now. */
  public Cursor cursor(KeyRange range) {
    return main.cursor(range);
  }

  /**
   * Makes every write before this call that has a log record durable.
   *
   * @throws StalledException if the thread is interrupted while it waits
   */
  public void sync() {
    parts.writes().sync();
  }

  /**
   * Writes all that is in memory to tables.
   *
   * @throws StalledException if the thread is interrupted while it waits
   */
  public void flush() {
    parts.writes().flush();
  }

  /**
   * Flushes, then merges everything of each family into one run, and returns when it is done.
   * Tables that need not be merged for that are rewritten too if something in them can go:
   * deletions, values past their end, versions that only snapshots kept; all tables if there is a
   * compaction filter. The policies' own plans wait meanwhile. If the thread is interrupted this
   * returns at once, with the interrupt still set; what was merged by then stays merged.
   *
   * @throws ClosedException if the store is closed before it is done
   * @throws CorruptionException naming a damaged table; all else of every family is merged by then
   * @throws UncheckedIOException naming a table that cannot be opened, likewise; or what else
   *     failed
   */
  public void compact() throws StoreException {
    compact(List.copyOf(parts.families().all()));
  }

  void compact(List<FamilyParts> chosen) {
    RuntimeException damage = null;
    try {
      flushBesideMerges();
      for (FamilyParts family : chosen) {
        try {
          parts.compactor().everything(family.number());
        } catch (CorruptionException | UncheckedIOException e) {
          if (damage == null) {
            damage = e;
          } else {
            damage.addSuppressed(e);
          }
        } catch (ClosedException e) {
          // One that was dropped by now has nothing to merge.
          if (parts.catalogue().family(family.number()) != null) {
            throw e;
          }
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    checkOpen();
    if (damage != null) {
      throw damage;
    }
  }

  /** On a full disk the outputs of merges under way may take the room for a moment. */
  private void flushBesideMerges() throws InterruptedException {
    try {
      parts.writes().flushInterruptibly();
    } catch (DiskFullException e) {
      parts.compactor().awaitPaused();
      parts.writes().flushInterruptibly();
    }
  }

  /**
   * Starts no merge, move or delay any more, and returns when none runs: each merge under way ends
   * at its next table, and what it left is planned again after {@link #resumeCompaction}. Writes go
   * on, but throw {@link StalledException} where they would have to wait for merges. If the thread
   * is interrupted this returns at once, with the interrupt still set and no merge started any
   * more.
   */
  public void pauseCompaction() {
    pauseCompaction(false);
  }

  /**
   * As {@link #pauseCompaction}, but merges under way end at once and give up what is not yet
   * durable: at most the tables of one step each.
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

  /** Lets the policies go on after {@link #pauseCompaction} or {@link #cancelCompaction}. */
  public void resumeCompaction() {
    checkOpen();
    parts.resumeCompaction();
  }

  /**
   * Limits the bytes a second that all merges together may write, from now on until the store is
   * closed.
   *
   * @param bytesPerSecond 0 for no limit
   */
  public void mergeRate(long bytesPerSecond) {
    checkOpen();
    if (bytesPerSecond < 0) {
      throw new IllegalArgumentException(
          "bytesPerSecond (" + bytesPerSecond + ") must not be negative");
    }
    parts.writes();
    parts.mergeRate().bytesPerSecond(bytesPerSecond);
  }

  /**
   * Lets lookups search in another way from now on, until the store is closed. Answers do not
   * depend on it.
   */
  public void search(SearchScheme scheme) {
    Objects.requireNonNull(scheme, "scheme");
    checkOpen();
    parts.searching().scheme(scheme);
  }

  /** As {@link Family#policy(String)}, of the default family. */
  public void policy(String text) {
    main.policy(text);
  }

  /**
   * Returns when everything sealed is in tables and no policy wants a further merge or move. If the
   * thread is interrupted this returns at once, with the interrupt still set. While compaction is
   * paused it waits for what a policy wants until that is resumed and done.
   *
   * @throws ClosedException if the store is closed before it is done
   */
  public void awaitIdle() {
    checkOpen();
    try {
      parts.writes().awaitSealed();
      parts.compactor().awaitIdle();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    checkOpen();
  }

  /**
   * Makes a store of its own that shows what this one shows now, while this one goes on. Memory is
   * flushed first. Tables are shared by hard links, or copied to another file system, so it takes
   * little time and room; the store that is made holds on to the room of the tables that this one
   * drops later. It appears under its name once all of it is durable, or not at all.
   *
   * <p>Of a store that was opened for reading the logs are copied, and nothing is flushed.
   *
   * @param directory does not exist, or is empty, and lies outside this store's
   * @return how much was linked and copied
   * @throws ReadOnlyException if this store takes no writes since one failed
   * @throws DiskFullException if there is no room
   * @throws StalledException if the thread is interrupted while it waits for the flush
   * @throws UncheckedIOException if the directory cannot be made, as when it exists
   */
  public Checkpoint checkpoint(Path directory) {
    return checkpoint(directory, share -> {});
  }

  /**
   * As above; {@code progress} is told which share is done, from 0 to 1, in this thread, and must
   * not close the store.
   */
  public Checkpoint checkpoint(Path directory, DoubleConsumer progress) {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(progress, "progress");
    beginCall();
    try (DirectoryDraft draft = DirectoryDraft.begin(directory, parts.disk())) {
      Checkpoint made = parts.checkpoint(draft.disk(), progress);
      draft.publish();
      return made;
    } catch (IOException e) {
      String reason = e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
      throw new UncheckedIOException("cannot make a checkpoint in " + directory + ": " + reason, e);
    } finally {
      endCall();
    }
  }

  /** The figures of now; cheap enough for every second. */
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
   * Begins a call that closing the store waits for, until {@link #endCall}.
   *
   * @throws ClosedException if the store is closed
   */
  void beginCall() {
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
   * What the policies were asked lately and what they answered, oldest first; at most a thousand
   * decisions, fewer in a store of more than a hundred tables.
   */
  public List<Decision> decisions() {
    checkOpen();
    return parts.decisions();
  }

  /**
   * What the store has changed by itself in the policies of families that are {@code adaptive}, and
   * the load that it went by, oldest first; at most the last thousand since it was opened.
   */
  public List<DecisionJournal.FamilySwitch> switches() {
    checkOpen();
    return parts.switches();
  }

  /**
   * Flushes, waits for calls in progress, and gives back every file, mapping, thread and byte of
   * memory. Cursors and snapshots still open are closed. Idempotent: while another thread closes
   * the store this waits for it.
   *
   * @throws DiskFullException if there was no room for writes of {@link Durability#NONE}, which are
   *     lost; all others are recovered by the next opening
   * @throws IllegalStateException if this thread is inside a call that closing waits for, as where
   *     a checkpoint tells of its progress; the store stays open
   */
  @Override
  public void close() {
    if (calls.getReadHoldCount() > 0) {
      throw new IllegalStateException("a store cannot be closed from inside one of its calls");
    }
    StackRoom.requireMuch();
    if (!parts.startClosing()) {
      awaitClosed();
      return;
    }
    try {
      calls.writeLock().lock();
      calls.writeLock().unlock();
      // Now that no call is under way that could add one.
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

  /** Another thread closes the store; an interrupt is kept for later. */
  private void awaitClosed() {
    boolean interrupted = false;
    while (true) {
      try {
        closed.await();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
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
        "a "
            + what
            + " of store "
            + options.name()
            + " was never closed; it held what it saw for "
            + age
            + " and is closed now"
            + where,
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
    if (family.written().dropped()) {
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
