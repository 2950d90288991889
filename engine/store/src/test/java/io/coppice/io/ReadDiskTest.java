// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The contract on files without mappings. */
class ReadDiskTest extends DiskContract {

  @TempDir private Path directory;

  @Override
  Disk newDisk() throws IOException {
    return RealDisk.open(directory.resolve("store"), ReadMode.READ, MappingBudget.of(0));
  }
}
