// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.CorruptionException;
import io.coppice.base.Limits;
import io.coppice.base.MemoryBudget;
import io.coppice.base.bytes.ByteSource;
import io.coppice.base.bytes.Bytes;
import io.coppice.base.bytes.Checksum;
import io.coppice.base.bytes.Coding;
import io.coppice.entry.RangeDeletions;
import io.coppice.io.Disk;
import io.coppice.io.FileHeader;
import io.coppice.io.FileKind;
import io.coppice.table.block.BlockBuffer;
import io.coppice.table.block.BlockCodec;
import io.coppice.table.block.BlockLayout;
import io.coppice.table.block.Codecs;
import io.coppice.table.block.RangeDeletionBlock;
import io.coppice.table.cache.BlockCache;
import io.coppice.table.cache.CacheAdmission;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.NoSuchFileException;

/**
 * Open file of a table with its verified parts, except index and blocks.
 *
 * @param cache block cache for its blocks
 * @param reservation bytes reserved in the memory budget for the range deletions
 */
public record TableFile(
    Disk.InputFile file,
    Footer footer,
    Properties properties,
    RangeDeletions rangeDeletions,
    BlockCache cache,
    Reservation reservation) {

  /**
   * Opens the file of a finished table; nothing stays open after a failure. The caller closes it.
   *
   * @throws CorruptionException if the file is missing, a part is damaged, or it is not the table
   *     that {@code meta} describes
   */
  static TableFile open(
      Disk disk, TableMeta meta, MemoryBudget budget, Codecs codecs, BlockCache cache)
      throws IOException {
    String name = FileKind.TABLE.fileName(meta.number());
    Disk.InputFile file;
    try {
      file = disk.map(name);
    } catch (NoSuchFileException e) {
      throw new CorruptionException(name, 0, "the file is missing", e);
    }
    try {
      return of(file, meta, budget, codecs, cache);
    } catch (EOFException e) {
      file.close();
      throw new CorruptionException(name, 0, "the file became shorter while it was read", e);
    } catch (UncheckedIOException e) {
      file.close();
      throw e.getCause();
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  private static TableFile of(
      Disk.InputFile file, TableMeta meta, MemoryBudget budget, Codecs codecs, BlockCache cache)
      throws IOException {
    long length = file.length();
    if (length != meta.bytes() || length < TableLayout.MIN_BYTES) {
      throw new CorruptionException(
          file.name(),
          Math.min(length, meta.bytes()),
          meta.bytes() + " bytes were expected, the file has " + length);
    }
    FileHeader.read(file, FileKind.TABLE, meta.number());
    Footer footer = Footer.read(file, meta.number());
    BlockBuffer buffer = new BlockBuffer();
    ByteSource source = new ByteSource();
    long offset = footer.propertiesOffset;
    int read = buffer.read(file, meta.number(), offset, (int) footer.propertiesLength());
    Properties properties =
        Properties.parse(source.reset(file.name(), offset, buffer.array(), 0, read));
    properties.check(file, offset, meta);
    codecs.require(properties.codecs, file.name(), offset);
    RangeDeletions ranges = ranges(file, meta, footer, buffer, source);
    Reservation held = Reservation.of(budget, RangeDeletionBlock.heapBytes(ranges));
    return new TableFile(file, footer, properties, ranges, cache, held);
  }

  private static RangeDeletions ranges(
      Disk.InputFile file, TableMeta meta, Footer footer, BlockBuffer buffer, ByteSource source) {
    RangeDeletions ranges = RangeDeletions.NONE;
    long offset = footer.rangesOffset();
    if (footer.rangesLength() > 0) {
      int read = buffer.read(file, meta.number(), offset, (int) footer.rangesLength());
      ranges = RangeDeletionBlock.parse(source.reset(file.name(), offset, buffer.array(), 0, read));
    }
    if (ranges.size() != meta.rangeDeletions()) {
      throw new CorruptionException(
          file.name(),
          offset,
          meta.rangeDeletions() + " range deletions were expected, found " + ranges.size());
    }
    for (int i = 0; i < ranges.size(); i++) {
      RangeDeletions.Fragment fragment = ranges.fragment(i);
      if (fragment.oldest() < meta.minSequence() || fragment.newest() > meta.maxSequence()) {
        throw new CorruptionException(
            file.name(),
            offset,
            "range deletion " + i + " has a sequence outside those of " + meta);
      }
    }
    if (!ranges.isEmpty()
        && (Bytes.compare(ranges.smallestKey(), meta.smallestKey()) < 0
            || Bytes.compare(ranges.fragment(ranges.size() - 1).from(), meta.largestKey()) > 0)) {
      throw new CorruptionException(
          file.name(), offset, "the range deletions reach beyond the keys of " + meta);
    }
    return ranges;
  }

  /** Returns the kind of blocks that the cache admits; it changes while mappings are suspended. */
  CacheAdmission caching() {
    return cache.of(properties.compressed(), file.mapped());
  }

  void close() throws IOException {
    reservation.release();
    file.close();
  }

  /** Reservation in the memory budget; of 0 bytes if there was no room. */
  record Reservation(MemoryBudget budget, long bytes) {

    static Reservation of(MemoryBudget budget, long bytes) {
      // Both are created first: an OutOfMemoryError between reserving and holding the bytes would
      // leak them.
      Reservation whole = new Reservation(budget, bytes);
      Reservation nothing = new Reservation(budget, 0);
      return budget.tryReserve(MemoryBudget.Role.INDEX, bytes) ? whole : nothing;
    }

    void release() {
      budget.release(MemoryBudget.Role.INDEX, bytes);
    }
  }

  public record Footer(
      long indexOffset, long indexLength, long propertiesOffset, long footerOffset) {

    public static Footer read(Disk.InputFile file, long number) throws IOException {
      long offset = file.length() - TableLayout.FOOTER_BYTES;
      byte[] bytes = new byte[TableLayout.FOOTER_BYTES];
      file.read(offset, bytes, 0, bytes.length);
      int expected = Checksum.of(number, offset, bytes, 0, TableLayout.CHECKSUM_OFFSET);
      if (Coding.fixed32(bytes, TableLayout.CHECKSUM_OFFSET) != expected
          || Coding.fixed64(bytes, TableLayout.MAGIC_OFFSET) != TableLayout.MAGIC) {
        throw new CorruptionException(
            file.name(), offset, "the footer is not that of a table file");
      }
      Footer footer =
          new Footer(
              Coding.fixed64(bytes, TableLayout.INDEX_OFFSET),
              Coding.fixed64(bytes, TableLayout.INDEX_LENGTH),
              Coding.fixed64(bytes, TableLayout.PROPERTIES_OFFSET),
              offset);
      if (footer.indexOffset < TableLayout.FIRST_BLOCK
          || footer.propertiesOffset < footer.indexOffset
          || footer.propertiesOffset > offset
          || footer.propertiesLength() != Coding.fixed32(bytes, TableLayout.PROPERTIES_LENGTH)
          || !isUnit(footer.indexLength)
          || footer.rangesLength() < 0
          || (footer.rangesLength() > 0 && !isUnit(footer.rangesLength()))
          || !isUnit(footer.propertiesLength())) {
        throw new CorruptionException(
            file.name(),
            offset,
            "the footer places index and properties at %s and %s"
                .formatted(footer.indexOffset, footer.propertiesOffset));
      }
      return footer;
    }

    private static boolean isUnit(long length) {
      return length >= BlockLayout.TRAILER_BYTES && length <= Limits.MAX_ARRAY_BYTES;
    }

    long rangesOffset() {
      return indexOffset + indexLength;
    }

    long rangesLength() {
      return propertiesOffset - rangesOffset();
    }

    public long propertiesLength() {
      return footerOffset - propertiesOffset;
    }
  }

  public record Properties(
      long entries,
      long tombstones,
      long rangeDeletions,
      long keys,
      long minSequence,
      long maxSequence,
      int blocks,
      long rawBytes,
      long codecs,
      int family,
      long keyDigest,
      long firstEndMillis,
      byte[] smallestKey,
      byte[] largestKey) {

    /** Returns whether some blocks are compressed. */
    boolean compressed() {
      return (codecs & ~(1L << BlockCodec.NONE.code() | 1L << BlockLayout.PADDED)) != 0;
    }

    public static Properties parse(ByteSource source) {
      Properties properties =
          new Properties(
              source.varint64(),
              source.varint64(),
              source.varint64(),
              source.varint64(),
              source.varint64(),
              source.varint64(),
              source.varint31(),
              source.varint64(),
              source.varint64(),
              source.varint31(),
              source.fixed64(),
              source.fixed64(),
              source.sizedCopy(Limits.MAX_KEY_BYTES),
              source.sizedCopy(Limits.MAX_KEY_BYTES));
      if (source.remaining() != 0) {
        throw source.damaged(source.remaining() + " bytes behind the properties");
      }
      return properties;
    }

    void check(Disk.InputFile file, long offset, TableMeta meta) {
      if (entries != meta.entries()
          || tombstones != meta.tombstones()
          || rangeDeletions != meta.rangeDeletions()
          || minSequence != meta.minSequence()
          || maxSequence != meta.maxSequence()
          || rawBytes / BlockLayout.MAX_RATIO > meta.bytes()
          || rangeDeletions > meta.bytes() / BlockLayout.MIN_ENTRY_BYTES
          || entries - rangeDeletions > rawBytes / BlockLayout.MIN_ENTRY_BYTES
          || keys < (entries > rangeDeletions ? 1 : 0)
          || keys > entries - rangeDeletions
          || blocks > entries - rangeDeletions
          || (blocks == 0) != (keys == 0)
          || Bytes.compare(smallestKey, meta.smallestKey()) != 0
          || Bytes.compare(largestKey, meta.largestKey()) != 0) {
        throw new CorruptionException(
            file.name(),
            offset,
            "the properties name %s entries, sequences %s to %s, but the manifest has %s"
                .formatted(entries, minSequence, maxSequence, meta));
      }
    }
  }
}
