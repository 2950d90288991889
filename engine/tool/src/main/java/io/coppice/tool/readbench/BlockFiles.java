// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool.readbench;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The large files of a directory as one sequence of blocks, for uniform random draws. */
final class BlockFiles {

  static final int BLOCK_BYTES = 4096;

  /**
   * Least size of a large file, in bytes. Logs and manifests are smaller and are not read at
   * random.
   */
  static final long MIN_BYTES = 1 << 20;

  private final List<Path> files = new ArrayList<>();

  /** The number of each file's first block, followed by the number of all blocks. */
  private final long[] firsts;

  private BlockFiles(List<Path> found) throws IOException {
    firsts = new long[found.size() + 1];
    for (Path file : found) {
      files.add(file);
      firsts[files.size()] = firsts[files.size() - 1] + Files.size(file) / BLOCK_BYTES;
    }
  }

  /**
   * Returns the large files of a directory, ordered by name; subdirectories are ignored.
   *
   * @throws IOException if the directory cannot be read
   */
  static BlockFiles in(Path directory) throws IOException {
    List<Path> found = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        if (Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS)
            && Files.size(entry) >= MIN_BYTES) {
          found.add(entry);
        }
      }
    }
    found.sort(null);
    return new BlockFiles(found);
  }

  List<Path> files() {
    return files;
  }

  long blocks() {
    return firsts[files.size()];
  }

  /**
   * Returns the bytes of all blocks; the rest of a file beyond its last whole block does not count.
   */
  long bytes() {
    return blocks() * BLOCK_BYTES;
  }

  /**
   * Draws blocks with uniform probability. For block i, the arrays receive the index of its file
   * and the offset in bytes.
   */
  void draw(Random random, int count, int[] file, long[] offset) {
    for (int i = 0; i < count; i++) {
      long block = (long) (random.nextDouble() * blocks());
      int low = 0;
      int high = files.size() - 1;
      while (low < high) {
        int middle = (low + high + 1) >>> 1;
        if (firsts[middle] <= block) {
          low = middle;
        } else {
          high = middle - 1;
        }
      }
      file[i] = low;
      offset[i] = (block - firsts[low]) * BLOCK_BYTES;
    }
  }
}
