// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.base.bytes.Bytes;
import io.coppice.entry.Expiry;
import io.coppice.entry.LookupKey;
import io.coppice.io.ReadBatch;
import io.coppice.memtable.Memtable;
import io.coppice.read.stats.ReadCounts;
import io.coppice.table.BlockPrefetch;
import io.coppice.table.Table;
import io.coppice.table.TableLookup;
import io.coppice.table.filter.KeyHash;
import io.coppice.version.ReadCompactionRequests;
import io.coppice.version.Segment;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * Reusable lookup state of one thread. It keeps the value of the last hit in its own memory or as a
 * place in a memtable. The caller holds the memtables until the value is copied.
 */
final class LookupState {

  /**
   * One in this many searches of tables is counted in the table's statistics, as this many; a power
   * of two.
   */
  private static final int SAMPLED_TABLES = 16;

  /** One in this many lookups is timed, and its key is added to the key sample. */
  private static final int SAMPLED_LOOKUPS = 64;

  /**
   * Golden ratio times 2^64. Its multiples modulo 2^64 are evenly spread, even those of every n-th
   * number.
   */
  private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

  /**
   * Table lookup that holds the value, unless a memtable does. {@link ParallelSearch} exchanges it
   * for its spare one.
   */
  TableLookup lookup = new TableLookup();

  final ReadCounts counts;

  private final LookupContext context;
  private final LookupContext.PerThread share;

  /** Whether another lookup state of the thread may be using its batch. */
  final boolean mayShareBatch;

  /** Search with several reads at once, or null before the first use. */
  private ParallelSearch parallel;

  /** Prefetch for lookups of several versions or keys, or null before the first use. */
  private LookupPrefetcher ahead;

  /** Search of one table after another. */
  final SerialSearch serial = new SerialSearch(this);

  /** Lookup of keys with several relevant versions. */
  final MultiVersionLookup multiVersion = new MultiVersionLookup(this);

  /**
   * Group of the first virtual segment that the lookup has reached and that has enough parents to
   * be merged on request, or 0 if there is none.
   */
  long requestedGroup;

  /** Key sought in tables. */
  final LookupKey key = new LookupKey();

  private byte[] scratch = new byte[64];
  private Memtable memtable;
  private int place;

  /** Number of bytes before the value in its entry, such as an expiry time. */
  private int valuePrefix;

  /** Value computed from operands or copied; null if the value is stored elsewhere. */
  private byte[] made;

  /** Number of tables that the counters already include for the present key. */
  private int tablesAlreadyCounted;

  /** Number of tables that a second search of the key reaches again and must not count twice. */
  private int tablesToSkip;

  /**
   * Number of tables searched; one in {@link #SAMPLED_TABLES} is counted in the table's statistics.
   */
  private int searched;

  /** Blocks read by the table lookups as of the last {@link #countBlocks}. */
  private long blocks;

  /** Stored bytes of {@link #blocks}. */
  private long bytes;

  /**
   * Creates a state that counts into a share of the calling thread. No other state may use the
   * share, because its counters have one writer.
   */
  LookupState(LookupContext context, LookupContext.PerThread share) {
    this(context, share, false);
  }

  private LookupState(LookupContext context, LookupContext.PerThread share, boolean mayShareBatch) {
    this.context = context;
    this.mayShareBatch = mayShareBatch;
    this.share = share;
    this.counts = share.counts;
    readAlone(lookup);
  }

  /**
   * Makes a table lookup bypass the page cache for its single reads if the block reader does so.
   */
  void readAlone(TableLookup by) {
    if (context.reader().direct()) {
      by.readAloneBy(share.batch());
    }
  }

  /** Returns the search with several reads at once. */
  ParallelSearch parallel() {
    if (parallel == null) {
      parallel = new ParallelSearch(this, context, share);
    }
    return parallel;
  }

  /** Returns the prefetch for lookups of several versions or keys. */
  LookupPrefetcher ahead() {
    if (ahead == null) {
      ahead = new LookupPrefetcher(this, context);
    }
    return ahead;
  }

  /**
   * Returns another lookup state of this thread, for use while this one is in use. It reads one
   * block at a time.
   */
  LookupState another() {
    return new LookupState(context, share, true);
  }

