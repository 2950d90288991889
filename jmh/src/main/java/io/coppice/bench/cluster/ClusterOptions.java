// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cluster;

import io.coppice.base.InvalidOptionsException;
import io.coppice.bench.Nearest;
import io.coppice.bench.cassandra.Cluster;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a cluster was asked to be.
 *
 * @param directory for everything the nodes write
 * @param withoutJar numbers, from 1, of the nodes that lack the plugin
 * @param keep whether the files stay
 * @param javaHome Java of the nodes, if one was named
 */
record ClusterOptions(
    int nodes,
    Path directory,
    int heapMib,
    Set<Integer> withoutJar,
    int cqlPort,
    boolean keep,
    Optional<Path> javaHome) {

  private static final List<String> NAMES =
      List.of("nodes", "dir", "heap", "without-jar", "cql-port", "keep", "java-home");

  /** A node starts in less, but cannot do much then. */
  private static final int LEAST_HEAP_MIB = 200;

  private static final int MOST_HEAP_MIB = 16_384;
  private static final int LEAST_PORT = 1024;
  private static final int MOST_PORT = 65_000;

  /**
   * Reads options given as text; a missing one has its default.
   *
   * @param given by option name without dashes
   * @param unknown arguments that are no option at all
   * @throws InvalidOptionsException naming every wrong option, its value and what is allowed
   */
  static ClusterOptions parse(Map<String, String> given, List<String> unknown) {
    return new Parser(given, unknown).parse();
  }

  private static final class Parser {
    private final Map<String, String> given;
    private final List<String> errors = new ArrayList<>();

    Parser(Map<String, String> given, List<String> unknown) {
      this.given = given;
      for (String argument : unknown) {
        String bare = argument.replaceFirst("^--?", "").replaceFirst("=.*", "");
        errors.add("unknown option " + argument + "; nearest is --" + Nearest.to(bare, NAMES));
      }
    }

    ClusterOptions parse() {
      int nodes = number("nodes", given.getOrDefault("nodes", "3"), 1, Cluster.MAX_NODES);
      ClusterOptions options =
          new ClusterOptions(
              nodes,
              Path.of(given.getOrDefault("dir", "target/cluster")).toAbsolutePath().normalize(),
              number("heap", given.getOrDefault("heap", "320"), LEAST_HEAP_MIB, MOST_HEAP_MIB),
              withoutJar(nodes),
              number("cql-port", given.getOrDefault("cql-port", "9042"), LEAST_PORT, MOST_PORT),
              Boolean.parseBoolean(given.get("keep")),
              Optional.ofNullable(given.get("java-home")).map(Path::of));
      if (!errors.isEmpty()) {
        throw new InvalidOptionsException(errors);
      }
      return options;
    }

    private Set<Integer> withoutJar(int nodes) {
      Set<Integer> numbers = new TreeSet<>();
      if (given.containsKey("without-jar")) {
        for (String text : given.get("without-jar").split(",", -1)) {
          numbers.add(number("without-jar", text.strip(), 1, nodes));
        }
      }
      return numbers;
    }

    private int number(String name, String text, int least, int most) {
      try {
        int number = Integer.parseInt(text);
        if (number >= least && number <= most) {
          return number;
        }
      } catch (NumberFormatException e) {
        // Reported below, as a number out of range is.
      }
      errors.add(
          "--%s (%s) must be a whole number from %d to %d".formatted(name, text, least, most));
      return least;
    }
  }
}
