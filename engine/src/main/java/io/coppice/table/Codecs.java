// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.base.CorruptionException;

/**
 * The codecs that one store uses, each opened when it is first needed. Safe to share between
 * threads.
 */
final class Codecs implements AutoCloseable {

  private final CodecBytes[] open = new CodecBytes[BlockCodec.values().length];

  /** The means of a codec other than {@link BlockCodec#NONE}. */
  synchronized CodecBytes get(BlockCodec codec, String why) {
    CodecBytes found = open[codec.ordinal()];
    if (found == null) {
      found = codec.open(why);
      open[codec.ordinal()] = found;
    }
    return found;
  }

  /**
   * Makes sure that all blocks of a table can be read.
   *
   * @param mask the bit of each code in use, as the table tells
   * @throws CorruptionException if one is unknown
   * @throws io.coppice.base.InvalidOptionsException if the library of one is missing
   */
  void require(long mask, String file, long offset) {
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