  /**
   * Begins a lookup of one key. Returns the argument of {@link #end}: the time in nanoseconds, or 0
   * if the lookup is not timed.
   */
  long begin(byte[] sought, int from, int bytesOfKey) {
    counts.add(ReadCounts.LOOKUPS, 1);
    if (!sampled(counts.own(ReadCounts.LOOKUPS), SAMPLED_LOOKUPS)) {
      return 0;
    }
    share.keys.add(KeyHash.of(sought, from, bytesOfKey));
    share.family.lookupsIn.count(sought, from, bytesOfKey);
    return context.nanoTime();
  }

  /** Begins a lookup of many keys, which is not timed. */
  void begin(List<byte[]> keys) {
    long before = counts.own(ReadCounts.LOOKUPS);
    for (int i = 0; i < keys.size(); i++) {
      if (sampled(before + i + 1, SAMPLED_LOOKUPS)) {
        byte[] sampled = keys.get(i);
        share.keys.add(KeyHash.of(sampled, 0, sampled.length));
        share.family.lookupsIn.count(sampled, 0, sampled.length);
      }
    }
    counts.add(ReadCounts.LOOKUPS, keys.size());
  }

  /**
   * Returns whether a number is in a sample of one in {@code oneOf}, a power of two; 0 is. The
   * sample has no fixed stride: if lookups alternate, such as one of an index and one of its row,
   * an even stride would always hit the same kind.
   */
  static boolean sampled(long number, int oneOf) {
    return number * GOLDEN_RATIO >>> Long.SIZE - Integer.numberOfTrailingZeros(oneOf) == 0;
  }

  /** Counts looked-up keys that have no value. */
  void missed(int keys) {
    counts.add(ReadCounts.MISSES, keys);
  }

  /**
   * Ends a lookup and drops all references.
   *
   * @param begun result of {@link #begin(byte[], int, int)}
   */
  void end(long begun) {
    forget();
    key.clear();
    tablesToSkip = 0;
    countBlocks();
    if (begun != 0) {
      long nanos = context.nanoTime() - begun;
      context.latencies(context.scheme()).add(nanos);
      counts.add(ReadCounts.NANOS, Math.max(0, nanos) * SAMPLED_LOOKUPS);
    }
  }

  /**
   * Adds the blocks and bytes that table lookups have read since the last call to the thread's
   * counters.
   */
  void countBlocks() {
    long read = lookup.blocksRead();
    long readBytes = lookup.bytesRead();
    if (parallel != null) {
      read += parallel.spare().blocksRead();
      readBytes += parallel.spare().bytesRead();
    }
    if (read != blocks) {
      counts.add(ReadCounts.BLOCKS, read - blocks);
      counts.add(ReadCounts.BLOCK_BYTES, readBytes - bytes);
      blocks = read;
      bytes = readBytes;
    }
  }

  /** Returns the read batch of the thread. It is empty, and the caller leaves it empty. */
  ReadBatch batch() {
    return share.batch();
  }

  /** Counts the blocks that a prefetch for several versions or keys has read. */
  void count(BlockPrefetch ahead) {
    if (ahead.requested() > 0) {
      counts.add(ReadCounts.BLOCKS, ahead.requested());
      counts.add(ReadCounts.BLOCK_BYTES, ahead.bytes());
    }
    countBatch(ahead);
  }

  /**
   * Counts the batch of a prefetch without its blocks. For cursors, because their blocks do not
   * belong to lookups.
   */
  void countBatch(BlockPrefetch ahead) {
    if (ahead.requested() > 0) {
      counts.add(ReadCounts.BATCHES, 1);
      counts.add(ReadCounts.BATCH_READS, ahead.requested());
      counts.add(ReadCounts.WASTED_READS, ahead.unasked());
    }
  }

  /**
   * Sets the key and the newest visible sequence number to search in tables. The array is shared
   * until {@link #end}.
   */
  void seek(byte[] wanted, int from, int bytesOfKey, long newest) {
    key.set(wanted, from, bytesOfKey, KeyHash.of(wanted, from, bytesOfKey), newest);
    tablesAlreadyCounted = 0;
  }

  /**
   * Records the group of a segment if its range holds the key, it has enough parents to be merged
   * on request, and no group is recorded yet.
   */
  void noteVirtualSegment(Segment segment, ReadCompactionRequests requests) {
    if (requestedGroup == 0 && requests.wants(segment) && segment.spans(key)) {
      requestedGroup = segment.group();
    }
  }

