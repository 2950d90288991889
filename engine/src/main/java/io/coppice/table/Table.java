// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.ByteSource;
import io.coppice.base.Bytes;
import io.coppice.base.ClosedException;
import io.coppice.base.CorruptionException;
import io.coppice.base.MemoryBudget;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.Expiry;
import io.coppice.entry.Kind;
import io.coppice.entry.RangeDeletions;
import io.coppice.io.Disk;
import io.coppice.io.FileKind;
import io.coppice.io.ReadBatch;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * A table of the store: an immutable file of sorted entries. It is opened, and its index, and its
 * filter if it has one, come into memory, before it is handed out or by the first who reads it.
 * Safe to share between threads. Whoever reads holds a lease on a version that names the table, so
 * that it is not closed meanwhile.
 *
 * <p>Reads throw {@link CorruptionException} with file and offset where bytes are not what was
 * written, and {@link UncheckedIOException} where they cannot be read.
 */
public final class Table {

  /**
   * Of the questions to a filter those count whose hash has none of these bits: one in 64, so that
   * threads seldom write to the same place.
   */
  private static final long UNCOUNTED_USES = 63;

  /** How finely {@link #ends} tells which share of a table has ended. */
  public static final int END_PARTS = 8;

  private static final int ALL_GO_ON = 1 << 10;

  /** Binary logarithm of the number of moves over which the share is averaged. */
  private static final int GOING_ON_SHIFT = 3;

  /**
   * Two blocks are read at once if at least one cursor in this number goes on. The second block
   * costs one page more, and saves a read of four pages.
   */
  private static final int PAIR_PAYS_ONE_IN = 4;

  /** Largest pair: a block beside a large value is read alone. A slot of a ring holds as much. */
  private static final int MAX_PAIR_BYTES = 16 << 10;

  /** Blocks that {@link #ends} reads at most. */
  private static final int END_BLOCKS = 16;

  /** Bytes after which it reads no further block. */
  private static final long END_BYTES = 4 << 20;

  /** Says that no filter was read. */
  public static final int NOT_READ = -1;

  private static final Consumer<Table> NO_FILTERS = table -> {};

  private final TableMeta meta;
  private final MemoryBudget budget;
  private final DirectMemory allocator;
  private final Codecs codecs;
  private final BlockCache cache;
  private final AtomicLong reads = new AtomicLong();

  /**
   * Recent share of cursors that went on into the block behind the one they had moved to, from 0 to
   * {@link #ALL_GO_ON}. Threads that change it at once may lose what one of them tells.
   */
  private int goingOn;

  /**
   * Null once opened or closed, as threads may keep a table that is closed. Guarded by this, as is
   * the next.
   */
  private Disk disk;

  /** Brings the filter into memory, if it can be; null once it was asked for, or closed. */
  private Consumer<Table> filters;

  /** Null until opened. */
  private volatile TableFile opened;

  /** Null until it came into memory, and once closed. */
  private volatile TableIndex index;

  /** True once its filter was asked for, whether it came or not. */
  private volatile boolean filterAsked;

  /** Guarded by this. */
  private boolean closed;

  /** Null if there is none in memory. */
  private volatile Filter filter;

  /** Null if not known. */
  private volatile long[] keptFor;

  private final AtomicLong filterUses = new AtomicLong();

  private Table(
      Disk disk,
      TableMeta meta,
      MemoryBudget budget,
      DirectMemory allocator,
      Codecs codecs,
      BlockCache cache,
      Consumer<Table> filters) {
    this.disk = disk;
    this.meta = meta;
    this.budget = budget;
    this.allocator = allocator;
    this.codecs = codecs;
    this.cache = cache;
    this.filters = filters;
  }

  /**
   * Opens a finished table with its index in memory, and without a filter. Verifies envelope,
   * footer, properties, range deletions and index.
   *
   * @throws CorruptionException if one of them is damaged, the file is missing, or it is not the
   *     table described by the facts
   */
  static Table open(
      Disk disk,
      TableMeta meta,
      MemoryBudget budget,
      DirectMemory allocator,
      Codecs codecs,
      BlockCache cache)
      throws IOException {
    return cold(disk, meta, budget, allocator, codecs, cache, NO_FILTERS).withIndex();
  }

  /**
   * A finished table of which nothing is read before somebody asks for it. What {@link #open}
   * verifies is verified then, and whoever asks is told of damage.
   */
  static Table cold(
      Disk disk,
      TableMeta meta,
      MemoryBudget budget,
      DirectMemory allocator,
      Codecs codecs,
      BlockCache cache,
      Consumer<Table> filters) {
    return new Table(disk, meta, budget, allocator, codecs, cache, filters);
  }

