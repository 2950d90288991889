// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.block;

import io.coppice.base.Limits;
import io.coppice.base.MemoryBudget;
import io.coppice.base.bytes.ByteSink;
import io.coppice.base.bytes.ByteSource;
import io.coppice.base.bytes.Bytes;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Index of a table: a search finds the block that holds a key. Block i has a separator: at least
 * its last key and below the first key of block i + 1. If versions of one key fill both blocks, the
 * separator is that key.
 *
 * <p>The index is built once from the verified index block, and is then immutable. It is searched
 * in place off-heap, or on the heap if the memory budget has no room. The prefix common to all
 * separators is stored once. The next eight bytes of each separator form a big-endian number, so
 * one step of the binary search is one comparison; the remaining tail is stored separately.
 *
 * <pre>
 *   heads    n × 8       the eight bytes after the common prefix, padded with zeros
 *   ends     n × 8       the offset in the file of the end of block i
 *   tails    (n+1) × 4   where in this memory the tail of separator i begins
 *   lengths  n × 2       bytes of separator i after the common prefix
 *   tail bytes
 * </pre>
 */
public final class TableIndex {

  private final OffHeapMemory offHeap;
  private final ByteBuffer memory;
  private final byte[] prefix;
  private final int blocks;
  private final long firstBlock;
  private final int ends;
  private final int tails;
  private final int lengths;

  private TableIndex(
      OffHeapMemory offHeap, ByteBuffer memory, byte[] prefix, int blocks, long firstBlock) {
    this.offHeap = offHeap;
    this.memory = memory;
    this.prefix = prefix;
    this.blocks = blocks;
    this.firstBlock = firstBlock;
    this.ends = blocks * Long.BYTES;
    this.tails = 2 * ends;
    this.lengths = tails + (blocks + 1) * Integer.BYTES;
  }

  /**
   * Parses a verified index block. It holds two things for each block: the separator, and the
   * block's length with the trailer. A separator is the number of bytes shared with the separator
   * before, the number of bytes that follow, and these bytes.
   *
   * @param blocks the number of blocks
   * @param firstBlock the offset of the first block
   * @param end the offset after the last block
   * @throws io.coppice.base.CorruptionException if the bytes do not describe these blocks
   */
  public static TableIndex parse(
      ByteSource source,
      int blocks,
      long firstBlock,
      long end,
      MemoryBudget budget,
      OffHeapAllocator allocator) {
    if (blocks == 0) {
      if (source.remaining() != 0 || firstBlock != end) {
        throw source.damaged(source.remaining() + " bytes of index for no block");
      }
      return new TableIndex(null, ByteBuffer.allocate(0), Bytes.EMPTY, 0, firstBlock);
    }
    // An entry of the index takes at least three bytes.
    if (blocks < 0 || blocks > source.remaining() / 3) {
      throw source.damaged(source.remaining() + " bytes of index for " + blocks + " blocks");
    }
    Separators separators = new Separators(blocks, firstBlock);
    for (int i = 0; i < blocks; i++) {
      separators.read(source, i, end);
    }
    if (source.remaining() != 0 || separators.ends[blocks - 1] != end) {
      throw source.damaged(
          "an index that ends with %s bytes left, at block offset %s instead of %s"
              .formatted(source.remaining(), separators.ends[blocks - 1], end));
    }
    int prefixLength = separators.sharedByAll();
    byte[] prefix = Bytes.copy(separators.keys.array(), 0, prefixLength);
    int bytes = separators.packedBytes(prefixLength);
    OffHeapMemory offHeap =
        OffHeapMemory.allocate(allocator, budget, MemoryBudget.Role.INDEX, bytes, Long.BYTES);
    ByteBuffer memory = offHeap == null ? ByteBuffer.allocate(bytes) : offHeap.bytes();
    TableIndex index = new TableIndex(offHeap, memory, prefix, blocks, firstBlock);
    separators.pack(index);
    return index;
  }

  public int blocks() {
    return blocks;
  }

  /**
   * Returns the offset in the file of block i, from 0 on; for the number of blocks, the end of the
   * last one.
   */
  public long offset(int block) {
    return block == 0 ? firstBlock : memory.getLong(ends + (block - 1) * Long.BYTES);
  }

  /** Returns the length on disk of block i in bytes, with the trailer. */
  public int length(int block) {
    return (int) (offset(block + 1) - offset(block));
  }

  /** Returns a copy of separator i. */
  public byte[] separator(int block) {
    int length = memory.getChar(lengths + block * Character.BYTES);
    byte[] key = Arrays.copyOf(prefix, prefix.length + length);
    for (int i = 0; i < Math.min(length, Long.BYTES); i++) {
      // The heads are big-endian, like the keys.
      key[prefix.length + i] = memory.get(block * Long.BYTES + i);
    }
    int tail = memory.getInt(tails + block * Integer.BYTES);
    for (int i = Long.BYTES; i < length; i++) {
      key[prefix.length + i] = memory.get(tail + i - Long.BYTES);
    }
    return key;
  }

