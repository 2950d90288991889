// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import io.coppice.base.Bytes;
import io.coppice.entry.Expiry;
import io.coppice.io.ReadBatch;
import io.coppice.memtable.Memtable;
import io.coppice.table.BlocksAhead;
import io.coppice.table.KeyHash;
import io.coppice.table.Lookup;
import io.coppice.table.Table;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;

/**
 * What a thread's lookups use again and again, and the value that the last one found: in a memtable
 * or in the lookup's own memory. The memtables must be held until the value was copied.
 */
final class Search {

  /** One of so many questions to tables is counted for the table, as so many; a power of two. */
  private static final int SAMPLED_TABLES = 16;

  /** One of so many lookups is timed, and its key sampled. */
  private static final int SAMPLED_LOOKUPS = 64;

  /** Times 2^64: its multiples modulo 1 fall alike on all parts, those of any step as well. */
  private static final long GOLDEN_RATIO = 0x9E3779B97F4A7C15L;

  /** Has found the value, unless a memtable has. */
  Lookup lookup = new Lookup();

  final ReadCounts counts;

  private final Searching searching;
  private final Searching.Share share;

  /** True if another search of the thread may be using its batch. */
  final boolean alone;

  /** Null until a lookup reads several blocks at once. */
  private ParallelSearch parallel;

  /** Null until a lookup of several versions or keys. */
  private AheadSearch ahead;

  /** For lookups that ask one table after the other. */
  final Probes probes = new Probes();

  /** Likewise, by the index of a version: what filters say. */
  final int[] differences = new int[Probes.MAX];

  /** For keys that have more than one version to look at. */
  final Gathering gathering = new Gathering(this);

  /** Of the first segment met that is to be merged; 0 if there was none. */
  long group;

  // The key that is sought in tables, by what its hash is, and the newest entry that may be seen.
  byte[] key;
  int offset;
  int length;
  long hash;
  long sequence;

  /** The version that was searched last, and how often in a row. */
  private long ordinal = -1;

  private int inARow;

  private byte[] scratch = new byte[64];
  private Memtable memtable;
  private int place;

  /** Bytes in front of the value. */
  private int hidden;

  /** A value that was made by combining; null if it is stored somewhere. */
  private byte[] made;

  /** Tables counted for what is sought, and how many of those are asked once more. */
  private int told;

  private int counted;

  /** Tables asked; one in {@link #SAMPLED_TABLES} is told. */
  private int asked;

  private long blocks;
  private long bytes;

  /** Counts into a share of the calling thread, which no other search has. */
  Search(Searching searching, Searching.Share share) {
    this(searching, share, false);
  }

  private Search(Searching searching, Searching.Share share, boolean alone) {
    this.searching = searching;
    this.alone = alone;
    this.share = share;
    this.counts = share.counts;
    readAlone(lookup);
  }

  /** Lets a lookup read past the page cache what it reads alone, if others are read so. */
  void readAlone(Lookup by) {
    if (searching.reader().direct()) {
      by.readAloneBy(share.batch());
    }
  }

  /** For schemes that read several blocks at once. */
  ParallelSearch parallel() {
    if (parallel == null) {
      parallel = new ParallelSearch(this, searching, share);
    }
    return parallel;
  }

  /** For lookups of several versions or keys. */
  AheadSearch ahead() {
    if (ahead == null) {
      ahead = new AheadSearch(this, searching);
    }
    return ahead;
  }

  /** Another one of this thread, for a lookup while this one's is under way; it reads alone. */
  Search another() {
    return new Search(searching, share, true);
  }

