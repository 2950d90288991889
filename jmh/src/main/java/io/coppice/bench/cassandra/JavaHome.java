// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.cassandra;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * The Java that runs a node. Cassandra 5.0 needs Java 17 and does not start on 25, so a node may
 * need another Java than this program.
 *
 * @param home directory that contains {@code bin/java}
 * @param version version in its release file
 */
public record JavaHome(Path home, String version) {

  private static final String NEEDED = "17";

  /**
   * Finds a Java 17 on this machine: the given one, else the running one, else a Maven toolchain of
   * this user.
   *
   * @param given used if present; it must be a Java 17
   * @throws EnvironmentException if none is found; the message says how to name one
   */
  public static JavaHome find(Optional<Path> given) throws EnvironmentException {
    return find(
        given,
        Path.of(System.getProperty("java.home")),
        Path.of(System.getProperty("user.home"), ".m2", "toolchains.xml"));
  }

  /**
   * Finds a Java 17: the given one, else the running one, else a Maven toolchain.
   *
   * @param given used if present; it must be a Java 17
   * @param running home of the running Java
   * @param toolchains Maven's {@code toolchains.xml}, which may be absent
   * @throws EnvironmentException if none is found; the message says how to name one
   */
  public static JavaHome find(Optional<Path> given, Path running, Path toolchains)
      throws EnvironmentException {
    if (given.isPresent()) {
      return at(given.get())
          .filter(JavaHome::fits)
          .orElseThrow(
              () ->
                  new EnvironmentException(
                      "java home (%s) must hold a JDK %s".formatted(given.get(), NEEDED)));
    }
    List<Path> candidates = new ArrayList<>(List.of(running));
    candidates.addAll(toolchains(toolchains));
    return candidates.stream()
        .flatMap(candidate -> at(candidate).stream())
        .filter(JavaHome::fits)
        .findFirst()
        .orElseThrow(
            () ->
                new EnvironmentException(
                    "A Cassandra 5.0 node needs JDK %s, and this program runs on %s. Name one: --java-home=DIR, with Maven -Dcassandra.java.home=DIR."
                        .formatted(NEEDED, System.getProperty("java.version"))));
  }

  /** Returns the path of the {@code java} program. */
  public Path executable() {
    return home.resolve("bin").resolve("java");
  }

  private boolean fits() {
    return (version + ".").startsWith(NEEDED + ".");
  }

  private static Optional<JavaHome> at(Path home) {
    Path release = home.resolve("release");
    if (!Files.isExecutable(home.resolve("bin").resolve("java")) || !Files.isReadable(release)) {
      return Optional.empty();
    }
    Properties facts = new Properties();
    try (InputStream in = Files.newInputStream(release)) {
      facts.load(in);
    } catch (IOException e) {
      return Optional.empty();
    }
    String version = facts.getProperty("JAVA_VERSION", "").replace("\"", "");
    return Optional.of(new JavaHome(home, version));
  }

  private static List<Path> toolchains(Path file) throws EnvironmentException {
    List<Path> homes = new ArrayList<>();
    if (!Files.isReadable(file)) {
      return homes;
    }
    try {
      DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
      factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
      NodeList found =
          factory.newDocumentBuilder().parse(file.toFile()).getElementsByTagName("jdkHome");
      for (int i = 0; i < found.getLength(); i++) {
        homes.add(Path.of(((Element) found.item(i)).getTextContent().trim()));
      }
    } catch (IOException | ParserConfigurationException | SAXException e) {
      throw new EnvironmentException("cannot read " + file + ": " + e.getMessage());
    }
    return homes;
  }
}