  /** Opens the file and verifies all but the index; if that fails, closes the table. */
  Table opened() throws IOException {
    return openedOrClosed(false);
  }

  /** As {@link #opened}, with the index in memory, where its filter is not asked for by reads. */
  Table withIndex() throws IOException {
    return openedOrClosed(true);
  }

  private Table openedOrClosed(boolean withIndex) throws IOException {
    try {
      file();
      if (withIndex) {
        unaskedFilters();
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

  /** The open file, which the first to ask opens. */
  private TableFile file() {
    TableFile present = opened;
    return present == null ? openFile() : present;
  }

  private synchronized TableFile openFile() {
    if (closed) {
      throw new ClosedException(fileName());
    }
    if (opened == null) {
      try {
        opened = TableFile.open(disk, meta, budget, codecs, cache);
        disk = null;
      } catch (IOException e) {
        throw new UncheckedIOException(fileName() + " could not be opened", e);
      }
    }
    return opened;
  }

  /** The table's facts. */
  public TableMeta meta() {
    return meta;
  }

  /** The table's range deletions, also those that its slices do not show. */
  public RangeDeletions rangeDeletions() {
    return file().rangeDeletions();
  }

  /**
   * False if the table certainly has no entry for the key; true if it may have one, or if there is
   * no filter in memory. The first who asks warms the table.
   *
   * @param hash of the user key by {@link KeyHash}
   */
  public boolean mayContain(long hash) {
    countFilterUse(hash);
    Filter present = filter;
    if (present == null && !filterAsked) {
      warm();
      present = filter;
    }
    return present == null || present.mayContain(hash);
  }

  /**
   * What the filter says of a key, to be handed to {@link #mayContain(long, int)}. Nobody has asked
   * the table by that, and it is not warmed.
   */
  public int readFilter(long hash) {
    Filter present = filter;
    return present == null ? NOT_READ : present.difference(hash);
  }

  /**
   * As {@link #mayContain(long)}.
   *
   * @param read by {@link #readFilter} of the same hash under the same lease, or {@link #NOT_READ}
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

  /** True if a filter answers {@link #mayContain}. */
  public boolean hasFilter() {
    return filter != null;
  }

  /**
   * The earliest end of a value that ends, in milliseconds since 1970; the largest if none does.
   */
  long firstEndMillis() {
    return file().properties().firstEndMillis();
  }

  /** As {@link #firstEndMillis}; a file that nobody has read yet is closed again. */
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
   * Returns when parts of the table end: from the time at index i on, in milliseconds since 1970, i
   * + 1 eighths of its bytes are past their end, or never if that is the largest long. Estimates
   * them from the entries of up to 16 blocks, about evenly apart. The last part ends with the last
   * value, although deletions may remain.
   *
   * @throws CorruptionException if index or blocks are damaged
   */
  public long[] ends() {
    TableIndex blocks = indexAlone();
    List<long[]> sample = new ArrayList<>();
    long all = 0;
    long values = 0;
    int count = Math.min(END_BLOCKS, blocks.blocks());
    BlockBuffer buffer = new BlockBuffer();
    BlockCursor cursor = new BlockCursor();
    long read = 0;
    for (int i = 0; i < count && read < END_BYTES; i++) {
      int block = (int) ((long) i * blocks.blocks() / count);
      read += load(blocks, block, buffer, cursor);
      for (cursor.first(); cursor.valid(); cursor.next()) {
        long bytes = (long) cursor.keyLength() + cursor.valueLength();
        all += bytes;
        values += cursor.kind() == Kind.DELETE ? 0 : bytes;
        if (cursor.kind() == Kind.EXPIRING) {
          long end = Expiry.endMillis(cursor.valueArray(), cursor.valueOffset());
          sample.add(new long[] {end, bytes});
        }
      }
    }
    sample.sort(Comparator.comparingLong(entry -> entry[0]));
    long[] ends = new long[END_PARTS];
    Arrays.fill(ends, Long.MAX_VALUE);
    int part = 0;
    long ended = 0;
    for (long[] entry : sample) {
      ended += entry[1];
      while (part < END_PARTS && ended >= all - all / END_PARTS * (END_PARTS - 1 - part)) {
        ends[part++] = entry[0];
      }
    }
    if (ended == values && !sample.isEmpty()) {
      // Only deletions are left then.
      Arrays.fill(ends, part, END_PARTS, sample.get(sample.size() - 1)[0]);
    }
    return ends;
  }

  /**
   * Says that all of it is there for the sake of snapshots, if it could go at all: of what nobody
   * but these could see nothing was written, and nothing older lay under it.
   *
   * @param snapshots the sequence numbers of those that were open; taken
   */
  public void keptFor(long[] snapshots) {
    keptFor = snapshots;
  }

  /**
   * True if a merge that sees nothing older might write fewer entries: there are deletions, several
   * entries of one key, or values past their end, and not all of them are known to be kept for
   * snapshots that are still open.
   *
   * @param snapshots the sequence numbers of the open ones, ascending
   */
  public boolean mayShrink(long nowMillis, long[] snapshots) {
    if (firstEndMillis() <= nowMillis) {
      return true;
    }
    if (meta.tombstones() == 0 && keys() == meta.entries() - meta.rangeDeletions()) {
      return false;
    }
    long[] kept = keptFor;
    return kept == null
        || Arrays.stream(kept)
            .anyMatch(
                snapshot ->
                    snapshot < meta.maxSequence() && Arrays.binarySearch(snapshots, snapshot) < 0);
  }

  /**
   * Looks for the newest entry of a key that is not newer than {@code sequence}. Does not ask the
   * filter.
   *
   * @return true if there is one; it is then in {@code lookup} until that is used again
   */
  public boolean get(Lookup lookup, byte[] key, int offset, int length, long sequence) {
    TableIndex index = index();
    int block = index.search(key, offset, length);
    return find(lookup, index, block, key, offset, length, sequence);
  }

  /** As above, in the block that {@link #block} has named. */
  public boolean get(Lookup lookup, int block, byte[] key, int offset, int length, long sequence) {
    return find(lookup, index(), block, key, offset, length, sequence);
  }

  /**
   * As above, of a block that was requested, and is not counted in the lookup; waits until it is
   * there. If the versions of the key go on in the next block, that is read by itself.
   *
   * @param read the number that {@link #request} gave for this block
   */
  public boolean get(
      Lookup lookup,
      int block,
      ReadBatch batch,
      int read,
      byte[] key,
      int offset,
      int length,
      long sequence) {
    TableIndex index = index();
    lookup.drop();
    take(batch, read, !lookup.shares(), index, block, lookup.buffer, lookup.cursor);
    lookup.hold(this, block);
    BlockCursor cursor = lookup.cursor;
    cursor.seek(key, offset, length, sequence);
    if (cursor.valid()) {
      return isAt(cursor, key, offset, length);
    }
    return cursor.lastSeenEquals(key, offset, length)
        && find(lookup, index, block + 1, key, offset, length, sequence);
  }

  private boolean find(
      Lookup lookup,
      TableIndex index,
      int from,
      byte[] key,
      int offset,
      int length,
      long sequence) {
    BlockCursor cursor = lookup.cursor;
    for (int block = from; block < index.blocks(); block++) {
      if (!lookup.holds(this, block)) {
        lookup.drop();
        bring(index, block, lookup);
        lookup.hold(this, block);
      }
      cursor.seek(key, offset, length, sequence);
      if (cursor.valid()) {
        return isAt(cursor, key, offset, length);
      }
      // All of this block is in front of what is sought; the versions of one key may go on in the
      // next block.
      if (!cursor.lastSeenEquals(key, offset, length)) {
        return false;
      }
    }
    return false;
  }

  /**
   * Goes on from the entry that a lookup has found to the next older one of the same key; reads the
   * next block if the versions go on there.
   *
   * @return true if there is one; it is then in {@code lookup} until that is used again
   */
  public boolean getOlder(Lookup lookup, byte[] key, int offset, int length) {
    BlockCursor cursor = lookup.cursor;
    cursor.next();
    TableIndex index = index();
    int block = lookup.block + 1;
    if (!cursor.valid() && block < index.blocks()) {
      lookup.drop();
      bring(index, block, lookup);
      lookup.hold(this, block);
      cursor.first();
    }
    return cursor.valid() && isAt(cursor, key, offset, length);
  }

  private void bring(TableIndex index, int block, Lookup lookup) {
    int read = lookup.ahead == null ? -1 : lookup.ahead.read(this, block);
    if (read >= 0) {
      take(lookup.ahead.batch(), read, false, index, block, lookup.buffer, lookup.cursor);
    } else if (loadCached(index, block, lookup.alone, lookup.buffer, lookup.cursor)) {
      lookup.count(index.length(block));
    }
  }

  private static boolean isAt(BlockCursor cursor, byte[] key, int offset, int length) {
    return Bytes.equal(
        cursor.keyArray(), cursor.keyOffset(), cursor.keyLength(), key, offset, length);
  }

  /** The block that has the key if any has; -1 if none can. From the index alone. */
  public int block(byte[] key, int offset, int length) {
    TableIndex index = index();
    int block = index.search(key, offset, length);
    return block < index.blocks() ? block : -1;
  }

  /** False if a block probably has to come from the device. A guess that costs nothing. */
  public boolean atHand(int block) {
    TableIndex index = index();
    TableFile from = file();
    // The bit of a page is sooner looked at than the cache.
    return from.file().likelyInMemory(index.offset(block), index.length(block))
        || (from.caching() != Caching.NONE && cache.contains(meta.number(), index.offset(block)));
  }

  /** Bytes of a block, as it is stored. */
  public int blockBytes(int block) {
    return index().length(block);
  }

  /** Bytes of blocks that follow one another, as they are stored. */
  int blockBytes(int block, int count) {
    TableIndex index = index();
    return (int) (index.offset(block + count) - index.offset(block));
  }

  /** Counts lookups that asked it; threads that count at once may lose what one of them counts. */
  public void countReads(int lookups) {
    reads.setOpaque(reads.getPlain() + lookups);
  }

  /** About how many lookups have asked it since it was opened. */
  public long reads() {
    return reads.getOpaque();
  }

  /**
   * Adds the read of a block to a batch. The file is held until it is home, so the block may be
   * given up.
   *
   * @return the number of the read
   */
  public int request(ReadBatch batch, int block) {
    return request(batch, block, 1);
  }

  /** As above, of blocks that follow one another. */
  int request(ReadBatch batch, int block, int count) {
    return batch.add(file().file(), index().offset(block), blockBytes(block, count));
  }

  /** Notes whether a cursor that moved to a key went on into the next block before it left. */
  void movedTo(boolean wentOn) {
    int share = goingOn;
    int next = share + ((wentOn ? ALL_GO_ON - share : -share) >> GOING_ON_SHIFT);
    if (next != share) {
      goingOn = next;
    }
  }

  /** Returns whether a cursor that moves to a block is likely to need the next one too. */
  private boolean readsPairs(TableIndex index, int block) {
    return goingOn >= ALL_GO_ON / PAIR_PAYS_ONE_IN
        && block + 1 < index.blocks()
        && index.offset(block + 2) - index.offset(block) <= MAX_PAIR_BYTES;
  }

  /** A cursor over all entries, unpositioned. Used by one thread. */
  public EntryCursor cursor() {
    return new TableCursor(this, null, new Stretch());
  }

  /** A cursor over the entries whose keys lie in the window, unpositioned. Used by one thread. */
  public EntryCursor cursor(Window window) {
    return WindowCursor.of(cursor(), window);
  }

  /**
   * As above, with memory for blocks that follow one another, which serves one cursor at a time.
   *
   * @param ahead for lookups: the cursor takes blocks from there that are there, and those that a
   *     move to a key needs from the block cache; null to pass both by
   */
  public EntryCursor cursor(Window window, BlocksAhead ahead, Stretch stretch) {
    return WindowCursor.of(new TableCursor(this, ahead, stretch), window);
  }

  /**
   * Adds the block that a cursor reads first which moves to a key, or to an end, unless it is at
   * hand.
   *
   * @param key null for the first or the last entry
   * @param forward true for a move to a key or behind it, false to one or in front of it
   */
  public void addFirstBlock(
      BlocksAhead ahead, byte[] key, int offset, int length, boolean forward) {
    TableIndex index = index();
    int block = forward ? 0 : index.blocks();
    if (key != null) {
      block = index.search(key, offset, length);
    }
    if (!forward) {
      block = Math.min(block, index.blocks() - 1);
    }
    if (block >= 0 && block < index.blocks() && !atHand(block)) {
      ahead.add(this, block, forward && readsPairs(index, block));
    }
  }

  /**
   * Bytes of the file that stand for keys up to a key, inclusive; from the index alone. Exact at
   * the end of a block; inside one, half of it counts. Never falls as the key rises.
   *
   * @param key below the table's largest
   */
  public long bytesUpTo(byte[] key) {
    TableIndex index = indexAlone();
    int block = index.search(key, 0, key.length);
    int behind = blockBehind(index, key);
    if (block == index.blocks()) {
      return meta.bytes();
    }
    return behind > block ? index.offset(behind) : index.offset(block) + index.length(block) / 2;
  }

  /**
   * Keys strictly inside a window and below the table's largest that stand about so many bytes
   * apart, ascending: ends of blocks, from the index alone.
   */
  public List<byte[]> separators(Window window, long bytesApart) {
    TableIndex index = indexAlone();
    int block = window.low() == null ? 0 : blockBehind(index, window.low());
    int last = index.blocks() - 1;
    byte[] end = meta.largestKey();
    if (window.high() != null && Arrays.compareUnsigned(window.high(), end) < 0) {
      end = window.high();
    }
    List<byte[]> keys = new ArrayList<>();
    long taken = 0;
    // The last block ends where the table does.
    for (; block < last; block++) {
      taken += index.length(block);
      if (taken < bytesApart) {
        continue;
      }
      byte[] key = index.separator(block);
      if (Arrays.compareUnsigned(key, end) >= 0) {
        break;
      }
      if (keys.isEmpty() || !Arrays.equals(keys.get(keys.size() - 1), key)) {
        keys.add(key);
        taken = 0;
      }
    }
    return keys;
  }

  /** The first block that can hold keys above this one: no key lies between it and itself + 0. */
  private static int blockBehind(TableIndex index, byte[] key) {
    return index.search(Arrays.copyOf(key, key.length + 1), 0, key.length + 1);
  }

  /** Bytes of the file's index and filter that are not in memory before the table is warmed. */
  long coldBytes() {
    return file().footer().indexLength()
        + (meta.filterSlot().exists() ? meta.filterSlot().shape().bytes() : 0);
  }

  /**
   * The index, of which the first to ask waits until it is in memory.
   *
   * @throws CorruptionException if it is damaged
   */
  TableIndex index() {
    TableIndex present = index;
    return present == null ? warm() : present;
  }

  /** Brings index and filter into memory, if they are not. */
  private TableIndex warm() {
    TableIndex present = indexAlone();
    Consumer<Table> unasked = unaskedFilters();
    if (unasked != null) {
      // Outside the lock: a lost filter is made from the entries, and others may have to go for it.
      unasked.accept(this);
    }
    return present;
  }

  /** Null if somebody has asked them before. */
  private synchronized Consumer<Table> unaskedFilters() {
    Consumer<Table> unasked = filters;
    filters = null;
    filterAsked = true;
    return unasked;
  }

  /** The index, of which the filter stays where it is: for whoever looks up nothing. */
  private TableIndex indexAlone() {
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
    TableFile from = openFile();
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
   * As {@link #load}, from the block cache if that is worth while; a block that is not there then
   * goes there.
   *
   * @return true if it was read from the file
   */
  boolean loadCached(
      TableIndex index, int block, ReadBatch alone, BlockBuffer buffer, BlockCursor cursor) {
    long offset = index.offset(block);
    TableFile from = file();
    Caching caching = from.caching();
    if (caching == Caching.NONE
        || (caching == Caching.COLD && from.file().likelyInMemory(offset, index.length(block)))) {
      load(index, block, alone, buffer, cursor);
      return true;
    }
    int length = cache.get(meta.number(), offset, buffer);
    if (length >= 0) {
      cursor.reset(from.file().name(), offset, buffer, length);
      return false;
    }
    length = load(index, block, alone, buffer, cursor);
    cache.put(meta.number(), offset, buffer.array(), length);
    return true;
  }

  /**
   * Brings a block from the file into the buffer, verified, and sets the cursor on it,
   * unpositioned.
   *
   * @return the block's length
   */
  int load(TableIndex index, int block, BlockBuffer buffer, BlockCursor cursor) {
    return load(index, block, null, buffer, cursor);
  }

  /** As above, read by a batch, unless that is null. */
  private int load(
      TableIndex index, int block, ReadBatch alone, BlockBuffer buffer, BlockCursor cursor) {
    long offset = index.offset(block);
    Disk.InputFile file = file().file();
    cursor.clear();
    int length = buffer.readBlock(file, alone, meta.number(), offset, index.length(block), codecs);
    cursor.reset(file.name(), offset, buffer, length);
    return length;
  }

  /**
   * As {@link #load}, for one who walks the table: out of the stretch if that holds the block. Else
   * a stretch is read, unless the block is in a mapping and in memory, where that saves nothing.
   */
  void loadAhead(
      TableIndex index,
      int block,
      boolean forward,
      Stretch stretch,
      BlockBuffer buffer,
      BlockCursor cursor) {
    Disk.InputFile file = file().file();
    long offset = index.offset(block);
    int stored = index.length(block);
    if (!stretch.holds(index, block)
        && ((file.mapped() && file.likelyInMemory(offset, stored))
            || !stretch.read(file, index, block, forward))) {
      load(index, block, buffer, cursor);
      return;
    }
    cursor.clear();
    int length = buffer.readBlock(stretch, file, meta.number(), offset, stored, codecs);
    cursor.reset(file.name(), offset, buffer, length);
  }

  /**
   * As {@link #loadCached}, for a cursor that moves to a key. Where cursors often go on, a read of
   * the block brings the next one with it. The system takes a second read behind the first for the
   * begin of a scan and reads far ahead, which evicts other pages.
   */
  void loadFirst(
      TableIndex index, int block, Stretch stretch, BlockBuffer buffer, BlockCursor cursor) {
    long offset = index.offset(block);
    TableFile from = file();
    if (!readsPairs(index, block)
        || (from.file().mapped() && from.file().likelyInMemory(offset, index.length(block)))) {
      loadCached(index, block, null, buffer, cursor);
      return;
    }
    Caching caching = from.caching();
    int length = caching == Caching.NONE ? -1 : cache.get(meta.number(), offset, buffer);
    if (length >= 0) {
      cursor.reset(from.file().name(), offset, buffer, length);
    } else if (stretch.readPair(from.file(), index, block)) {
      restoreFirst(index, block, stretch, buffer, cursor);
    } else {
      loadCached(index, block, null, buffer, cursor);
    }
  }

  /** As {@link #take}, of a read of two blocks; the second stays in the stretch. */
  void takePair(
      ReadBatch batch,
      int read,
      TableIndex index,
      int block,
      Stretch stretch,
      BlockBuffer buffer,
      BlockCursor cursor) {
    batch.await(1L << read);
    if (stretch.takePair(batch, read, index, block)) {
      restoreFirst(index, block, stretch, buffer, cursor);
    } else {
      loadCached(index, block, null, buffer, cursor);
    }
  }

  private void restoreFirst(
      TableIndex index, int block, Stretch stretch, BlockBuffer buffer, BlockCursor cursor) {
    TableFile from = file();
    long offset = index.offset(block);
    cursor.clear();
    int length =
        buffer.readBlock(stretch, from.file(), meta.number(), offset, index.length(block), codecs);
    cursor.reset(from.file().name(), offset, buffer, length);
    if (from.caching() != Caching.NONE) {
      cache.put(meta.number(), offset, buffer.array(), length);
    }
  }

  /**
   * As {@link #load}, out of a read of that block.
   *
   * @param lent true if the buffer may have the block until the batch is used again only
   */
  void take(
      ReadBatch batch,
      int read,
      boolean lent,
      TableIndex index,
      int block,
      BlockBuffer buffer,
      BlockCursor cursor) {
    long offset = index.offset(block);
    TableFile from = file();
    cursor.clear();
    int length =
        buffer.takeBlock(
            batch, read, lent, from.file(), meta.number(), offset, index.length(block), codecs);
    if (from.caching() != Caching.NONE) {
      cache.put(meta.number(), offset, buffer.array(), length);
    }
    cursor.reset(from.file().name(), offset, buffer, length);
  }

  String fileName() {
    return FileKind.TABLE.fileName(meta.number());
  }

  long keys() {
    return file().properties().keys();
  }

  long keyDigest() {
    return file().properties().keyDigest();
  }

  /** How many lookups have asked for its filter, whether it was there or not; a sample. */
  long filterUses() {
    return filterUses.getOpaque();
  }

  /** Gives the filter back, which lookups under way may still use. */
  Filter takeFilter() {
    Filter taken = filter;
    filter = null;
    return taken;
  }

  /** Hands over the filter, which the table frees when it is closed. */
  void use(Filter loaded) {
    assert filter == null;
    filter = loaded;
  }

  /** Closes the file and frees the memory, once, when nobody reads any more. */
  void close() throws IOException {
    TableIndex present;
    TableFile open;
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
      disk = null;
      filters = null;
      present = index;
      index = null;
      open = opened;
    }
    if (present != null) {
      present.free();
    }
    Filter held = filter;
    filter = null;
    if (held != null) {
      held.free();
    }
    if (open != null) {
      open.close();
    }
  }

  @Override
  public String toString() {
    return meta.toString();
  }
}
