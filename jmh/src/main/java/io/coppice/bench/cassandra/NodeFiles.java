// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Directory of one node: its settings, logs and data. A single node is measured and has the same
 * settings for every strategy: two compactors, memtables too large to flush by themselves, throttle
 * and caches off. A node of a cluster has small settings and Cassandra's own throttle and hints.
 *
 * @param root the directory
 */
record NodeFiles(Path root) {

  Path yaml() {
    return root.resolve("cassandra.yaml");
  }

  Path logback() {
    return root.resolve("logback.xml");
  }

  /** Returns the log settings of nodetool, as in Cassandra's own settings for tools. */
  Path toolLogback() {
    return root.resolve("logback-tools.xml");
  }

  Path log() {
    return root.resolve("system.log");
  }

  /** Returns the file with the output of the process. */
  Path output() {
    return root.resolve("output.log");
  }

  /**
   * Writes the settings of a single node. All sizes are fixed, so every strategy gets the same
   * flushes.
   */
  void write(NodePorts ports) throws IOException {
    String loopback = "127.0.0.1";
    String place =
        text("place.yaml")
            .formatted(1, "", false, loopback, loopback, ports.cql(), ports.storage());
    write(place + text("measured.yaml"));
  }

  /**
   * Writes the settings of a node in a cluster: small memory and few threads, and long timeouts.
   */
  void write(NodePorts ports, Seat seat) throws IOException {
    String place =
        text("place.yaml")
            .formatted(
                seat.tokens().size(),
                seat.replaces() ? "" : seat.tokenText(),
                seat.replaces(),
                seat.seed(),
                seat.address(),
                ports.cql(),
                ports.storage());
    write(place + text("small.yaml"));
  }

  /**
   * Writes the configuration files, and renames the logs of earlier starts to numbered names.
   *
   * @param own settings to add to the common ones, as YAML
   */
  private void write(String own) throws IOException {
    Files.createDirectories(root);
    for (int start = 1; Files.exists(log()); start++) {
      Path earlier = root.resolve("system." + start + ".log");
      if (!Files.exists(earlier)) {
        Files.move(log(), earlier);
      }
    }
    Files.writeString(yaml(), text("common.yaml").formatted(root) + own);
    Files.writeString(logback(), text("logback.xml").formatted(log()));
    Files.writeString(toolLogback(), text("logback-tools.xml"));
  }

  private static String text(String resource) throws IOException {
    try (InputStream in = NodeFiles.class.getResourceAsStream(resource)) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
