// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.ClosedException;
import io.coppice.base.CorruptionException;
import io.coppice.base.MemoryBudget;
import io.coppice.base.bytes.ByteSource;
import io.coppice.base.bytes.Bytes;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.LookupKey;
import io.coppice.entry.RangeDeletions;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.ReadBatch;
import io.coppice.table.block.BlockBuffer;
import io.coppice.table.block.BlockCursor;
import io.coppice.table.block.Codecs;
import io.coppice.table.block.OffHeapAllocator;
import io.coppice.table.block.ReadaheadBuffer;
import io.coppice.table.block.TableIndex;
import io.coppice.table.cache.BlockCache;
import io.coppice.table.filter.BinaryFuseFilter;
import io.coppice.table.filter.KeyHash;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Immutable file of sorted entries, with its index and, if it has one, its filter. The first reader
 * opens a table and loads index and filter, unless they were loaded before the table was handed
 * out. Readers hold a lease on a version that names the table, which keeps it open. Safe to share
 * between threads.
 *
 * <p>Reads throw {@link CorruptionException} with file and offset if bytes differ from those
 * written, and {@link UncheckedIOException} if bytes cannot be read.
 */
public final class Table {

  /**
   * Mask of key hashes whose filter lookups are not counted: only one hash in 64 counts, so threads
   * rarely write to the same cache line.
   */
  private static final long UNCOUNTED_USES = 63;

  /** Result of {@link #readFilter} without a filter in memory, which no filter gives. */
  public static final int NOT_READ = -1;

  private static final Consumer<Table> NO_FILTERS = table -> {};

  private final TableMeta meta;
  private final MemoryBudget budget;
  private final OffHeapAllocator allocator;
  private final Codecs codecs;
  private final BlockCache cache;
  private final AtomicLong reads = new AtomicLong();

  /**
   * Disk of the file; null once opened or closed, because threads may keep a reference to a closed
   * table.
   */
  @GuardedBy("this")
  private Disk disk;

  /** Loader of the filter; null once it was called or the table was closed. */
  @GuardedBy("this")
  private Consumer<Table> filterLoader;

  /** Open file with its blocks; null before the first use. */
  private volatile TableBlocks opened;

  /** Loaded index; null before loading and after closing. */
  private volatile TableIndex index;

  /** Whether the table has tried to load its filter. */
  private volatile boolean filterAsked;

  /** Whether the table is closed. */
  @GuardedBy("this")
  private boolean closed;

  /** Filter in memory, or null. */
  private volatile BinaryFuseFilter filter;

  /** Argument of the last {@link #keptForSnapshots(long[])}, or null. */
  private volatile long[] keptForSnapshots;

  private final AtomicLong filterUses = new AtomicLong();

  private Table(
      Disk disk,
      TableMeta meta,
      MemoryBudget budget,
      OffHeapAllocator allocator,
      Codecs codecs,
      BlockCache cache,
      Consumer<Table> filterLoader) {
    this.disk = disk;
    this.meta = meta;
    this.budget = budget;
    this.allocator = allocator;
    this.codecs = codecs;
    this.cache = cache;
    this.filterLoader = filterLoader;
  }

  /**
   * Opens a finished table, loads its index, and leaves it without a filter. It verifies header,
   * footer, properties, range deletions and index.
   *
   * @throws CorruptionException if a part is damaged, the file is missing, or it is not the table
   *     that {@code meta} describes
   * @throws io.coppice.base.InvalidOptionsException if a codec of the table is not on the class
   *     path
   * @throws IOException if the file cannot be read
   */
  public static Table open(
      Disk disk,
      TableMeta meta,
      MemoryBudget budget,
      OffHeapAllocator allocator,
      Codecs codecs,
      BlockCache cache)
      throws IOException {
    return cold(disk, meta, budget, allocator, codecs, cache, NO_FILTERS).withIndex();
  }

  /**
   * Creates a table that reads nothing until its first reader. The first read verifies the same
   * parts as {@link #open}, and reports damage.
   */
  static Table cold(
      Disk disk,
      TableMeta meta,
      MemoryBudget budget,
      OffHeapAllocator allocator,
      Codecs codecs,
      BlockCache cache,
      Consumer<Table> filterLoader) {
    return new Table(disk, meta, budget, allocator, codecs, cache, filterLoader);
  }

