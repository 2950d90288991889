// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.base.MemoryBudget;
import io.coppice.io.disk.RealDisk;
import java.nio.file.Path;
import java.util.Arrays;

/** A process that reads until it is known what reads, and says so. */
public final class RingProbeProcess {

  private RingProbeProcess() {}

  public static void main(String[] arguments) throws Exception {
    byte[] bytes = new byte[100_000];
    Arrays.fill(bytes, (byte) 7);
    try (RealDisk disk = RealDisk.open(Path.of(arguments[0], "store"))) {
      try (Disk.OutputFile file = disk.create("f")) {
        file.write(bytes, 0, bytes.length);
      }
      MemoryBudget memory = MemoryBudget.ofMebibytes(16);
      try (Disk.InputFile file = disk.map("f");
          BlockReader reader = disk.blockReader(new BlockReaderOptions("auto", false, memory));
          ReadBatch batch = reader.newBatch()) {
        while (reader.describe().contains("untried")) {
          read(batch, file);
        }
        read(batch, file);
        System.out.println(reader.describe());
        System.out.println("read");
      }
    }
  }

  private static void read(ReadBatch batch, Disk.InputFile file) throws Exception {
    batch.add(file, 4_000, 5_000);
    batch.add(file, 40_000, 5_000);
    batch.submit();
    byte[] found = new byte[5_000];
    for (int i = 0; i < 2; i++) {
      batch.await(1L << i);
      batch.take(i, found, 0);
      if (found[0] != 7 || found[4_999] != 7) {
        throw new AssertionError("read " + i + " is wrong");
      }
    }
    batch.clear();
  }
}
