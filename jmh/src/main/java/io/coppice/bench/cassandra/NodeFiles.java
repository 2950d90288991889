// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import com.google.common.io.Resources;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

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
   * Writes the settings of a node and gives the logs of earlier starts other names. Alone, no size
   * may make one strategy's flushes differ. In a cluster all is small and has long timeouts.
   *
   * @param own file of the settings that the two do not share
   * @throws IOException if a file cannot be written or renamed
   */
  void write(Seat seat, String own) throws IOException {
    moveEarlierLogs();
    String place =
        text("place.yaml")
            .formatted(
                Math.max(1, seat.tokens().size()),
                seat.tokenText(),
                seat.replaces(),
                seat.seed(),
                seat.address(),
                seat.cql(),
                seat.storage());
    Files.writeString(yaml(), text("common.yaml").formatted(root) + place + text(own));
    Files.writeString(logback(), text("logback.xml").formatted(log()));
    Files.writeString(toolLogback(), text("logback-tools.xml"));
  }

  /** Gives the logs of earlier starts numbered names. */
  private void moveEarlierLogs() throws IOException {
    Files.createDirectories(root);
    for (int start = 1; Files.exists(log()); start++) {
      Path earlier = root.resolve("system." + start + ".log");
      if (!Files.exists(earlier)) {
        Files.move(log(), earlier);
      }
    }
  }

  /** Returns the options of a file, a line each, with values in their places. */
  static List<String> options(String resource, Object... values) {
    return text(resource).formatted(values).lines().filter(line -> !line.startsWith("#")).toList();
  }

  private static String text(String resource) {
    try {
      return Resources.toString(
          Resources.getResource(NodeFiles.class, resource), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + resource, e);
    }
  }
}
