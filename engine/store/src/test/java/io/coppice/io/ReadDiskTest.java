// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.io.disk.RealDisk;
import io.coppice.io.file.MappingBudget;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

/** The contract on files without mappings. */
class ReadDiskTest extends DiskContract {

  @TempDir private Path directory;

  @Override
  public Disk newDisk() throws IOException {
    return RealDisk.open(directory.resolve("store"), ReadMode.READ, MappingBudget.of(0));
  }
}
