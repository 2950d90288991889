// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.base.MemoryBudget;
import io.coppice.base.SearchScheme;
import io.coppice.io.BlockReader;
import io.coppice.io.BlockReaderOptions;
import io.coppice.io.Disk;
import io.coppice.io.MemDisk;
import io.coppice.io.ShuffledDisk;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Blocks that a search by a scheme reads; {@code ForestLookupTest} holds the same of lookups. */
class BlockReadBenchmarkTest {

  private static final int BLOCKS = 20;
  private static final int BYTES = 512;
  private static final int WIDTH = LookupContext.DEFAULT_WIDTH;

  private final Disk.InputFile[] files = new Disk.InputFile[BLOCKS];
  private final long[] offsets = new long[BLOCKS];
  private ShuffledDisk disk;
  private BlockReader reader;

  @BeforeEach
  void open() throws IOException {
    MemDisk memory = new MemDisk();
    try (Disk.OutputFile file = memory.create("f")) {
      file.write(new byte[BLOCKS * BYTES], 0, BLOCKS * BYTES);
    }
    disk = new ShuffledDisk(memory, 7, 100);
    reader = disk.blockReader(new BlockReaderOptions("auto", false, MemoryBudget.ofMebibytes(1)));
    Arrays.fill(files, disk.map("f"));
    Arrays.setAll(offsets, block -> (long) block * BYTES);
  }

  @AfterEach
  void close() throws IOException {
    reader.close();
  }

  private int asked(SearchScheme scheme, int hit) throws IOException {
    try (BlockReadBenchmark.Client client = new BlockReadBenchmark(scheme, reader).client()) {
      return client.search(files, offsets, BYTES, BLOCKS, hit);
    }
  }

  @Test
  void asManyAreAskedForAsAnEnginesLookupWould() throws IOException {
    for (int hit = 0; hit <= BLOCKS; hit++) {
      int moves = WIDTH / 2;
      assertThat(asked(SearchScheme.SERIAL, hit)).isEqualTo(Math.min(BLOCKS, hit + 1));
      assertThat(asked(SearchScheme.FIXED_COUNT, hit))
          .as("fixed count, hit in %d", hit)
          .isEqualTo(Math.min(BLOCKS, WIDTH + hit / moves * moves));
      int stage = ParallelSearch.STAGE_READS;
      assertThat(asked(SearchScheme.PRIORITY_AWARE, hit))
          .as("priority aware, hit in %d", hit)
          .isEqualTo(Math.min(BLOCKS, stage * (hit / stage + 1)));
      assertThat(asked(SearchScheme.ADAPTIVE, hit)).isBetween(Math.min(BLOCKS, hit + 1), BLOCKS);
    }
  }

  @Test
  void theAdaptiveOneLearnsWhatPays() throws IOException {
    BlockReadBenchmark search = new BlockReadBenchmark(SearchScheme.ADAPTIVE, reader);
    try (BlockReadBenchmark.Client client = search.client()) {
      for (int i = 0; i < 200; i++) {
        client.search(files, offsets, BYTES, BLOCKS, 0);
      }
      assertThat(client.search(files, offsets, BYTES, BLOCKS, 0)).isEqualTo(1);
      for (int i = 0; i < 500; i++) {
        client.search(files, offsets, BYTES, BLOCKS, BLOCKS);
      }
      assertThat(client.search(files, offsets, BYTES, BLOCKS, 0)).isEqualTo(BLOCKS);
    }
  }

  @Test
  void aBlockThatCannotBeReadFailsASearchThatNeedsIt() throws IOException {
    disk.fail((name, offset) -> offset == 7L * BYTES);
    for (SearchScheme scheme : SearchScheme.values()) {
      assertThat(asked(scheme, 6)).isGreaterThanOrEqualTo(7);
      assertThatThrownBy(() -> asked(scheme, 7)).isInstanceOf(IOException.class);
    }
  }
}
