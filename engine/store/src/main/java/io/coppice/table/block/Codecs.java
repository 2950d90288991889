// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table.block;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.coppice.base.CorruptionException;

/** Codecs of one store, each opened on first use. Safe to share between threads. */
public final class Codecs implements AutoCloseable {

  @GuardedBy("this")
  private final CompressionCodec[] open = new CompressionCodec[BlockCodec.values().length];

  /**
   * Returns a codec other than {@link BlockCodec#NONE}, which stays owned by this object.
   *
   * @param why start of the message if its library is missing
   * @throws io.coppice.base.InvalidOptionsException if it is
   */
  public synchronized CompressionCodec get(BlockCodec codec, String why) {
    CompressionCodec found = open[codec.ordinal()];
    if (found == null) {
      found = codec.open(why);
      open[codec.ordinal()] = found;
    }
    return found;
  }

  /**
   * Checks that all blocks of a table can be decompressed, and opens the codecs that they need.
   *
   * @param mask bit set of the codec codes in use, as the table's properties record it
   * @param file name for messages
   * @param offset offset of the properties in the file, for messages
   * @throws CorruptionException if a code is unknown
   * @throws io.coppice.base.InvalidOptionsException if the library of a codec is missing
   */
  public void require(long mask, String file, long offset) {
    for (int code = 0; code < Long.SIZE; code++) {
      if ((mask >>> code & 1) == 0 || code == BlockLayout.PADDED) {
        continue;
      }
      BlockCodec codec = BlockCodec.of(code);
      if (codec == null) {
        throw new CorruptionException(file, offset, "unknown block codec " + code);
      }
      if (codec != BlockCodec.NONE) {
        get(codec, file + " has compressed blocks");
      }
    }
  }

  @Override
  public synchronized void close() {
    for (int i = 0; i < open.length; i++) {
      if (open[i] != null) {
        open[i].close();
        open[i] = null;
      }
    }
  }
}
