// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.read;

import com.google.common.io.ByteStreams;
import io.coppice.bench.suite.Directories;
import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Queries and changes of the page cache, about the table files in a directory. */
final class TablePageCache {

  private static final int PAGE_BYTES = 4096;

  /** Distance between two sampled pages, in pages. */
  private static final int STRIDE = 16;

  /**
   * Shell command that evicts files: {@code dd} without copying tells the system that the file is
   * not needed in memory.
   */
  private static final String EVICT =
      "for f in \"$@\"; do dd if=\"$f\" iflag=nocache count=0 status=none || exit 1; done";

  /** Glob for the table files of Coppice and RocksDB. */
  static final String TABLES = "*.{tbl,sst}";

  private TablePageCache() {}

  /**
   * Evicts the table files of a directory from the page cache, except mapped ones.
   *
   * @throws IOException if this system cannot evict files
   */
  static void evict(Path directory) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("sh", "-c", EVICT, "evict"));
    Directories.files(directory, TABLES).forEach(table -> command.add(table.toString()));
    Process dd = new ProcessBuilder(command).inheritIO().start();
    int code = dd.waitFor();
    if (code != 0) {
      throw new IOException("dd cannot drop files from the page cache, code " + code);
    }
  }

  /** Reads all table files, which loads them into the page cache if it has room. */
  static void load(Path directory) throws IOException {
    for (Path table : Directories.files(directory, TABLES)) {
      try (var in = Files.newInputStream(table)) {
        ByteStreams.exhaust(in);
      }
    }
  }

  /**
   * Returns the share of the tables' bytes in the page cache, from 0 to 1, estimated from a sample
   * of pages; 0 without tables.
   *
   * @throws IOException if a table cannot be opened
   */
  static double share(Path directory) throws IOException {
    long held = 0;
    long seen = 0;
    for (Path table : Directories.files(directory, TABLES)) {
      try (FileChannel file = FileChannel.open(table)) {
        MappedByteBuffer pages = file.map(FileChannel.MapMode.READ_ONLY, 0, file.size());
        for (int at = 0; at + PAGE_BYTES <= pages.capacity(); at += STRIDE * PAGE_BYTES) {
          held += pages.slice(at, PAGE_BYTES).isLoaded() ? 1 : 0;
          seen++;
        }
      }
    }
    return seen == 0 ? 0 : (double) held / seen;
  }
}
