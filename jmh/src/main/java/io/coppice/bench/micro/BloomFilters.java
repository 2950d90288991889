// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.micro;

import java.nio.ByteBuffer;
import java.util.function.LongPredicate;

/** Bloom filters with which benchmarks compare the engine's filters. */
final class BloomFilters {

  private static final long GOLDEN = 0x9E3779B97F4A7C15L;
  private static final int LINE_BYTES = 64;

  private BloomFilters() {}

  private static long mix(long hash) {
    long mixed = hash * GOLDEN;
    return mixed ^ (mixed >>> 32);
  }

  private static ByteBuffer direct(byte[] bits) {
    // The slice is cut to whole lines at both ends.
    ByteBuffer raw = ByteBuffer.allocateDirect(bits.length + 2 * LINE_BYTES);
    ByteBuffer lines = raw.alignedSlice(LINE_BYTES);
    lines.put(0, bits);
    return lines;
  }

  private static void set(byte[] bits, long bit) {
    // As bit n of a big-endian long lies.
    bits[(int) (bit >>> 3) ^ 7] |= (byte) (1 << (bit & 7));
  }

  /** Bloom filter that sets all bits of a key in one cache line. */
  record Blocked(ByteBuffer bits, int lines, int probes) implements LongPredicate {

    static Blocked of(long[] hashes, int bitsPerKey) {
      byte[] bits = bytes(hashes, bitsPerKey);
      return new Blocked(direct(bits), bits.length / LINE_BYTES, probes(bitsPerKey));
    }

    static byte[] bytes(long[] hashes, int bitsPerKey) {
      long wanted = (long) hashes.length * bitsPerKey;
      int lines = (int) ((wanted + 8 * LINE_BYTES - 1) / (8 * LINE_BYTES));
      byte[] bits = new byte[lines * LINE_BYTES];
      int probes = probes(bitsPerKey);
      for (long hash : hashes) {
        long h = mix(hash);
        long line = (((h >>> 32) * lines) >>> 32) * LINE_BYTES * 8;
        for (int i = 0; i < probes; i++) {
          h *= GOLDEN;
          set(bits, line + (h >>> 55));
        }
      }
      return bits;
    }

    private static int probes(int bitsPerKey) {
      return (int) Math.round(bitsPerKey * 0.6);
    }

    @Override
    public boolean test(long hash) {
      long h = mix(hash);
      int line = (int) (((h >>> 32) * lines) >>> 32) * LINE_BYTES;
      for (int i = 0; i < probes; i++) {
        h *= GOLDEN;
        int bit = (int) (h >>> 55);
        if ((bits.getLong(line + (bit >>> 6) * Long.BYTES) & 1L << bit) == 0) {
          return false;
        }
      }
      return true;
    }
  }

  /** Bloom filter that sets the bits of a key anywhere. */
  record Plain(ByteBuffer bits, long size, int probes) implements LongPredicate {

    static Plain of(long[] hashes, int bitsPerKey) {
      byte[] bits = bytes(hashes, bitsPerKey);
      return new Plain(direct(bits), bits.length * 8L, probes(bitsPerKey));
    }

    static byte[] bytes(long[] hashes, int bitsPerKey) {
      long words = ((long) hashes.length * bitsPerKey + Long.SIZE - 1) / Long.SIZE;
      byte[] bits = new byte[(int) words * Long.BYTES];
      int probes = probes(bitsPerKey);
      for (long hash : hashes) {
        long h = mix(hash);
        long step = h * GOLDEN | 1;
        for (int i = 0; i < probes; i++) {
          set(bits, Math.multiplyHigh(h >>> 1, bits.length * 16L));
          h += step;
        }
      }
      return bits;
    }

    private static int probes(int bitsPerKey) {
      return (int) Math.round(bitsPerKey * 0.69);
    }

    @Override
    public boolean test(long hash) {
      long h = mix(hash);
      long step = h * GOLDEN | 1;
      for (int i = 0; i < probes; i++) {
        long bit = Math.multiplyHigh(h >>> 1, size << 1);
        if ((bits.getLong((int) (bit >>> 6) * Long.BYTES) & 1L << bit) == 0) {
          return false;
        }
        h += step;
      }
      return true;
    }
  }
}
