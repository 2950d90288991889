// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

import io.coppice.table.block.BlockCodec;

/** As for plain blocks, with blocks compressed by LZ4. */
class Lz4DamageTest extends TableDamageTest {
  @Override
  BlockCodec codec() {
    return BlockCodec.LZ4;
  }
}
