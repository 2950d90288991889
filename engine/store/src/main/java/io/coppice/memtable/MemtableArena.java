// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Memory of one memtable: chunks that are filled one after another, entry bodies from the beginning
 * and nodes from the end, so that nodes are adjacent. Each large entry has a chunk of its own. The
 * first chunk has 8 KiB. Each later one doubles the total until chunks reach the standard size.
 *
 * <p>An address is an int: the chunk's number and, in units of eight bytes, a position in its first
 * mebibyte. One thread allocates; any thread may resolve an address that was published to it.
 */
final class MemtableArena {

  /**
   * Size in bytes above which an entry gets a chunk of its own, so that at most an eighth of a
   * chunk stays empty at its end.
   */
  static final int LARGE_BYTES = ChunkPool.CHUNK_BYTES / 8;

  /** Size of the first chunk in bytes, a power of two. */
  static final int FIRST_BYTES = 8 << 10;

  private static final int UNIT_SHIFT = 3;

  /**
   * Bits of the position: a chunk of 2^20 bytes has 2^17 units, which leaves 2^14 chunks in a
   * positive int, 16 GiB.
   */
  private static final int PLACE_BITS = 17;

  private static final int PLACE_MASK = (1 << PLACE_BITS) - 1;
  private static final int MAX_CHUNKS = 1 << (31 - PLACE_BITS);

  private final ChunkPool pool;
  private final List<Chunk> spare = new ArrayList<>();
  private Chunk[] chunks = new Chunk[16];
  private int chunkCount;
  private int fillingChunk = -1;

  /** Free range of the chunk being filled, from the end of the bodies to the first node. */
  private int bodiesEnd;

  private int nodesBegin;

  /**
   * Upper bound of the bytes of small entries that {@link #ensure} has provided for and that are
   * not added yet.
   */
  private long promised;

  /** Bytes of all chunks for small entries. */
  private long smallBytes;

  private int node;
  private int body;
  private long used;
  private volatile long bytes;

  /** Bytes counted as kept by readers, or 0. */
  private long keptForReaders;

  /**
   * Chunk buffers by number. The array is replaced, but never changed at a published address. It is
   * not volatile: an address is read with acquire, and was published with release after the array
   * was set.
   */
  private ByteBuffer[] buffers = new ByteBuffer[16];

  MemtableArena(ChunkPool pool) {
    this.pool = pool;
  }

  /**
   * Returns the size of a large entry's chunk. It is never a power of two, which keeps small
   * entries out of the chunk.
   */
  static int chunkBytes(int largeBytes) {
    return isPowerOfTwo(largeBytes) ? largeBytes + Long.BYTES : largeBytes;
  }

  private static boolean isPowerOfTwo(int bytes) {
    return Integer.bitCount(bytes) == 1;
  }

  ByteBuffer chunkOf(int address) {
    return buffers[address >>> PLACE_BITS];
  }

  static int positionOf(int address) {
    return (address & PLACE_MASK) << UNIT_SHIFT;
  }

  /** Returns the bytes of all chunks, in use or not. */
  long bytes() {
    return bytes;
  }

  /** Returns the bytes that entries and index blocks use. */
  long used() {
    return used;
  }

  /** Takes the chunks that the demand may need. Returns whether all were available. */
  boolean ensure(MemoryDemand demand) {
    promised = demand.smallBytes();
    if (!ensureSmall(promised)) {
      return false;
    }
    for (int i = 0; i < demand.largeCount(); i++) {
      if (!ensureSpare(demand.large(i), demand.largeOfSameSize(i))) {
        return false;
      }
    }
    return true;
  }

  private boolean ensureSmall(long wanted) {
    long room = nodesBegin - bodiesEnd;
    if (wanted <= room || wanted <= largestSpare()) {
      return true;
    }
    if (wanted <= ChunkPool.CHUNK_BYTES / 2 && smallBytes < ChunkPool.CHUNK_BYTES) {
      return takeSpare(growthBytes(wanted));
    }
    int usable = ChunkPool.CHUNK_BYTES - LARGE_BYTES;
    long behind = wanted - Math.max(0, room - LARGE_BYTES);
    return ensureSpare(ChunkPool.CHUNK_BYTES, (behind + usable - 1) / usable);
  }

  /**
   * Returns the size in bytes of the next chunk for small entries, which holds at least the wanted
   * bytes.
   */
  private int growthBytes(long wanted) {
    long least = Math.max(FIRST_BYTES, Math.max(wanted, smallBytes));
    return (int) Math.min(ChunkPool.CHUNK_BYTES, Long.highestOneBit(2 * least - 1));
  }

  /**
   * Returns the size in bytes of the largest chunk for small entries that is allocated and still
   * empty, or 0.
   */
  private int largestSpare() {
    int largest = 0;
    for (Chunk chunk : spare) {
      if (isPowerOfTwo(chunk.bytes())) {
        largest = Math.max(largest, chunk.bytes());
      }
    }
    return largest;
  }

