// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io.file;

import io.coppice.base.bytes.Checksum;
import io.coppice.io.Disk;
import io.coppice.io.disk.RealDisk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Cuts a file that is mapped, so that its pages are lost as under a broken disk, and reads on. The
 * reads come from threads of their own: on JDK 17 the error may end a thread long after its read.
 */
public final class LostPageProbe {

  private static final int BLOCK_BYTES = 4096;
  private static final int BLOCKS = 64;
  private static final int THREADS = 20;

  private LostPageProbe() {}

  /** Prints how many reads of lost pages passed the checksum. */
  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    try (RealDisk disk = RealDisk.open(directory)) {
      byte[] bytes = new byte[BLOCKS * BLOCK_BYTES];
      new Random(1).nextBytes(bytes);
      try (Disk.OutputFile file = disk.create("f")) {
        file.write(bytes, 0, bytes.length);
      }
      Disk.InputFile file = disk.map("f");
      try (RandomAccessFile cut = new RandomAccessFile(directory.resolve("f").toFile(), "rw")) {
        cut.setLength(BLOCK_BYTES);
      }
      AtomicInteger accepted = new AtomicInteger();
      for (int i = 0; i < THREADS; i++) {
        Thread reader = new Thread(() -> readAll(file, bytes, accepted));
        reader.setUncaughtExceptionHandler((thread, error) -> {});
        reader.start();
        reader.join();
      }
      String mapped = file instanceof MappedFile ? "mapped" : "not mapped";
      System.out.println(mapped + ", accepted " + accepted);
      file.close();
    }
  }

  private static void readAll(Disk.InputFile file, byte[] bytes, AtomicInteger accepted) {
    byte[] found = new byte[BLOCK_BYTES];
    for (int block = 1; block < BLOCKS; block++) {
      int offset = block * BLOCK_BYTES;
      try {
        file.read(offset, found, 0, BLOCK_BYTES);
        int sum = Checksum.of(1, offset, bytes, offset, BLOCK_BYTES);
        if (Checksum.of(1, offset, found, 0, BLOCK_BYTES) == sum) {
          accepted.incrementAndGet();
        }
      } catch (IOException e) {
        continue;
      }
    }
  }
}