  /**
   * Opens the file and verifies all parts except the index. Returns this table; closes it if that
   * fails.
   */
  Table opened() throws IOException {
    return openedOrClosed(false);
  }

  /**
   * Opens the file and loads the index. The filter stays unloaded, in later reads too. Returns this
   * table.
   */
  Table withIndex() throws IOException {
    return openedOrClosed(true);
  }

  private Table openedOrClosed(boolean withIndex) throws IOException {
    try {
      file();
      if (withIndex) {
        takeFilterLoader();
        indexAlone();
      }
      return this;
    } catch (UncheckedIOException e) {
      close();
      throw e.getCause();
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  private TableFile file() {
    return blocks().file();
  }

  /**
   * Returns the blocks of the file, which the first caller opens.
   *
   * @throws ClosedException if the table is closed
   */
  TableBlocks blocks() {
    TableBlocks present = opened;
    return present == null ? openFile() : present;
  }

  private synchronized TableBlocks openFile() {
    if (closed) {
      throw new ClosedException(fileName());
    }
    if (opened == null) {
      try {
        TableFile file = TableFile.open(disk, meta, budget, codecs, cache);
        opened = new TableBlocks(file, meta.number(), codecs, cache);
        disk = null;
      } catch (IOException e) {
        throw new UncheckedIOException(fileName() + " could not be opened", e);
      }
    }
    return opened;
  }

  /** Returns the table's metadata. */
  public TableMeta meta() {
    return meta;
  }

  /** Returns the table's range deletions, including those outside its slices. */
  public RangeDeletions rangeDeletions() {
    return file().rangeDeletions();
  }

  /** Returns whether the index is in memory, so that measuring the table reads no file. */
  public boolean hasIndex() {
    return index != null;
  }

  /**
   * Returns false only if the table certainly lacks an entry for the key. Without a filter in
   * memory the result is true. The first call loads index and filter.
   *
   * @param hash {@link KeyHash} of the user key
   */
  public boolean mayContain(long hash) {
    countFilterUse(hash);
    BinaryFuseFilter present = filter;
    if (present == null && !filterAsked) {
      warm();
      present = filter;
    }
    return present == null || present.mayContain(hash);
  }

  /**
   * Returns the filter's result for a key, an argument of {@link #mayContain(long, int)}: 0 if the
   * table may contain the key, {@link #NOT_READ} without a filter in memory. This call loads
   * nothing and leaves the use counts unchanged.
   */
  public int readFilter(long hash) {
    BinaryFuseFilter present = filter;
    return present == null ? NOT_READ : present.difference(hash);
  }

  /**
   * Returns the same as {@link #mayContain(long)}, from a filter result.
   *
   * @param read result of {@link #readFilter} for the same hash under the same lease, or {@link
   *     #NOT_READ}
   */
  public boolean mayContain(long hash, int read) {
    if (read == NOT_READ) {
      return mayContain(hash);
    }
    countFilterUse(hash);
    return read == 0;
  }

  private void countFilterUse(long hash) {
    if ((hash & UNCOUNTED_USES) == 0) {
      filterUses.setOpaque(filterUses.getPlain() + 1);
    }
  }

  /** Returns whether a filter in memory answers {@link #mayContain}. */
  public boolean hasFilter() {
    return filter != null;
  }

  /**
   * Returns the earliest expiry of a value, in milliseconds since 1970; {@link Long#MAX_VALUE} if
   * no value expires.
   */
  public long firstEndMillis() {
    return file().properties().firstEndMillis();
  }

  /**
   * Returns the same as {@link #firstEndMillis}, and closes the file again if it was not open
   * before.
   */
  synchronized long peekFirstEndMillis() {
    if (opened != null || closed) {
      return firstEndMillis();
    }
    try {
      TableFile peeked = TableFile.open(disk, meta, budget, codecs, cache);
      try {
        return peeked.properties().firstEndMillis();
      } finally {
        peeked.close();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(fileName() + " could not be opened", e);
    }
  }

  /**
   * Records the snapshots that were open when the merge that wrote this table began. No older data
   * lies under the table, so the tombstones and old versions in it are kept for these snapshots
   * alone. Once all of them are closed, a rewrite may shrink the table.
   *
   * @param snapshots their sequence numbers; owned by the table afterwards
   */
  public void keptForSnapshots(long[] snapshots) {
    keptForSnapshots = snapshots;
  }

  /**
   * Returns whether a merge that sees no older entries might write fewer entries. This requires
   * tombstones, several entries of one key, or expired values, at least one of them not known to be
   * kept for a snapshot that is still open.
   *
   * @param snapshots sequence numbers of the open snapshots, ascending
   */
  public boolean mayShrink(long nowMillis, long[] snapshots) {
    if (firstEndMillis() <= nowMillis) {
      return true;
    }
    if (meta.tombstones() == 0 && keys() == meta.entries() - meta.rangeDeletions()) {
      return false;
    }
    long[] kept = keptForSnapshots;
    return kept == null
        || Arrays.stream(kept)
            .anyMatch(
                snapshot ->
                    snapshot < meta.maxSequence() && Arrays.binarySearch(snapshots, snapshot) < 0);
  }

  /**
   * Finds the newest entry of a key with at most the key's sequence number. It does not consult the
   * filter.
   *
   * @return whether there is one; {@code lookup} then holds it until its next use
   */
  public boolean get(TableLookup lookup, LookupKey key) {
    TableIndex index = index();
    int block = index.search(key.bytes(), key.offset(), key.length());
    return find(lookup, index, block, key);
  }

  /**
   * Finds an entry as {@link #get(TableLookup, LookupKey)} does, starting in the block that {@link
   * #block} returned.
   */
  public boolean get(TableLookup lookup, int block, LookupKey key) {
    return find(lookup, index(), block, key);
  }

  /**
   * Finds an entry as {@link #get(TableLookup, LookupKey)} does, in a block from a batch, after
   * waiting for its read. The lookup does not count that block. If the versions of the key continue
   * in the next block, that block is read separately.
   *
   * @param read index of the block's read, as returned by {@link #request}
   */
  public boolean get(TableLookup lookup, int block, ReadBatch batch, int read, LookupKey key) {
    TableIndex index = index();
    lookup.drop();
    blocks().take(batch, read, !lookup.shares(), index, block, lookup.buffer, lookup.cursor);
    lookup.noteRead(this, block);
    BlockCursor cursor = lookup.cursor;
    cursor.seek(key.bytes(), key.offset(), key.length(), key.sequence());
    if (cursor.valid()) {
      return isAt(cursor, key);
    }
    return cursor.lastSeenEquals(key.bytes(), key.offset(), key.length())
        && find(lookup, index, block + 1, key);
  }

  private boolean find(TableLookup lookup, TableIndex index, int from, LookupKey key) {
    BlockCursor cursor = lookup.cursor;
    for (int block = from; block < index.blocks(); block++) {
      if (!lookup.holds(this, block)) {
        lookup.drop();
        loadForLookup(index, block, lookup);
        lookup.noteRead(this, block);
      }
      cursor.seek(key.bytes(), key.offset(), key.length(), key.sequence());
      if (cursor.valid()) {
        return isAt(cursor, key);
      }
      // All entries of this block are before the target; the versions of its key may continue in
      // the next block.
      if (!cursor.lastSeenEquals(key.bytes(), key.offset(), key.length())) {
        return false;
      }
    }
    return false;
  }

  /**
   * Moves from the entry that a lookup found last, in this table, to the next older one of the same
   * key; reads the next block if the versions continue there.
   *
   * @return whether there is one; {@code lookup} then holds it until its next use
   */
  public boolean getOlder(TableLookup lookup, LookupKey key) {
    BlockCursor cursor = lookup.cursor;
    cursor.next();
    TableIndex index = index();
    int block = lookup.block + 1;
    if (!cursor.valid() && block < index.blocks()) {
      lookup.drop();
      loadForLookup(index, block, lookup);
      lookup.noteRead(this, block);
      cursor.first();
    }
    return cursor.valid() && isAt(cursor, key);
  }

  private void loadForLookup(TableIndex index, int block, TableLookup lookup) {
    int read = lookup.ahead == null ? -1 : lookup.ahead.read(this, block);
    TableBlocks from = blocks();
    if (read >= 0) {
      from.take(lookup.ahead.batch(), read, false, index, block, lookup.buffer, lookup.cursor);
    } else if (from.loadCached(index, block, lookup.singleReads, lookup.buffer, lookup.cursor)) {
      lookup.count(index.length(block));
    }
  }

  private static boolean isAt(BlockCursor cursor, LookupKey key) {
    return Bytes.equal(
        cursor.keyArray(),
        cursor.keyOffset(),
        cursor.keyLength(),
        key.bytes(),
        key.offset(),
        key.length());
  }

  /**
   * Returns the block that must hold the key's first version if the table has the key, from the
   * index alone; -1 if no block can.
   */
  public int block(LookupKey key) {
    TableIndex index = index();
    int block = index.search(key.bytes(), key.offset(), key.length());
    return block < index.blocks() ? block : -1;
  }

  /** Returns whether a block is probably in memory. The estimate costs no system call. */
  public boolean likelyInMemory(int block) {
    return blocks().likelyInMemory(index(), block);
  }

  /** Returns the bytes on disk of a block, compressed and with its trailer. */
  public int blockBytes(int block) {
    return index().length(block);
  }

  /**
   * Returns the bytes on disk of {@code count} consecutive blocks, compressed and with their
   * trailers.
   */
  public int blockBytes(int block, int count) {
    TableIndex index = index();
    return (int) (index.offset(block + count) - index.offset(block));
  }

  /** Counts lookups that read this table; concurrent updates may get lost. */
  public void countReads(int lookups) {
    reads.setOpaque(reads.getPlain() + lookups);
  }

  /**
   * Returns the approximate number of lookups that read this table since the store was opened or
   * the table was written.
   */
  public long reads() {
    return reads.getOpaque();
  }

  /**
   * Adds the read of a block to a batch. The file stays open until the read has ended, even if the
   * caller abandons it.
   *
   * @return the index of the read in the batch
   */
  public int request(ReadBatch batch, int block) {
    return request(batch, block, 1);
  }

  /** Adds one read of consecutive blocks to a batch. Returns the index of the read in the batch. */
  int request(ReadBatch batch, int block, int count) {
    return batch.add(file().file(), index().offset(block), blockBytes(block, count));
  }

  /**
   * Returns an unpositioned cursor over all entries, for one thread, which closes it. It bypasses
   * the block cache.
   */
  public EntryCursor cursor() {
    return new TableCursor(this, null, new ReadaheadBuffer());
  }

  /**
   * Returns an unpositioned cursor over the entries whose keys are in the window, for one thread,
   * which closes it. It bypasses the block cache.
   */
  public EntryCursor cursor(KeyWindow window) {
    return WindowCursor.of(cursor(), window);
  }

  /**
   * Returns an unpositioned cursor over the entries whose keys are in the window, with a readahead
   * buffer that one cursor at a time uses.
   *
   * @param ahead prefetch that the cursor takes blocks from; moves to a key then also use the block
   *     cache. Null bypasses both
   */
  public EntryCursor cursor(KeyWindow window, BlockPrefetch ahead, ReadaheadBuffer readahead) {
    return WindowCursor.of(new TableCursor(this, ahead, readahead), window);
  }

  /**
   * Adds to a prefetch the block that a cursor reads first when it moves to a key or to an end,
   * unless the block is probably in memory.
   *
   * @param key null for the first or the last entry
   * @param forward whether the move is to the first entry at or after the key, or to the last one
   *     at or before it
   */
  public void addFirstBlock(
      BlockPrefetch ahead, byte[] key, int offset, int length, boolean forward) {
    TableIndex index = index();
    int block = forward ? 0 : index.blocks();
    if (key != null) {
      block = index.search(key, offset, length);
    }
    if (!forward) {
      block = Math.min(block, index.blocks() - 1);
    }
    if (block >= 0 && block < index.blocks() && !likelyInMemory(block)) {
      ahead.add(this, block, forward && blocks().readsPairs(index, block));
    }
  }

  /** Returns the bytes on disk that loading index and filter reads. */
  long coldBytes() {
    return file().footer().indexLength()
        + (meta.filterSlot().exists() ? meta.filterSlot().shape().bytes() : 0);
  }

  /**
   * Returns the index; the first caller waits until it is loaded.
   *
   * @throws CorruptionException if the index is damaged
   */
  public TableIndex index() {
    TableIndex present = index;
    return present == null ? warm() : present;
  }

  /** Loads index and filter if they are not in memory. */
  private TableIndex warm() {
    TableIndex present = indexAlone();
    Consumer<Table> unasked = takeFilterLoader();
    if (unasked != null) {
      // Runs outside the lock: a lost filter is rebuilt from the entries, and others may have to be
      // evicted for it.
      unasked.accept(this);
    }
    return present;
  }

  /** Returns the loader of the filter; null if it was called before. */
  private synchronized Consumer<Table> takeFilterLoader() {
    Consumer<Table> unasked = filterLoader;
    filterLoader = null;
    filterAsked = true;
    return unasked;
  }

  /** Returns the index without loading the filter, for callers that only scan. */
  TableIndex indexAlone() {
    TableIndex present = index;
    if (present == null) {
      readIndex();
      present = index;
    }
    if (present == null) {
      throw new ClosedException(fileName());
    }
    return present;
  }

  private synchronized void readIndex() {
    TableFile from = openFile().file();
    if (index != null) {
      return;
    }
    BlockBuffer buffer = new BlockBuffer();
    long offset = from.footer().indexOffset();
    int read = buffer.read(from.file(), meta.number(), offset, (int) from.footer().indexLength());
    ByteSource source = new ByteSource().reset(fileName(), offset, buffer.array(), 0, read);
    int blocks = from.properties().blocks();
    index = TableIndex.parse(source, blocks, TableLayout.FIRST_BLOCK, offset, budget, allocator);
  }

  /**
   * Reads a block from the file into the buffer, verifies and decompresses it, and sets the cursor
   * on it, unpositioned. The read waits for the device and bypasses the block cache.
   *
   * @throws CorruptionException if the block is damaged
   * @throws io.coppice.base.InvalidOptionsException if its codec is not on the class path
   */
  public void load(TableIndex index, int block, BlockBuffer buffer, BlockCursor cursor) {
    blocks().load(index, block, buffer, cursor);
  }

  public String fileName() {
    return FileKind.TABLE.fileName(meta.number());
  }

  public long keys() {
    return file().properties().keys();
  }

  public long keyDigest() {
    return file().properties().keyDigest();
  }

  /**
   * Returns the number of lookups that asked for the filter, whether it was in memory or not. Only
   * one key hash in 64 is counted. The count begins at 0 with this object.
   */
  long filterUses() {
    return filterUses.getOpaque();
  }

  /**
   * Detaches and returns the filter, or null. The caller frees it once the running lookups, which
   * may still use it, have ended.
   */
  BinaryFuseFilter takeFilter() {
    BinaryFuseFilter taken = filter;
    filter = null;
    return taken;
  }

  /** Attaches a filter, which the table frees when it is closed. */
  void use(BinaryFuseFilter loaded) {
    assert filter == null;
    filter = loaded;
  }

  /**
   * Closes the file and frees the memory; later calls do nothing. The caller makes sure that no
   * reader is left.
   */
  public void close() throws IOException {
    TableIndex present;
    TableBlocks open;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      disk = null;
      filterLoader = null;
      present = index;
      index = null;
      open = opened;
    }
    if (present != null) {
      present.free();
    }
    BinaryFuseFilter held = filter;
    filter = null;
    if (held != null) {
      held.free();
    }
    if (open != null) {
      open.file().close();
    }
  }

  @Override
  public String toString() {
    return meta.toString();
  }
}
