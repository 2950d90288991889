// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.InvalidOptionsException;
import java.util.List;

/**
 * Chooses what reads the blocks of a disk of real files: the first that works, or the one named.
 */
final class BlockReaders {

  private BlockReaders() {}

  /**
   * The kind asked for, or the first of ring and pool that works here.
   *
   * @throws InvalidOptionsException if the kind asked for does not work
   */
  static BlockReader open(BlockReaderOptions options) {
    return switch (options.kind()) {
      case "auto" -> RingProbe.ofProcess().reason == null ? ring(options) : pool(options);
      case "ring" -> {
        String reason = RingProbe.ofProcess().reason;
        if (reason != null) {
          throw invalid("reader (ring) does not work here: " + reason);
        }
        yield ring(options);
      }
      case "pool" -> pool(options);
      case "serial" -> new SerialReader();
      default ->
          throw invalid(
              "reader ("
                  + options.kind()
                  + ") must be one of "
                  + String.join(", ", BlockReaderOptions.KINDS));
    };
  }

  /** What would have been taken first and why it was not, for the line that tells of the choice. */
  static String skipped(BlockReaderOptions options) {
    if (!options.kind().equals("auto")) {
      return " skipped=others:not-asked";
    }
    String reason = RingProbe.ofProcess().reason;
    return reason == null ? "" : " skipped=ring:" + reason;
  }

  private static InvalidOptionsException invalid(String error) {
    return new InvalidOptionsException(List.of(error));
  }

  private static BlockReader ring(BlockReaderOptions options) {
    return new RingReader(options.memory(), options.direct(), RingProbe.ofProcess().rings);
  }

  private static BlockReader pool(BlockReaderOptions options) {
    return new PoolReader(options.memory(), options.direct());
  }
}
