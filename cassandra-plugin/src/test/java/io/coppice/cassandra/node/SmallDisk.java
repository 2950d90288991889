// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra.node;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.cassandra.db.ColumnFamilyStore;
import org.junit.jupiter.api.Assumptions;

/**
 * A small file system in memory, mounted over the directory of an empty table. That takes root on
 * Linux; elsewhere the test that wants it is skipped, and says so.
 */
public final class SmallDisk implements AutoCloseable {

  private static final String BALLAST = "ballast";

  private final Path directory;
  private final Path ballast;

  private SmallDisk(Path directory) {
    this.directory = directory;
    this.ballast = directory.resolve(BALLAST);
  }

  /** Mounts one over a table that has no SSTable yet; skips the test where that cannot be. */
  public static SmallDisk under(ColumnFamilyStore table, long bytes) throws IOException {
    Optional<SmallDisk> disk = mounted(table, bytes);
    Assumptions.assumeTrue(disk.isPresent(), "a tmpfs can be mounted");
    return disk.get();
  }

  /** The same, in a process that runs no tests: empty where it cannot be mounted. */
  public static Optional<SmallDisk> mounted(ColumnFamilyStore table, long bytes)
      throws IOException {
    Path directory = table.getDirectories().getCFDirectories().get(0).toPath();
    if (run("mount", "-t", "tmpfs", "-o", "size=" + bytes, "tmpfs", directory.toString())) {
      return Optional.of(new SmallDisk(directory));
    }
    System.out.println("SKIPPED: a test with a small disk needs root on Linux, to mount a tmpfs");
    return Optional.empty();
  }

  /** Fills it until no more than so many bytes are free. */
  public void leave(long bytes) throws IOException {
    Files.deleteIfExists(ballast);
    long fill = Files.getFileStore(directory).getUsableSpace() - bytes;
    byte[] block = new byte[1 << 16];
    try (var out = Files.newOutputStream(ballast)) {
      for (long left = fill; left > 0; left -= block.length) {
        out.write(block, 0, (int) Math.min(left, block.length));
      }
    }
  }

  /** Takes all that is free, whatever else is written meanwhile. */
  public void fill() {
    byte[] block = new byte[1 << 12];
    try (var out =
        Files.newOutputStream(ballast, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
      while (true) {
        out.write(block);
      }
    } catch (IOException full) {
      // As it is to be.
    }
  }

  /** Lets all that was taken be free again, on a disk that another process mounted. */
  public static void empty(Path directory) throws IOException {
    Files.deleteIfExists(directory.resolve(BALLAST));
  }

  /** Unmounts a disk that another process has mounted, if one is there. */
  public static void unmount(Path directory) throws IOException {
    // Lazily, as the last readers may not be closed yet.
    run("umount", "-l", directory.toString());
  }

  @Override
  public void close() throws IOException {
    unmount(directory);
  }

  private static boolean run(String... command) throws IOException {
    try {
      Process process = new ProcessBuilder(List.of(command)).inheritIO().start();
      return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      // There is no such command here.
      return false;
    } catch (InterruptedException e) {
      throw new IOException(e);
    }
  }
}
