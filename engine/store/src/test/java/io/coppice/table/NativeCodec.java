// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.table.block.BlockCodec;
import io.coppice.testing.Needs;

/** What tests do of Zstandard, which needs a native library, where that is not there. */
public final class NativeCodec {

  private static final String PROBLEM = BlockCodec.ZSTD.problem();

  private NativeCodec() {}

  /** Goes on only if Zstandard is there. */
  public static void needed() {
    Needs.that(PROBLEM == null, PROBLEM);
  }

  /** True if Zstandard is there. */
  public static boolean present() {
    return PROBLEM == null;
  }

  /** The codecs of a store, with LZ4 in the place of Zstandard if that is not there. */
  public static String orLz4(String codecs) {
    return PROBLEM == null ? codecs : codecs.replace("zstd", "lz4");
  }
}
