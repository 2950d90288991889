// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.io;

import io.coppice.io.disk.RealDisk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Cuts logs that are mapped, so that their pages are lost as under a broken disk, and appends. Each
 * from a thread of its own: on JDK 17 the error may end a thread long after its access.
 */
public final class LostLogPageProbe {

  private static final int LOGS = 40;
  private static final int PAGE = 4096;

  /** So that the access is compiled in some logs and interpreted in others. */
  private static final int MAX_APPENDS = 20_000;

  private LostLogPageProbe() {}

  /** Prints how many appends to lost pages failed, and how many appends after them. */
  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    AtomicInteger failed = new AtomicInteger();
    AtomicInteger stayed = new AtomicInteger();
    boolean mapped = true;
    try (RealDisk disk = RealDisk.open(directory)) {
      for (int i = 0; i < LOGS; i++) {
        String name = FileKind.WAL.fileName(i);
        try (Disk.OutputFile file = disk.create(name)) {
          byte[] bytes = new byte[30 + 25 * i];
          bytes[bytes.length - 1] = 1;
          for (int n = 0; n <= i * MAX_APPENDS / LOGS / 10; n++) {
            file.write(bytes, 0, bytes.length);
          }
          Path path = directory.resolve(name);
          mapped &= Files.readString(Path.of("/proc/self/maps")).contains(path.toString());
          // All pages, or those from a place in the next piece on.
          long kept = i % 2 == 0 ? 0 : (file.position() + bytes.length - 1) / PAGE * PAGE;
          try (RandomAccessFile cut = new RandomAccessFile(path.toFile(), "rw")) {
            cut.setLength(kept);
          }
          Thread writer =
              new Thread(
                  () -> {
                    count(file, bytes, failed);
                    count(file, bytes, stayed);
                  });
          writer.setUncaughtExceptionHandler((thread, error) -> {});
          writer.start();
          writer.join();
        }
      }
    }
    System.out.printf(
        "%s, %s of %d failed, %s stay so%n",
        mapped ? "mapped" : "not mapped", failed, LOGS, stayed);
  }

  private static void count(Disk.OutputFile file, byte[] bytes, AtomicInteger failures) {
    try {
      file.write(bytes, 0, bytes.length);
    } catch (IOException | InternalError e) {
      failures.incrementAndGet();
    }
  }
}
