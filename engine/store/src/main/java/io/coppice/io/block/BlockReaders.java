// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.block;

import io.coppice.base.InvalidOptionsException;
import io.coppice.base.MemoryBudget;
import io.coppice.io.BlockReader;
import io.coppice.io.BlockReaderOptions;
import io.coppice.io.SerialReader;
import java.util.List;
import java.util.function.Consumer;

/**
 * Factory of the block reader of a disk of real files: the requested kind, or the first that works.
 */
public final class BlockReaders {

  private BlockReaders() {}

  /**
   * Opens the requested kind. For {@code auto}, a pool reads at first, and rings replace it once
   * they are known to work.
   *
   * @param announce receives the reader's description once it is certain, possibly later and in
   *     another thread
   * @throws InvalidOptionsException if the requested kind is unknown or does not work
   */
  public static BlockReader open(BlockReaderOptions options, Consumer<String> announce) {
    MemoryBudget memory = options.memory();
    boolean direct = options.direct();
    if (options.kind().equals("auto")) {
      return new AutoReader(memory, direct, RingProbe::ofProcess, announce);
    }
    BlockReader reader =
        switch (options.kind()) {
          case "ring" -> ring(memory, direct, RingProbe.ofProcess());
          case "pool" -> new PoolReader(memory, direct);
          case "serial" -> new SerialReader();
          default ->
              throw invalid(
                  "reader ("
                      + options.kind()
                      + ") must be one of "
                      + String.join(", ", BlockReaderOptions.KINDS));
        };
    announce.accept(reader.describe() + " skipped=others:not-asked");
    return reader;
  }

  private static BlockReader ring(MemoryBudget memory, boolean direct, RingProbe probe) {
    if (probe.reason != null) {
      throw invalid("reader (ring) does not work here: " + probe.reason);
    }
    return new RingReader(memory, direct, probe.rings, RingReader.LATE_NANOS);
  }

  private static InvalidOptionsException invalid(String error) {
    return new InvalidOptionsException(List.of(error));
  }
}