  private boolean ensureSpare(int size, long wanted) {
    long have = spare.stream().filter(chunk -> chunk.bytes() == size).count();
    for (; have < wanted; have++) {
      if (!takeSpare(size)) {
        return false;
      }
    }
    return true;
  }

  private boolean takeSpare(int size) {
    if (chunkCount + spare.size() >= MAX_CHUNKS) {
      return false;
    }
    Chunk chunk = pool.take(size);
    if (chunk == null) {
      return false;
    }
    spare.add(chunk);
    bytes += chunk.bytes();
    if (isPowerOfTwo(size)) {
      smallBytes += size;
    }
    return true;
  }

  /**
   * Allocates an entry, whose parts {@link #node} and {@link #body} then return.
   *
   * @param bodyBytes size of the body, a multiple of eight
   * @return whether memory was available
   */
  boolean allocate(int bodyBytes) {
    int size = EntryNodeLayout.NODE_BYTES + bodyBytes;
    if (size > LARGE_BYTES) {
      return allocateLarge(size);
    }
    if (size > nodesBegin - bodiesEnd && !fillNext(size)) {
      return false;
    }
    promised -= Math.min(promised, size);
    nodesBegin -= EntryNodeLayout.NODE_BYTES;
    node = address(fillingChunk, nodesBegin);
    body = address(fillingChunk, bodiesEnd);
    bodiesEnd += bodyBytes;
    used += size;
    return true;
  }

  /**
   * Continues with another chunk of at least this many bytes: the largest empty one, or a new one.
   * Returns whether memory was available.
   */
  private boolean fillNext(int least) {
    int size = largestSpare();
    int chunk = addChunk(size < least ? growthBytes(least) : size);
    if (chunk < 0) {
      return false;
    }
    fillingChunk = chunk;
    bodiesEnd = 0;
    nodesBegin = chunks[chunk].bytes();
    return true;
  }

  /**
   * Allocates an index block in the range of the nodes. The size is a multiple of eight and far
   * below that of a chunk. The memory ensured for entries stays untouched.
   *
   * @return its address, or 0 if no memory was available
   */
  int allocateBlock(int size) {
    if (!ensureSmall(promised + size) || (size > nodesBegin - bodiesEnd && !fillNext(size))) {
      return 0;
    }
    nodesBegin -= size;
    used += size;
    return address(fillingChunk, nodesBegin);
  }

  /**
   * Allocates a chunk for a large entry, and returns whether memory was available. The node of the
   * entry comes first, because its body may extend beyond the last addressable position.
   */
  private boolean allocateLarge(int size) {
    int chunk = addChunk(chunkBytes(size));
    if (chunk < 0) {
      return false;
    }
    node = address(chunk, 0);
    body = address(chunk, EntryNodeLayout.NODE_BYTES);
    used += size;
    return true;
  }

  /** Returns the address of the node allocated last; never 0. */
  int node() {
    return node;
  }

  /** Returns the address of the body allocated last. */
  int body() {
    return body;
  }

  private static int address(int chunk, int p) {
    assert p % (1 << UNIT_SHIFT) == 0 && p < ChunkPool.CHUNK_BYTES : p;
    return chunk << PLACE_BITS | p >>> UNIT_SHIFT;
  }

  private int addChunk(int size) {
    int index = findSpare(size);
    if (index < 0) {
      if (!takeSpare(size)) {
        return -1;
      }
      index = spare.size() - 1;
    }
    Chunk chunk = spare.remove(index);
    if (chunkCount == chunks.length) {
      chunks = Arrays.copyOf(chunks, 2 * chunkCount);
      buffers = Arrays.copyOf(buffers, 2 * chunkCount);
    }
    chunks[chunkCount] = chunk;
    buffers[chunkCount] = chunk.buffer();
    return chunkCount++;
  }

  private int findSpare(int size) {
    for (int i = 0; i < spare.size(); i++) {
      if (spare.get(i).bytes() == size) {
        return i;
      }
    }
    return -1;
  }

  /** Counts the memory as kept by readers until it is freed. Called after the last allocation. */
  void keepForReaders() {
    keptForReaders = bytes;
    pool.keepForReaders(keptForReaders);
  }

  /** Gives all chunks back to the pool. No address may be resolved afterwards. */
  void free() {
    pool.keepForReaders(-keptForReaders);
    buffers = new ByteBuffer[0];
    for (int i = 0; i < chunkCount; i++) {
      pool.give(chunks[i]);
    }
    for (Chunk chunk : spare) {
      pool.give(chunk);
    }
    spare.clear();
    chunkCount = 0;
    bytes = 0;
  }
}
