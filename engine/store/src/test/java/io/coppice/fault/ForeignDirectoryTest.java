// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.coppice.Store;
import io.coppice.recovery.Repairer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A directory of somebody else's files is refused by name, and nothing is written there. */
class ForeignDirectoryTest {

  @TempDir Path directory;

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void aDirectoryOfOtherFilesIsRefused() throws IOException {
    Files.writeString(directory.resolve("passwd"), "root");
    Files.createDirectory(directory.resolve("apt"));
    Files.writeString(directory.resolve("12.tbl"), "not a table's name");
    List<String> before = names();
    assertThatThrownBy(() -> Store.open(directory))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("cannot open a store in " + directory + ": it is no store's")
        .hasMessageContaining("holds '12.tbl' and 2 more; name the directory of a store");
    assertThat(names()).isEqualTo(before);
  }

  @ParameterizedTest
  @ValueSource(strings = {"LOCK", "RESERVE", "CURRENT.new", "lost+found", "filters.slots"})
  void whatACrashOrAFileSystemLeavesIsNotForeign(String name) throws IOException {
    Files.createFile(directory.resolve(name));
    Store.open(directory).close();
    assertThat(names()).contains("CURRENT");
  }

  @Test
  void anEmptyDirectoryHoldsNoStoreToRead() throws IOException {
    assertThatThrownBy(() -> Store.openReadOnly(directory))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("cannot read a store in " + directory + ": it holds no store");
    assertThatThrownBy(() -> Store.verify(directory))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("cannot verify " + directory + ": it holds no store");
    assertThatThrownBy(() -> Repairer.repair(directory, share -> {}))
        .isInstanceOf(FileSystemException.class)
        .hasMessageContaining("it holds no store");
    assertThat(names()).isEmpty();
  }

  @Test
  void otherFilesBesideAStoreAreLeftAlone() throws IOException {
    Store.open(directory).close();
    Files.writeString(directory.resolve("notes"), "mine");
    Store.open(directory).close();
    assertThat(directory.resolve("notes")).hasContent("mine");
  }
}
