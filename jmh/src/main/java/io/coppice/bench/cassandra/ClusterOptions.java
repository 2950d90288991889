// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.suite.OptionReader;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Options of the command {@code cluster up}.
 *
 * @param nodes number of nodes, from 1 to {@link Cluster#MAX_NODES}
 * @param directory receives everything that the nodes write
 * @param heapMib heap of each node in MiB
 * @param withoutJar numbers, from 1, of the nodes without the plugin
 * @param cqlPort the first port to try for clients
 * @param keep whether the files stay after the end
 * @param javaHome Java of the nodes; empty to search for one
 */
record ClusterOptions(
    int nodes,
    Path directory,
    int heapMib,
    Set<Integer> withoutJar,
    int cqlPort,
    boolean keep,
    Optional<Path> javaHome) {

  /** Least heap of a node in MiB; with less it starts but can hardly work. */
  private static final int MIN_HEAP_MIB = 200;

  private static final int MAX_HEAP_MIB = 16_384;
  private static final int MIN_PORT = 1024;
  private static final int MAX_PORT = 65_000;

  /**
   * Reads the options; missing ones have their defaults.
   *
   * @throws InvalidOptionsException naming every fault
   */
  static ClusterOptions parse(OptionReader reader) {
    int nodes = reader.whole("nodes", 3, 1, Cluster.MAX_NODES);
    Set<Integer> withoutJar = new TreeSet<>();
    for (String number : reader.list("without-jar", "")) {
      withoutJar.add(reader.whole("without-jar", number, 1, nodes));
    }
    ClusterOptions options =
        new ClusterOptions(
            nodes,
            Path.of(reader.text("dir", "target/cluster")).toAbsolutePath().normalize(),
            reader.whole("heap", 320, MIN_HEAP_MIB, MAX_HEAP_MIB),
            withoutJar,
            reader.whole("cql-port", 9042, MIN_PORT, MAX_PORT),
            reader.flag("keep"),
            reader.path("java-home"));
    reader.check();
    return options;
  }
}
