// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.table.block.BlockCodec;
import org.junit.jupiter.api.BeforeAll;

/** As for plain blocks, with blocks compressed by Zstandard. */
class ZstdDamageTest extends TableDamageTest {

  @BeforeAll
  static void needsTheLibrary() {
    NativeCodec.needed();
  }

  @Override
  BlockCodec codec() {
    return BlockCodec.ZSTD;
  }
}
