// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskFilesTest {

  private static final int MANY_LOOKS = 60;

  @TempDir private Path directory;

  private void write(String name, int bytes) throws IOException {
    Files.write(directory.resolve(name), new byte[bytes]);
  }

  @Test
  void filesThatComeGrowAndGoAreSeenAtOnce() throws IOException {
    DiskFiles files = new DiskFiles(directory);
    assertThat(files.bytes()).isZero();
    write("000001.tbl", 100);
    write("000002.log", 10);
    Files.createDirectory(directory.resolve("journal"));
    write("journal/000001", 1);
    assertThat(files.bytes()).isEqualTo(111);
    write("000001.tbl", 300);
    write("000002.log", 20);
    assertThat(files.bytes()).isEqualTo(321);
    for (int i = 0; i < MANY_LOOKS; i++) {
      assertThat(files.bytes()).isEqualTo(321);
    }
    write("000002.log", 30);
    write("journal/000001", 2);
    write("000003.sst", 1000);
    assertThat(files.bytes()).isEqualTo(1332);
    Files.delete(directory.resolve("000001.tbl"));
    assertThat(files.bytes()).isEqualTo(1032);
    write("000001.tbl", 5);
    assertThat(files.bytes()).as("a new file of an old name").isEqualTo(1037);
    assertThat(DiskFiles.bytes(directory)).isEqualTo(1037);
  }

  @Test
  void aTableThatHasHadItsSizeForLongIsNotAskedAgain() throws IOException {
    DiskFiles files = new DiskFiles(directory);
    write("000001.tbl", 100);
    for (int i = 0; i < MANY_LOOKS; i++) {
      files.bytes();
    }
    write("000001.tbl", 200);
    assertThat(files.bytes()).isEqualTo(100);
  }

  @Test
  void whereThereIsNoDirectoryThereIsNothing() {
    assertThat(DiskFiles.bytes(directory.resolve("none"))).isZero();
  }
}
