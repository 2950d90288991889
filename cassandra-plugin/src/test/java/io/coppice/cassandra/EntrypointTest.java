// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The entrypoint of the image as a plain process, with stand-ins for Cassandra's own entrypoint and
 * for Java. docker/test/entrypoint.bats has more cases.
 */
class EntrypointTest {

  private static final Path BASH = Path.of("/bin/bash");
  private static final Path SCRIPT = Path.of("../docker/coppice-entrypoint.sh").toAbsolutePath();

  /** How a process ended. */
  private record Ended(int code, String output) {}

  @TempDir private Path root;
  private Path lib;
  private Path plugin;

  @BeforeEach
  void standIns() throws IOException {
    assumeTrue(Files.isExecutable(BASH), "there is no bash");
    lib = Files.createDirectories(root.resolve("cassandra/lib"));
    Files.createFile(lib.resolve("apache-cassandra-5.0.9.jar"));
    plugin = Files.createFile(lib.resolve("coppice-cassandra-5.0-1.0.0.jar"));
    permit(plugin, "rw-r--r--");
    script("docker-entrypoint.sh", "echo \"handed over: $*\"");
    script("java", "echo 'openjdk version \"17.0.15\" 2025-04-15' >&2");
  }

  private void script(String name, String line) throws IOException {
    Path file = Files.createDirectories(root.resolve("bin")).resolve(name);
    Files.writeString(file, "#!/bin/sh\n" + line + "\n");
    permit(file, "rwxr-xr-x");
  }

  private static void permit(Path file, String permissions) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString(permissions));
  }

  private Ended run(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of(BASH.toString(), SCRIPT.toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("CASSANDRA_HOME", root.resolve("cassandra").toString());
    builder.environment().remove("JAVA_HOME");
    builder.environment().merge("PATH", "", (path, none) -> root.resolve("bin") + ":" + path);
    Process process = builder.start();
    process.getOutputStream().close();
    byte[] output = process.getInputStream().readAllBytes();
    return new Ended(process.waitFor(), new String(output, StandardCharsets.UTF_8).trim());
  }

  @Test
  void aNodeOfTheLineIsHandedOver() throws Exception {
    assertThat(run("cassandra", "-f")).isEqualTo(new Ended(0, "handed over: cassandra -f"));
    assertThat(Files.isExecutable(SCRIPT)).isTrue();
  }

  @Test
  void anotherLineIsRefusedByItsVersion() throws Exception {
    Files.move(
        lib.resolve("apache-cassandra-5.0.9.jar"), lib.resolve("apache-cassandra-4.1.7.jar"));
    Ended ended = run("cassandra", "-f");
    assertThat(ended.code()).isEqualTo(65);
    assertThat(ended.output()).contains("for Cassandra 5.0", "4.1.7");
  }

  @Test
  void aMissingOrUnreadablePluginIsRefused() throws Exception {
    permit(plugin, "rw-------");
    assertThat(run("cassandra", "-f").code()).isEqualTo(66);
    Files.delete(plugin);
    assertThat(run("-f").code()).isEqualTo(66);
    assertThat(run("nodetool", "status").output()).isEqualTo("handed over: nodetool status");
  }

  @Test
  void anOlderJavaIsRefused() throws Exception {
    script("java", "echo 'openjdk version \"11.0.23\" 2024-04-16' >&2");
    Ended ended = run("cassandra", "-f");
    assertThat(ended.code()).isEqualTo(67);
    assertThat(ended.output()).contains("Java 11");
  }
}
