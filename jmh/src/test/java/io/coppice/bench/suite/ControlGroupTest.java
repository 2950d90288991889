// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Groups in directories that stand for those of the system. */
class ControlGroupTest {

  private static final String FIRST = "4:memory:/a/b\n2:cpu:/a\n0::/\n";
  private static final String SECOND = "0::/user/session\n";

  @TempDir private Path root;

  private Path directory(String name) throws IOException {
    return Files.createDirectories(root.resolve(name));
  }

  @Test
  void aGroupIsSoughtBelowThatOfTheProcessThenBesideItThenAtTheRoot() throws IOException {
    directory("memory/a/b");
    assertThat(ControlGroup.parents(root, FIRST))
        .containsExactly(
            root.resolve("memory/a/b"), root.resolve("memory/a"), root.resolve("memory"), root);
    directory("user/session");
    assertThat(ControlGroup.parents(root, SECOND))
        .containsExactly(root.resolve("user/session"), root.resolve("user"), root);
  }

  /** In a container the group of the process often is not mounted. */
  @Test
  void onlyGroupsThatAreMountedAreTried() throws IOException {
    directory("memory");
    assertThat(ControlGroup.parents(root, FIRST)).containsExactly(root.resolve("memory"), root);
    assertThat(ControlGroup.parents(root, "no line of groups")).isEmpty();
  }

  @Test
  void aDirectoryWithoutALimitIsNoGroupAndStaysAsItWas() throws IOException {
    directory("memory");
    assertThatThrownBy(() -> ControlGroup.create(root, FIRST, "g", 1))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(root.resolve("memory").toString());
    assertThat(root.resolve("memory/g")).doesNotExist();
    assertThat(root.resolve("g")).doesNotExist();
    assertThatThrownBy(() -> ControlGroup.create(root, "", "g", 1))
        .hasMessageContaining("has no groups");
  }

  @Test
  void aCommandJoinsTheGroupBeforeItBegins() throws Exception {
    Path group = directory("g");
    Path members = Files.createFile(group.resolve("cgroup.procs"));
    List<String> command = new ArrayList<>(ControlGroup.launcher(group));
    command.addAll(List.of("sh", "-c", "exit $((1 + $1))", "sh", "6"));
    Process process = new ProcessBuilder(command).inheritIO().start();
    assertThat(process.waitFor()).isEqualTo(7);
    assertThat(Files.readString(members).strip()).isEqualTo(Long.toString(process.pid()));
  }
}
