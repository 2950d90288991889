// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeLibraryTest {

  @TempDir Path directory;

  private Path jar(Map<String, String> entries) throws IOException {
    Path file = directory.resolve("bench.jar");
    try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(file))) {
      for (Map.Entry<String, String> entry : new TreeMap<>(entries).entrySet()) {
        JarEntry added = new JarEntry(entry.getKey());
        added.setTime(0);
        jar.putNextEntry(added);
        jar.write(entry.getValue().getBytes());
        jar.closeEntry();
      }
    }
    return file;
  }

  @Test
  void theDirectoryHoldsExactlyTheNestedJars() throws Exception {
    Path target = Files.createDirectory(directory.resolve("lib"));
    Files.writeString(target.resolve("old-1.jar"), "left by an older build");
    Path bench = jar(Map.of("node-lib/b.jar", "b", "node-lib/a.jar", "a", "io/X.class", "x"));
    assertThat(NodeLibrary.unpack(bench, target))
        .containsExactly(target.resolve("a.jar"), target.resolve("b.jar"));
    assertThat(target).isDirectoryNotContaining("glob:**/old-1.jar");
    assertThat(target.resolve("a.jar")).hasContent("a");
  }

  @Test
  void aChangedJarOfTheSameSizeAndTimeIsReplaced() throws Exception {
    Path target = directory.resolve("lib");
    NodeLibrary.unpack(jar(Map.of("node-lib/a.jar", "old")), target);
    NodeLibrary.unpack(jar(Map.of("node-lib/a.jar", "new")), target);
    assertThat(target.resolve("a.jar")).hasContent("new");
  }

  @Test
  void namesDoNotLeaveTheDirectory() throws Exception {
    Path target = directory.resolve("lib");
    Path bench = jar(Map.of("node-lib/../x.jar", "x", "node-lib/a.jar", "a"));
    assertThat(NodeLibrary.unpack(bench, target)).containsExactly(target.resolve("a.jar"));
    assertThat(directory.resolve("x.jar")).doesNotExist();
  }

  @Test
  void aJarWithoutANodeIsRefusedReadably() throws Exception {
    Path bench = jar(Map.of("io/X.class", "x"));
    assertThatThrownBy(() -> NodeLibrary.unpack(bench, directory.resolve("lib")))
        .isInstanceOf(EnvironmentException.class)
        .hasMessageContaining("holds no node");
  }
}
