// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import io.coppice.cassandra.node.Node;
import io.coppice.cassandra.node.NodeFiles;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/** A node in a process of its own, on Cassandra's class path and usually the packaged jar. */
public final class ChildNode {

  public static final Path JAR = Path.of(System.getProperty("coppice.jar"));
  private static final String NODE_LIB = System.getProperty("coppice.node.lib");
  private static final Path TARGET = Path.of(System.getProperty("coppice.target"));
  private static final String FORK = System.getProperty("coppice.fork", "");
  private static final Path STEPS = TARGET.resolve("node-steps" + FORK + ".jar");

  // Classes that a former node of the same class path had loaded: a node starts from it in less
  // time.
  private static final Path ARCHIVE = TARGET.resolve("node-steps" + FORK + ".jsa");

  static {
    pack();
  }

  private ChildNode() {}

  /** Makes a node that ends by itself leave its classes for later nodes of this JVM's tests. */
  public static ProcessBuilder archiving(NodeFiles files, Class<?> main, List<String> arguments)
      throws IOException {
    Files.deleteIfExists(ARCHIVE);
    ProcessBuilder node = of(files, Optional.of(JAR), main, arguments);
    node.command().add(1, "-XX:ArchiveClassesAtExit=" + ARCHIVE);
    return node;
  }

  /**
   * Starts it.
   *
   * @param main the class that runs it, from the tests
   * @return a process whose errors go to its output
   */
  public static ProcessBuilder of(
      NodeFiles files, Optional<Path> plugin, Class<?> main, List<String> arguments)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of(System.getProperty("coppice.node.jvm.args").split(" ")));
    command.addAll(List.of("-ea", "-Xmx700m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    if (Files.exists(ARCHIVE)) {
      command.add("-XX:SharedArchiveFile=" + ARCHIVE);
    }
    files.prepare().forEach((name, value) -> command.add("-D" + name + "=" + value));
    command.add("-cp");
    command.add(NODE_LIB + "/*:" + STEPS + plugin.map(path -> ":" + path).orElse(""));
    command.add(main.getName());
    command.addAll(arguments);
    return new ProcessBuilder(command).redirectErrorStream(true);
  }

  /** Puts the package of nodes into a jar: only classes of jars may be archived. */
  private static void pack() {
    try {
      Path classes =
          Path.of(Node.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      Path directory = classes.resolve(Node.class.getPackageName().replace('.', '/'));
      try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(STEPS));
          Stream<Path> files = Files.list(directory)) {
        for (Path file : files.sorted().toList()) {
          jar.putNextEntry(new ZipEntry(classes.relativize(file).toString()));
          Files.copy(file, jar);
          jar.closeEntry();
        }
      }
      Files.deleteIfExists(ARCHIVE);
    } catch (IOException | URISyntaxException e) {
      throw new AssertionError(e);
    }
  }
}