  /**
   * Returns the first block whose separator is at least the key; the number of blocks if there is
   * none.
   */
  public int search(byte[] key, int offset, int length) {
    int common = Bytes.commonPrefix(prefix, 0, prefix.length, key, offset, length);
    if (common < prefix.length) {
      boolean below = common == length || (key[offset + common] & 0xFF) < (prefix[common] & 0xFF);
      return below ? 0 : blocks;
    }
    int rest = offset + common;
    int restLength = length - common;
    long head = Bytes.prefix(key, rest, restLength) + Long.MIN_VALUE;
    int low = 0;
    int high = blocks;
    while (low < high) {
      int middle = (low + high) >>> 1;
      long other = memory.getLong(middle * Long.BYTES) + Long.MIN_VALUE;
      boolean below = other == head ? isTailBelow(middle, key, rest, restLength) : other < head;
      if (below) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /** Returns whether separator i, whose head equals the key's, is below the key. */
  private boolean isTailBelow(int block, byte[] key, int rest, int restLength) {
    int length = memory.getChar(lengths + block * Character.BYTES);
    int tail = memory.getInt(tails + block * Integer.BYTES);
    int common = Math.min(length, restLength);
    for (int i = Long.BYTES; i < common; i++) {
      int mine = memory.get(tail + i - Long.BYTES) & 0xFF;
      int other = key[rest + i] & 0xFF;
      if (mine != other) {
        return mine < other;
      }
    }
    return length < restLength;
  }

  /** Frees the memory, once. The caller makes sure that no reader is left. */
  public void free() {
    if (offHeap != null) {
      offHeap.free();
    }
  }

  /** Separators of an index block, in file order. */
  private static final class Separators {
    private final ByteSink keys = new ByteSink(4096);
    private final int[] starts;
    private final long[] ends;
    private final long firstBlock;

    Separators(int blocks, long firstBlock) {
      this.starts = new int[blocks + 1];
      this.ends = new long[blocks];
      this.firstBlock = firstBlock;
    }

    void read(ByteSource source, int i, long end) {
      int previous = i == 0 ? 0 : length(i - 1);
      int shared = source.varint31();
      int unshared = source.sized(Limits.MAX_KEY_BYTES);
      int at = source.position() - unshared;
      long blockLength = source.varint64();
      long begin = i == 0 ? firstBlock : ends[i - 1];
      if (shared > previous || shared + unshared > Limits.MAX_KEY_BYTES) {
        throw source.damaged("separator " + i + " shares " + shared + " of " + previous);
      }
      if (blockLength < BlockLayout.MIN_STORED_BYTES
          || blockLength > Limits.MAX_ARRAY_BYTES
          || blockLength > end - begin) {
        throw source.damaged("block " + i + " at " + begin + " has " + blockLength + " bytes");
      }
      // A separator is at most as long as a key of its block, so all of them fit into the table's
      // length.
      if (shared + unshared > blockLength
          || (long) keys.length() + shared + unshared > Limits.MAX_ARRAY_BYTES) {
        throw source.damaged("separator " + i + " has " + (shared + unshared) + " bytes");
      }
      int start = keys.length();
      if (i > 0) {
        keys.bytes(keys.array(), starts[i - 1], shared);
      }
      keys.bytes(source.array(), at, unshared);
      starts[i + 1] = keys.length();
      if (i > 0
          && Bytes.compare(keys.array(), starts[i - 1], previous, keys.array(), start, length(i))
              > 0) {
        throw source.damaged("separator " + i + " is below the one before it");
      }
      ends[i] = begin + blockLength;
    }

    private int length(int i) {
      return starts[i + 1] - starts[i];
    }

    /**
     * Returns the length in bytes of the prefix that all separators share. They are sorted, so the
     * first and the last determine it.
     */
    int sharedByAll() {
      int last = ends.length - 1;
      return Bytes.commonPrefix(
          keys.array(), 0, length(0), keys.array(), starts[last], length(last));
    }

    private int tailLength(int i, int prefixLength) {
      return Math.max(0, length(i) - prefixLength - Long.BYTES);
    }

    int packedBytes(int prefixLength) {
      int each = 2 * Long.BYTES + Integer.BYTES + Character.BYTES;
      long bytes = (long) ends.length * each + Integer.BYTES;
      for (int i = 0; i < ends.length; i++) {
        bytes += tailLength(i, prefixLength);
      }
      return Math.toIntExact(bytes);
    }

    void pack(TableIndex index) {
      ByteBuffer memory = index.memory;
      int prefixLength = index.prefix.length;
      int tail = index.lengths + ends.length * Character.BYTES;
      for (int i = 0; i < ends.length; i++) {
        int rest = starts[i] + prefixLength;
        int restLength = length(i) - prefixLength;
        memory.putLong(i * Long.BYTES, Bytes.prefix(keys.array(), rest, restLength));
        memory.putLong(index.ends + i * Long.BYTES, ends[i]);
        memory.putInt(index.tails + i * Integer.BYTES, tail);
        memory.putChar(index.lengths + i * Character.BYTES, (char) restLength);
        int tailLength = tailLength(i, prefixLength);
        for (int j = 0; j < tailLength; j++) {
          memory.put(tail + j, keys.array()[rest + Long.BYTES + j]);
        }
        tail += tailLength;
      }
      memory.putInt(index.tails + ends.length * Integer.BYTES, tail);
    }
  }
}
