// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

import io.coppice.bench.suite.Directories;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Meter of a store's disk usage while the store works. Tables are numerous and written once. A
 * table whose size was constant in some samples is therefore not measured again, because measuring
 * ten thousand tables ten times per second would take a third of a processor. Used by one thread.
 */
public final class DiskFiles {

  /** File name suffixes of tables in stores that never change a table. */
  private static final List<String> TABLES = List.of(".tbl", ".sst", ".ldb");

  /** Number of samples with the same size after which a table is final: five seconds. */
  private static final int SAMPLES = 50;

  private record Seen(long bytes, int samples) {}

  private final Path directory;
  private Map<Path, Seen> known = Map.of();

  /** Creates a meter of a directory that has no samples yet. */
  public DiskFiles(Path directory) {
    this.directory = directory;
  }

  /** Returns the current bytes of all files; files that vanish during the call count 0. */
  public long bytes() {
    Map<Path, Seen> now = new HashMap<>();
    long sum = sum(directory, now);
    known = now;
    return sum;
  }

  /** Returns the current bytes of all files in a directory, from a single sample. */
  public static long bytes(Path directory) {
    return new DiskFiles(directory).bytes();
  }

  private long sum(Path folder, Map<Path, Seen> now) {
    long sum = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        Seen before = known.get(file);
        if (before != null && before.samples == SAMPLES) {
          now.put(file, before);
          sum += before.bytes;
        } else if (isTable(file)) {
          long bytes = Directories.size(file);
          boolean same = before != null && before.bytes == bytes;
          now.put(file, new Seen(bytes, same ? before.samples + 1 : 0));
          sum += bytes;
        } else {
          sum += Files.isDirectory(file) ? sum(file, now) : Directories.size(file);
        }
      }
    } catch (NoSuchFileException gone) {
      return sum;
    } catch (DirectoryIteratorException e) {
      throw new UncheckedIOException("cannot look at " + folder, e.getCause());
    } catch (IOException e) {
      throw new UncheckedIOException("cannot look at " + folder, e);
    }
    return sum;
  }

  private static boolean isTable(Path file) {
    String name = file.getFileName().toString();
    return TABLES.stream().anyMatch(name::endsWith);
  }
}
