// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.memtable;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Range of direct memory, aligned to eight bytes. The code that takes it from {@link ChunkPool}
 * frees it once.
 */
final class Chunk {

  private static final byte[] POISON = new byte[16 << 10];

  static {
    Arrays.fill(POISON, (byte) 0xDB);
  }

  private final ByteBuffer buffer;
  private final Runnable free;

  Chunk(ByteBuf memory) {
    this(memory.nioBuffer(0, memory.capacity()), memory::release);
  }

  /**
   * Wraps a range of aligned memory.
   *
   * @param free releases the memory; run once
   * @throws IllegalStateException if the memory is not aligned; it was freed
   */
  Chunk(ByteBuffer buffer, Runnable free) {
    this.buffer = buffer;
    this.free = free;
    if (buffer.alignmentOffset(0, Long.BYTES) != 0) {
      free.run();
      throw new IllegalStateException("direct memory is not aligned to eight bytes");
    }
  }

  /** Returns the whole memory, big-endian, at position 0. */
  ByteBuffer buffer() {
    return buffer;
  }

  int bytes() {
    return buffer.capacity();
  }

  /**
   * Overwrites the whole chunk, so that a read after the release fails visibly. Returns true, for
   * use in assertions.
   */
  boolean poison() {
    for (int i = 0; i < buffer.capacity(); i += POISON.length) {
      buffer.put(i, POISON, 0, Math.min(POISON.length, buffer.capacity() - i));
    }
    return true;
  }

  void free() {
    free.run();
  }
}
