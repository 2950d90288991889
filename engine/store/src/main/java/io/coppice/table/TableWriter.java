// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.Limits;
import io.coppice.base.bytes.ByteSink;
import io.coppice.base.bytes.Bytes;
import io.coppice.base.bytes.Checksum;
import io.coppice.base.bytes.Coding;
import io.coppice.entry.EntryCursor;
import io.coppice.entry.EntryKind;
import io.coppice.entry.Expiry;
import io.coppice.entry.RangeDeletions;
import io.coppice.entry.RangeDeletions.Fragment;
import io.coppice.io.Disk;
import io.coppice.io.FileHeader;
import io.coppice.io.FileKind;
import io.coppice.table.block.BlockBuilder;
import io.coppice.table.block.BlockCodec;
import io.coppice.table.block.BlockLayout;
import io.coppice.table.block.Codecs;
import io.coppice.table.block.CompressionCodec;
import io.coppice.table.block.RangeDeletionBlock;
import io.coppice.table.filter.FilterBuilder;
import io.coppice.table.filter.KeyHash;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Writer of one table from sorted entries. The caller decides where to cut, by {@link #full} and
 * {@link #entries}; all versions of one user key must go to one table. The file exists from the
 * start and cannot be read until {@link #complete}. The caller syncs the directory. After an
 * IOException only {@link #abort} and {@link #close} may be called. Not safe to share between
 * threads.
 */
public final class TableWriter implements Closeable {

  /**
   * Finished blocks collect up to this number of bytes, before one write appends them to the file.
   */
  private static final int CHUNK_BYTES = 128 << 10;

  /**
   * Initial size of the buffers in bytes; they grow, because small tables are frequent and large
   * ones take long.
   */
  private static final int FIRST_BYTES = 8 << 10;

  /** Size in bytes above which a buffer, enlarged for a large value, is dropped. */
  private static final int MAX_KEPT_BYTES = 1 << 20;

  /**
   * Maximum bytes that an entry needs beyond its key, its value and the smallest entry: thirteen
   * bytes of lengths and sequence number, and a restart; plus the shortest padding.
   */
  private static final int SLACK_BYTES = 13 + Integer.BYTES + Short.BYTES;

  private final Disk disk;
  private final long number;
  private final TableOptions options;
  private final Disk.OutputFile file;

  /**
   * Memory of a writer; the next writer reuses it after the table is finished or given up. Used by
   * one thread.
   */
  public static final class Buffers {
    private final ByteSink chunk = new ByteSink(FIRST_BYTES);
    private final ByteSink index = new ByteSink(FIRST_BYTES);
    private long[] hashes = new long[FIRST_HASHES];
    private final FilterBuilder filter = new FilterBuilder();

    private void reset() {
      chunk.clear(MAX_KEPT_BYTES);
      index.clear(MAX_KEPT_BYTES);
    }
  }

  private static final int FIRST_HASHES = 512;

  private final Buffers buffers;
  private final ByteSink chunk;
  private final ByteSink index;
  private final Checksum checksum = new Checksum();
  private final BlockBuilder block;
  private final boolean pages;

  /** Largest size of the current block, in bytes. */
  private int room;

  /** Separator that the index got last. */
  private byte[] separator = new byte[256];

  private int separatorLength;

  /** Length of the finished block whose separator depends on the next key; 0 if there is none. */
  private int waitingBlockLength;

  private int keys;
  private long keyDigest;
  private int blocks;
  private long rawBytes;
  private long codecs;
  private long entries;
  private long tombstones;
  private long minSequence = Long.MAX_VALUE;
  private long maxSequence;
  private long lastSequence;
  private long firstEndMillis = TableLayout.NO_END;
  private byte[] smallestKey;
  private final List<Fragment> rangeDeletions = new ArrayList<>();
  private long rangeBytes;

  private int family;
  private int filterBits;

  /** Upper bound of the table's keys, inclusive; null if unknown. */
  private byte[] limit;

  private boolean open = true;
  private boolean finished;

  private TableWriter(
      Disk disk,
      long number,
      TableOptions options,
      BlockCodec codec,
      CompressionCodec bytes,
      Buffers buffers,
      Disk.OutputFile file) {
    this.buffers = buffers;
    this.chunk = buffers.chunk;
    this.index = buffers.index;
    buffers.reset();
    this.disk = disk;
    this.number = number;
    this.options = options;
    this.file = file;
    this.block = new BlockBuilder(chunk, options.restartInterval(), codec, bytes);
    this.pages = options.pages() && codec == BlockCodec.NONE;
    FileHeader header = FileHeader.of(FileKind.TABLE, number);
    chunk.bytes(
        (pages ? header.needing(FileHeader.PADDED_BLOCKS) : header).encode(), 0, FileHeader.BYTES);
    begin();
  }

  /**
   * Creates the table's file.
   *
   * @param buffers used by this writer alone until the table is synced or given up
   * @throws java.nio.file.FileAlreadyExistsException if the number is in use; the file is untouched
   * @throws io.coppice.base.InvalidOptionsException if the codec is not on the class path
   */
  public static TableWriter create(
      Disk disk,
      long number,
      TableOptions options,
      BlockCodec codec,
      Codecs codecs,
      Buffers buffers)
      throws IOException {
    CompressionCodec bytes =
        codec == BlockCodec.NONE ? null : codecs.get(codec, "a table is to be compressed");
    return new TableWriter(
        disk, number, options, codec, bytes, buffers, disk.create(FileKind.TABLE.fileName(number)));
  }

  /**
   * Returns the length in bytes that the file would have now without index, properties and footer.
   * The current block counts before compression.
   */
  public long bytes() {
    return position() + rangeBytes;
  }

  /**
   * Returns whether the table has its full length on disk and should be cut. The current block
   * counts before compression while the finished part is at least half of the limit, so a full
   * table has at least half of it. A large value ends its block here, just as the next key would.
   *
   * @param limit full length in bytes
   */
  boolean full(long limit) throws IOException {
    if (block.compresses() && bytes() >= limit && block.entries() > 0 && block.bytes() >= room) {
      finishBlock();
    }
    long length = bytes();
    return length >= limit && (!block.compresses() || 2 * (length - block.rawBytes()) >= limit);
  }

  private long position() {
    return file.position() + chunk.length();
  }

  /** Returns the number of entries added, without range deletions. */
  public long entries() {
    return entries;
  }

  /**
   * Adds range deletions that follow all earlier ones; entries for the keys that they cover may
   * still follow. Their arrays are shared.
   *
   * @throws IllegalArgumentException if they overlap an earlier one; nothing was added
   */
  public void add(Fragment deletions) {
    int last = rangeDeletions.size() - 1;
    if (last >= 0 && Bytes.compare(rangeDeletions.get(last).to(), deletions.from()) > 0) {
      throw new IllegalArgumentException(
          "range deletion " + (last + 1) + " of table " + number + " overlaps its predecessor");
    }
    rangeDeletions.add(deletions);
    rangeBytes += RangeDeletionBlock.bytes(deletions);
    minSequence = Math.min(minSequence, deletions.oldest());
    maxSequence = Math.max(maxSequence, deletions.newest());
  }

  /** Sets the number of the table's family; 0 by default. */
  public void family(int number) {
    family = number;
  }

  /** Sets the fingerprint bits of the table's filter; 0 for no filter. */
  void filterBits(int bits) {
    filterBits = bits;
  }

  int filterBits() {
    return filterBits;
  }

  FilterBuilder filterBuilder() {
    return buffers.filter;
  }

  /**
   * Sets an upper bound of the table's keys, inclusive; null for none. It limits the largest key
   * that range deletions give the table.
   */
  public void limit(byte[] key) {
    limit = key;
  }

  /** Adds the cursor's current entry. */
  public void add(EntryCursor cursor) throws IOException {
    add(
        cursor.keyArray(),
        cursor.keyOffset(),
        cursor.keyLength(),
        cursor.sequence(),
        cursor.kind(),
        cursor.valueArray(),
        cursor.valueOffset(),
        cursor.valueLength());
  }

  /**
   * Adds an entry that follows all others in entry order; the arrays are read before this returns.
   *
   * @throws IllegalArgumentException if the entry is out of order or exceeds {@link Limits};
   *     nothing was added
   * @throws IllegalStateException if the table is complete or closed
   */
  public void add(
      byte[] key,
      int keyOffset,
      int keyLength,
      long sequence,
      EntryKind kind,
      byte[] value,
      int valueOffset,
      int valueLength)
      throws IOException {
    int order =
        entries == 0
            ? -1
            : Bytes.compare(block.lastKey(), 0, block.lastKeyLength(), key, keyOffset, keyLength);
    checkEntry(order, keyLength, sequence, kind, valueLength);
    if (block.entries() > 0
        && (long) block.bytes() + keyLength + valueLength + BlockLayout.MIN_ENTRY_BYTES > room) {
      finishBlock();
    }
    if (waitingBlockLength > 0) {
      addToIndex(key, keyOffset, keyLength);
    }
    if (order < 0) {
      addHash(KeyHash.of(key, keyOffset, keyLength));
    }
    block.add(key, keyOffset, keyLength, sequence, kind, value, valueOffset, valueLength);
    if (entries == 0) {
      smallestKey = Bytes.copy(key, keyOffset, keyLength);
    }
    entries++;
    tombstones += kind == EntryKind.DELETE ? 1 : 0;
    if (kind == EntryKind.EXPIRING) {
      firstEndMillis = Math.min(firstEndMillis, Expiry.endMillis(value, valueOffset));
    }
    lastSequence = sequence;
    minSequence = Math.min(minSequence, sequence);
    maxSequence = Math.max(maxSequence, sequence);
  }

  private void checkEntry(
      int order, int keyLength, long sequence, EntryKind kind, int valueLength) {
    if (finished || !open) {
      throw new IllegalStateException("table " + number + " takes no more entries");
    }
    if (order > 0 || (order == 0 && sequence >= lastSequence)) {
      throw new IllegalArgumentException(
          "entry " + entries + " of table " + number + " is not behind its predecessor");
    }
    if (keyLength > Limits.MAX_KEY_BYTES
        || valueLength > Limits.MAX_VALUE_BYTES
        || sequence < 0
        || sequence > Limits.MAX_SEQUENCE
        || !kind.ofOneKey()
        || valueLength < kind.minValueBytes()
        || valueLength > kind.maxValueBytes()) {
      throw new IllegalArgumentException(
          kind
              + " with a key of "
              + keyLength
              + ", a value of "
              + valueLength
              + " bytes and sequence "
              + sequence);
    }
  }

  /**
   * Completes the table by writing the remaining parts. It can be read afterwards, and is durable
   * after {@link #sync}. No further entry is accepted.
   *
   * @return the table's metadata, without a filter slot
   * @throws IllegalStateException if the table is empty, complete or closed
   */
  public TableMeta complete() throws IOException {
    int ranges = rangeDeletions.size();
    if ((entries == 0 && ranges == 0) || finished || !open) {
      throw new IllegalStateException(
          "table " + number + " with " + entries + " entries cannot be finished now");
    }
    finished = true;
    byte[] largestKey = null;
    if (entries > 0) {
      largestKey = Bytes.copy(block.lastKey(), 0, block.lastKeyLength());
      if (block.entries() > 0) {
        finishBlock();
      }
      addSeparator(largestKey, largestKey.length);
    }
    if (ranges > 0) {
      largestKey = widen(largestKey);
    }

    long indexOffset = position();
    int indexStart = chunk.length();
    chunk.bytes(index.array(), 0, index.length());
    BlockBuilder.seal(chunk, indexStart, BlockCodec.NONE.code(), checksum, number, indexOffset);
    long indexLength = position() - indexOffset;
    if (ranges > 0) {
      long rangesOffset = position();
      int rangesStart = chunk.length();
      RangeDeletionBlock.write(rangeDeletions, chunk);
      BlockBuilder.seal(chunk, rangesStart, BlockCodec.NONE.code(), checksum, number, rangesOffset);
    }
    long propertiesOffset = position();
    int propertiesStart = chunk.length();
    chunk
        .varint64(entries + ranges)
        .varint64(tombstones + ranges)
        .varint64(ranges)
        .varint64(keys)
        .varint64(minSequence)
        .varint64(maxSequence)
        .varint32(blocks)
        .varint64(rawBytes)
        .varint64(codecs)
        .varint32(family)
        .fixed64(keyDigest)
        .fixed64(firstEndMillis)
        .sized(smallestKey, 0, smallestKey.length)
        .sized(largestKey, 0, largestKey.length);
    BlockBuilder.seal(
        chunk, propertiesStart, BlockCodec.NONE.code(), checksum, number, propertiesOffset);
    addFooter(indexOffset, indexLength, propertiesOffset);
    flush();
    return new TableMeta(
        number,
        file.position(),
        entries + ranges,
        tombstones + ranges,
        ranges,
        smallestKey,
        largestKey,
        minSequence,
        maxSequence,
        TableMeta.NO_FILTER);
  }

  /**
   * Makes a complete table durable and closes its file, also after a failure. Another writer may
   * already use the buffers.
   */
  public void sync() throws IOException {
    try (TableWriter closing = this) {
      closing.file.sync();
    }
  }

  /** Extends the key bounds over the range deletions and returns the largest key. */
  private byte[] widen(byte[] largestEntry) {
    RangeDeletions all = RangeDeletions.ofOrdered(rangeDeletions);
    if (smallestKey == null || Bytes.compare(all.smallestKey(), smallestKey) < 0) {
      smallestKey = all.smallestKey();
    }
    byte[] largest = all.largestKey();
    if (limit != null && Bytes.compare(largest, limit) > 0) {
      largest = limit;
    }
    return largestEntry != null && Bytes.compare(largestEntry, largest) > 0
        ? largestEntry
        : largest;
  }

  /**
   * Returns the hashes of all user keys, each once, in indexes 0 to {@link #keys}, exclusive; valid
   * until the buffers are reused.
   */
  long[] hashes() {
    return buffers.hashes;
  }

  int keys() {
    return keys;
  }

  long keyDigest() {
    return keyDigest;
  }

  /** Gives up the table and removes its file; the removal is not synced. */
  public void abort() throws IOException {
    try {
      close();
    } finally {
      disk.delete(FileKind.TABLE.fileName(number));
    }
  }

  /** Closes the file as it is; an unfinished table leaves a useless file. */
  @Override
  public void close() throws IOException {
    if (open) {
      open = false;
      file.close();
    }
  }

  private void finishBlock() throws IOException {
    long start = position() - block.rawBytes();
    waitingBlockLength = block.finish(number, start, pages ? options.blockBytes() : 0);
    blocks++;
    rawBytes += block.lastRawLength();
    codecs |= 1L << block.lastCodec();
    if (chunk.length() >= CHUNK_BYTES) {
      flush();
    }
    begin();
  }

  /**
   * Begins the next block. If blocks end with pages, the block may fill up to the last page end
   * that it can reach. It keeps its full size if that would leave little room, or if large entries
   * would rarely end near a page end.
   */
  private void begin() {
    boolean small = block.lastRawLength() <= BlockLayout.MAX_PADDING * block.entries();
    block.begin();
    room = options.blockBytes();
    int beyond = (int) (position() + room & BlockLayout.PAGE_BYTES - 1);
    if (pages && small && room - beyond >= BlockLayout.MAX_PADDING) {
      room -= beyond + SLACK_BYTES;
    }
  }

  private void flush() throws IOException {
    file.write(chunk.array(), 0, chunk.length());
    chunk.clear(MAX_KEPT_BYTES);
  }

  /** Adds the shortest separator between the last block and the first key of the next. */
  private void addToIndex(byte[] key, int keyOffset, int keyLength) {
    byte[] last = block.lastKey();
    int lastLength = block.lastKeyLength();
    int shared = Bytes.commonPrefix(last, 0, lastLength, key, keyOffset, keyLength);
    int at = shared;
    // The last key, cut after one byte that is incremented, is above the last key. It is below the
    // next key if the incremented byte is below the next key's, or equal and the next key
    // continues, or if the byte is further to the right.
    if (at < lastLength && at < keyLength) {
      int raised = (last[at] & 0xFF) + 1;
      int limit = key[keyOffset + at] & 0xFF;
      if (raised == limit && keyLength == at + 1) {
        at++;
        while (at < lastLength && last[at] == (byte) 0xFF) {
          at++;
        }
      }
    }
    if (at >= lastLength - 1) {
      addSeparator(last, lastLength);
      return;
    }
    byte kept = last[at];
    last[at]++;
    addSeparator(last, at + 1);
    last[at] = kept;
  }

  private void addSeparator(byte[] key, int length) {
    int shared = Bytes.commonPrefix(separator, 0, separatorLength, key, 0, length);
    index
        .varint32(shared)
        .varint32(length - shared)
        .bytes(key, shared, length - shared)
        .varint64(waitingBlockLength);
    if (separator.length < length) {
      separator = Arrays.copyOf(separator, Math.max(length, 2 * separator.length));
    }
    System.arraycopy(key, shared, separator, shared, length - shared);
    separatorLength = length;
    waitingBlockLength = 0;
  }

  private void addFooter(long indexOffset, long indexLength, long propertiesOffset) {
    long footerOffset = position();
    byte[] footer = new byte[TableLayout.FOOTER_BYTES];
    Coding.putFixed64(footer, TableLayout.INDEX_OFFSET, indexOffset);
    Coding.putFixed64(footer, TableLayout.INDEX_LENGTH, indexLength);
    Coding.putFixed64(footer, TableLayout.PROPERTIES_OFFSET, propertiesOffset);
    Coding.putFixed32(
        footer, TableLayout.PROPERTIES_LENGTH, (int) (footerOffset - propertiesOffset));
    Coding.putFixed64(footer, TableLayout.MAGIC_OFFSET, TableLayout.MAGIC);
    int sum = Checksum.of(number, footerOffset, footer, 0, TableLayout.CHECKSUM_OFFSET);
    Coding.putFixed32(footer, TableLayout.CHECKSUM_OFFSET, sum);
    chunk.bytes(footer, 0, footer.length);
  }

  private void addHash(long hash) {
    if (keys == buffers.hashes.length) {
      buffers.hashes = Arrays.copyOf(buffers.hashes, 2 * keys);
    }
    buffers.hashes[keys++] = hash;
    keyDigest = KeyHash.addToDigest(keyDigest, hash);
  }
}