  /** Begins a lookup; what it returns is handed to {@link #end}. */
  long begin(byte[] sought, int from, int bytesOfKey) {
    counts.add(ReadCounts.LOOKUPS, 1);
    if (!sampled(counts.own(ReadCounts.LOOKUPS), SAMPLED_LOOKUPS)) {
      return 0;
    }
    share.keys.add(KeyHash.of(sought, from, bytesOfKey));
    share.family.lookupsIn.count(sought, from, bytesOfKey);
    return searching.nanoTime();
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
   * True for one number of so many, a power of two, 0 among them. They are in no step: where
   * lookups take turns, such as one of an index and one of its row, a step of an even number would
   * meet the same one for ever.
   */
  static boolean sampled(long number, int oneOf) {
    return number * GOLDEN_RATIO >>> Long.SIZE - Integer.numberOfTrailingZeros(oneOf) == 0;
  }

  /** Counts keys that were looked up and have no value. */
  void missed(int keys) {
    counts.add(ReadCounts.MISSES, keys);
  }

  /** Ends a lookup: nothing that it used is kept from the collector. */
  void end(long begun) {
    forget();
    key = null;
    counted = 0;
    count();
    if (begun != 0) {
      long nanos = searching.nanoTime() - begun;
      searching.latencies(searching.scheme()).add(nanos);
      counts.add(ReadCounts.NANOS, Math.max(0, nanos) * SAMPLED_LOOKUPS);
    }
  }

  /** Takes in what lookups in tables have read. */
  void count() {
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

  /** Of the thread; empty, and to be left empty. */
  ReadBatch batch() {
    return share.batch();
  }

  /** Takes in what was read at once for lookups of several versions or keys. */
  void count(BlocksAhead ahead) {
    if (ahead.requested() > 0) {
      counts.add(ReadCounts.BLOCKS, ahead.requested());
      counts.add(ReadCounts.BLOCK_BYTES, ahead.bytes());
    }
    countBatch(ahead);
  }

  /** Likewise for cursors, whose blocks are none of lookups. */
  void countBatch(BlocksAhead ahead) {
    if (ahead.requested() > 0) {
      counts.add(ReadCounts.BATCHES, 1);
      counts.add(ReadCounts.BATCH_READS, ahead.requested());
      counts.add(ReadCounts.WASTED_READS, ahead.unasked());
    }
  }

  /** Says what is sought in tables from now on. */
  void seek(byte[] wanted, int from, int bytesOfKey, long newest) {
    key = wanted;
    offset = from;
    length = bytesOfKey;
    hash = KeyHash.of(wanted, from, bytesOfKey);
    sequence = newest;
    told = 0;
  }

  /** How many lookups in a row have searched this version. */
  int inARow(long version) {
    if (version != ordinal) {
      ordinal = version;
      inARow = 0;
    }
    return ++inARow;
  }

  /** Looks into a block of a table; false if it is none. */
  boolean ask(Table table, int block) {
    boolean found = block >= 0 && table.get(lookup, block, key, offset, length, sequence);
    asked(table, found);
    return found;
  }

  /** Goes on from the entry found to the next older one of the key in the same table. */
  boolean askOlder(Table table) {
    return table.getOlder(lookup, key, offset, length);
  }

  /** Has what is sought sought again from the newest table on: what was counted counts once. */
  void startOver() {
    counted = told;
  }

  /** Counts a table that was asked. */
  void asked(Table table, boolean found) {
    if (counted > 0) {
      counted--;
      return;
    }
    told++;
    counts.add(ReadCounts.TABLES, 1);
    if (table.hasFilter()) {
      counts.add(found ? ReadCounts.TRUE_POSITIVES : ReadCounts.FALSE_POSITIVES, 1);
    }
    if (sampled(asked++, SAMPLED_TABLES)) {
      table.countReads(SAMPLED_TABLES);
    }
  }

  /** The value is that of an entry in a memtable. */
  void foundIn(Memtable where, int at) {
    memtable = where;
    place = at;
    hidden = 0;
    made = null;
  }

  /** The value is the lookup's; true. */
  boolean foundInTable() {
    counts.add(ReadCounts.FOUND_BYTES, lookup.valueLength());
    memtable = null;
    hidden = 0;
    made = null;
    return true;
  }

  /** The value is this one. */
  void made(byte[] value) {
    memtable = null;
    hidden = 0;
    made = value;
  }

  /** False if the entry found is past its end; else its value is what stands behind that. */
  boolean lives(long nowMillis) {
    if (memtable == null) {
      hidden = Expiry.BYTES;
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
    return (memtable == null ? lookup.valueLength() : memtable.valueLength(place)) - hidden;
  }

  /** A copy of the value. */
  byte[] value() {
    if (made != null) {
      return made;
    }
    if (memtable == null) {
      int from = lookup.valueOffset() + hidden;
      return Bytes.copy(lookup.valueArray(), from, lookup.valueLength() - hidden);
    }
    return value(memtable, place);
  }

  private static byte[] value(Memtable memtable, int place) {
    byte[] value = new byte[memtable.valueLength(place)];
    memtable.copyValue(place, value, 0);
    return value;
  }

  /** Copies the value from the target's position on if it fits; returns its length. */
  int copyInto(ByteBuffer target) {
    int length = valueLength();
    if (length <= target.remaining()) {
      if (made != null) {
        target.put(target.position(), made);
      } else if (memtable == null) {
        target.put(target.position(), lookup.valueArray(), lookup.valueOffset() + hidden, length);
      } else {
        memtable.copyValue(place, target);
      }
    }
    return length;
  }

  /** Forgets the value, so that no memtable is kept from the collector. */
  void forget() {
    memtable = null;
    made = null;
  }

  /** The bytes of a key that no array shows, from position 0; lent until the next call. */
  byte[] copyOf(ByteBuffer key) {
    int length = key.remaining();
    if (scratch.length < length) {
      scratch = new byte[2 * length];
    }
    key.get(key.position(), scratch, 0, length);
    return scratch;
  }
}