  /**
   * Searches a block of a table for the newest visible entry of the key. Returns whether there is
   * one, which {@link #lookup} then holds; false if the block number is negative.
   *
   * @throws io.coppice.base.CorruptionException if the block is damaged
   */
  boolean searchBlock(Table table, int block) {
    boolean found = block >= 0 && table.get(lookup, block, key);
    searched(table, found);
    return found;
  }

  /**
   * Moves from the entry found to the next older one of the key in the same table. Returns whether
   * there is one.
   */
  boolean moveToOlder(Table table) {
    return table.getOlder(lookup, key);
  }

  /**
   * Prepares a second search of the same key: the statistics of tables that have counted the key
   * stay.
   */
  void skipCountedTables() {
    tablesToSkip = tablesAlreadyCounted;
  }

  /**
   * Counts a searched table.
   *
   * @param found whether the table has the key
   */
  void searched(Table table, boolean found) {
    if (tablesToSkip > 0) {
      tablesToSkip--;
      return;
    }
    tablesAlreadyCounted++;
    counts.add(ReadCounts.TABLES, 1);
    if (table.hasFilter()) {
      counts.add(found ? ReadCounts.TRUE_POSITIVES : ReadCounts.FALSE_POSITIVES, 1);
    }
    if (sampled(searched++, SAMPLED_TABLES)) {
      table.countReads(SAMPLED_TABLES);
    }
  }

  /**
   * Keeps the value of an entry in a memtable as the result.
   *
   * @param at place of the entry
   */
  void foundIn(Memtable where, int at) {
    memtable = where;
    place = at;
    valuePrefix = 0;
    made = null;
  }

  /** Keeps the value in {@link #lookup} as the result. */
  void foundInTable() {
    counts.add(ReadCounts.FOUND_BYTES, lookup.valueLength());
    memtable = null;
    valuePrefix = 0;
    made = null;
  }

  /** Keeps a value as the result, without a copy. */
  void made(byte[] value) {
    memtable = null;
    valuePrefix = 0;
    made = value;
  }

  /**
   * Returns whether the expiring entry found has not expired. The value is from now on the part
   * after the expiry time.
   */
  boolean lives(long nowMillis) {
    if (memtable == null) {
      valuePrefix = Expiry.BYTES;
      return !Expiry.isPast(lookup.valueArray(), lookup.valueOffset(), nowMillis);
    }
    byte[] whole = value(memtable, place);
    made = Arrays.copyOfRange(whole, Expiry.BYTES, whole.length);
    return !Expiry.isPast(whole, 0, nowMillis);
  }

  int valueLength() {
    if (made != null) {
      return made.length;
    }
    return (memtable == null ? lookup.valueLength() : memtable.valueLength(place)) - valuePrefix;
  }

  /** Returns a copy of the value. A computed value is returned itself. */
  byte[] value() {
    if (made != null) {
      return made;
    }
    if (memtable == null) {
      int from = lookup.valueOffset() + valuePrefix;
      return Bytes.copy(lookup.valueArray(), from, lookup.valueLength() - valuePrefix);
    }
    return value(memtable, place);
  }

  private static byte[] value(Memtable memtable, int place) {
    byte[] value = new byte[memtable.valueLength(place)];
    memtable.copyValue(place, value, 0);
    return value;
  }

  /**
   * Copies the value to the target's position if it fits; position and limit stay. Returns the
   * length of the value in bytes, whether it fits or not.
   */
  int copyInto(ByteBuffer target) {
    int length = valueLength();
    if (length <= target.remaining()) {
      if (made != null) {
        target.put(target.position(), made);
      } else if (memtable == null) {
        target.put(
            target.position(), lookup.valueArray(), lookup.valueOffset() + valuePrefix, length);
      } else {
        memtable.copyValue(place, target);
      }
    }
    return length;
  }

  /** Drops the references to value and memtable. */
  void forget() {
    memtable = null;
    made = null;
  }

  /**
   * Returns the bytes of a key without an accessible array, from index 0; lent until the next call.
   */
  byte[] copyOf(ByteBuffer key) {
    int length = key.remaining();
    if (scratch.length < length) {
      scratch = new byte[2 * length];
    }
    key.get(key.position(), scratch, 0, length);
    return scratch;
  }
}
