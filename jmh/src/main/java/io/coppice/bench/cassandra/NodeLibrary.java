// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import com.google.common.hash.Hashing;
import com.google.common.io.MoreFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

/**
 * The jars on a node's class path: Cassandra's own, the plugin and the recorder. They are files
 * inside the bench jar, because the libraries of the bench jar must not reach the node.
 */
public final class NodeLibrary {

  private static final String FOLDER = "node-lib/";

  private NodeLibrary() {}

  /**
   * Returns the bench jar that contains the running code.
   *
   * @throws EnvironmentException if it does not run from one
   */
  public static Path runningJar() throws EnvironmentException {
    try {
      Path code =
          Path.of(NodeLibrary.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      if (Files.isRegularFile(code)) {
        return code;
      }
      throw new EnvironmentException("nodes are started from coppice-bench.jar, not from " + code);
    } catch (URISyntaxException e) {
      throw new UncheckedIOException(new IOException(e));
    }
  }

  /**
   * Returns Cassandra's version, taken from the name of its jar in the list. It is {@code unknown}
   * if the list lacks that jar.
   */
  public static String cassandra(List<Path> jars) {
    return jars.stream()
        .map(jar -> jar.getFileName().toString())
        .filter(name -> name.startsWith("cassandra-all-"))
        .map(name -> name.replaceAll("cassandra-all-|\\.jar", ""))
        .findFirst()
        .orElse("unknown");
  }

  /**
   * Copies the nested jars of a bench jar to a directory, which afterwards holds exactly these.
   *
   * @return the jars in the directory, sorted by name
   * @throws EnvironmentException if the bench jar holds none
   */
  public static List<Path> unpack(Path benchJar, Path directory)
      throws IOException, EnvironmentException {
    Files.createDirectories(directory);
    Set<Path> wanted = new HashSet<>();
    try (JarFile jar = new JarFile(benchJar.toFile())) {
      for (JarEntry entry : nested(jar)) {
        Path file = directory.resolve(entry.getName().substring(FOLDER.length()));
        wanted.add(file);
        copy(jar, entry, file);
      }
    }
    if (wanted.isEmpty()) {
      throw new EnvironmentException(
          benchJar + " holds no node: build it from the root of the project");
    }
    try (Stream<Path> present = Files.list(directory)) {
      for (Path file : present.toList()) {
        if (!wanted.contains(file)) {
          Files.delete(file);
        }
      }
    }
    return wanted.stream().sorted().toList();
  }

  private static List<JarEntry> nested(JarFile jar) {
    return jar.stream()
        .filter(entry -> entry.getName().startsWith(FOLDER) && entry.getName().endsWith(".jar"))
        .filter(entry -> entry.getName().indexOf('/', FOLDER.length()) < 0)
        .toList();
  }

  /** Copies an entry to a file, unless the file already has the same bytes. */
  private static void copy(JarFile jar, JarEntry entry, Path file) throws IOException {
    if (Files.exists(file)
        && Files.size(file) == entry.getSize()
        && checksum(file) == entry.getCrc()) {
      return;
    }
    Path part = file.resolveSibling(file.getFileName() + ".part");
    try (InputStream in = jar.getInputStream(entry)) {
      Files.copy(in, part, StandardCopyOption.REPLACE_EXISTING);
    }
    Files.move(part, file, StandardCopyOption.REPLACE_EXISTING);
  }

  private static long checksum(Path file) throws IOException {
    return MoreFiles.asByteSource(file).hash(Hashing.crc32()).padToLong();
  }
}
