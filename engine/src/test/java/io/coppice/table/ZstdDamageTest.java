// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.table;

/** As for plain blocks, with blocks compressed by Zstandard. */
class ZstdDamageTest extends TableDamageTest {
  @Override
  BlockCodec codec() {
    return BlockCodec.ZSTD;
  }
}
