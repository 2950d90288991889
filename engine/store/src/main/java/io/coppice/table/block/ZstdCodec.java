// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.block;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Zstandard codec with pooled native states. Creating a state costs more than compressing a block,
 * so a thread takes one out of the pool while it uses it. The states are not charged to the memory
 * budget: about 100 KiB for each that decompresses, at most about 1.3 MiB for each that compresses.
 */
final class ZstdCodec implements CompressionCodec {

  /** The library's default level, a little slower and denser than its fastest. */
  private static final int LEVEL = 3;

  /** Number of pooled states for compression: enough for one flush and a few merges. */
  private static final int COMPRESSING = 4;

  private static final int RESTORING = 16;

  private final AtomicReferenceArray<ZstdCompressCtx> compressing =
      new AtomicReferenceArray<>(COMPRESSING);
  private final AtomicReferenceArray<ZstdDecompressCtx> restoring =
      new AtomicReferenceArray<>(RESTORING);

  /** Loads the native library, so that a missing one is detected here. */
  ZstdCodec() {
    putBack(restoring, new ZstdDecompressCtx());
  }

  @Override
  public int maxLength(int length) {
    return Math.toIntExact(Zstd.compressBound(length));
  }

  @Override
  public int compress(byte[] from, int offset, int length, byte[] to) {
    ZstdCompressCtx context = take(compressing);
    if (context == null) {
      context = new ZstdCompressCtx().setLevel(LEVEL).setChecksum(false).setContentSize(false);
    }
    try {
      return context.compressByteArray(to, 0, to.length, from, offset, length);
    } finally {
      putBack(compressing, context);
    }
  }

  @Override
  public int restore(byte[] from, int offset, int length, byte[] to, int toLength) {
    ZstdDecompressCtx context = take(restoring);
    if (context == null) {
      context = new ZstdDecompressCtx();
    }
    try {
      return context.decompressByteArray(to, 0, toLength, from, offset, length);
    } catch (ZstdException e) {
      return -1;
    } finally {
      putBack(restoring, context);
    }
  }

  /**
   * Takes a state out of a pool, searching from a position of the thread's own. Returns null if the
   * pool is empty.
   */
  private static <T> T take(AtomicReferenceArray<T> waiting) {
    int own = own();
    for (int i = 0; i < waiting.length(); i++) {
      int place = Math.floorMod(own + i, waiting.length());
      T found = waiting.get(place) == null ? null : waiting.getAndSet(place, null);
      if (found != null) {
        return found;
      }
    }
    return null;
  }

  private static <T extends AutoCloseable> void putBack(AtomicReferenceArray<T> waiting, T used) {
    int own = own();
    for (int i = 0; i < waiting.length(); i++) {
      if (waiting.compareAndSet(Math.floorMod(own + i, waiting.length()), null, used)) {
        return;
      }
    }
    close(used);
  }

  private static int own() {
    return (int) Thread.currentThread().getId();
  }

  @Override
  public void close() {
    closeAll(compressing);
    closeAll(restoring);
  }

  private static void closeAll(AtomicReferenceArray<? extends AutoCloseable> waiting) {
    for (int i = 0; i < waiting.length(); i++) {
      AutoCloseable held = waiting.getAndSet(i, null);
      if (held != null) {
        close(held);
      }
    }
  }

  private static void close(AutoCloseable context) {
    try {
      context.close();
    } catch (Exception e) {
      throw new IllegalStateException("native state could not be freed", e);
    }
  }
}
