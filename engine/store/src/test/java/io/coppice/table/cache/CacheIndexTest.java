// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.cache;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import org.junit.jupiter.api.Test;

class CacheIndexTest {

  private static final int BUCKETS = 16;

  @Test
  void whatWasInItsMemoryLeadsNowhere() {
    ByteBuffer memory = ByteBuffer.allocateDirect(2 * CacheIndex.bytes(BUCKETS)).alignedSlice(64);
    byte[] old = new byte[memory.capacity()];
    new Random(1).nextBytes(old);
    memory.put(0, old);
    CacheIndex index = new CacheIndex(memory.order(ByteOrder.BIG_ENDIAN), BUCKETS);
    for (int at = 0; at < CacheIndex.bytes(BUCKETS); at += Long.BYTES) {
      assertThat(index.entry(at)).isZero();
    }
  }
}
