// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import io.coppice.io.BlockReader;
import io.coppice.io.BlockReaderOptions;
import io.coppice.io.PassingDisk;
import io.coppice.io.block.RingProbe;
import io.coppice.io.disk.RealDisk;
import io.coppice.io.uring.AlignedMemory;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A disk of the file system that is made to believe that nothing of its tables is in memory. */
public class ColdDisk extends PassingDisk {

  private final List<RealFile> files = new CopyOnWriteArrayList<>();

  /** Passes on to a disk of the file system, which is closed with this one. */
  public ColdDisk(RealDisk disk) {
    super(disk);
  }

  /** True if blocks can be read through a ring here. */
  public static boolean ringWorks() {
    return RingProbe.ofProcess().reason == null;
  }

  /** From now on every block has to come from the device, as far as the disk can tell. */
  public void chill() {
    for (RealFile file : files) {
      PageResidency residency = file.residency();
      if (residency != null) {
        residency.forget();
      }
    }
  }

  /** True if a page of a table is believed to be in memory. */
  public boolean anyInMemory() {
    for (RealFile file : files) {
      for (long at = 0; at < file.length(); at += AlignedMemory.PAGE_BYTES) {
        if (file.likelyInMemory(at, 1)) {
          return true;
        }
      }
    }
    return false;
  }

  @Override
  public InputFile map(String name) throws IOException {
    InputFile file = disk.map(name);
    if (file instanceof RealFile real) {
      files.add(real);
    }
    return file;
  }

  @Override
  public BlockReader blockReader(BlockReaderOptions options) {
    return disk.blockReader(options);
  }
}
