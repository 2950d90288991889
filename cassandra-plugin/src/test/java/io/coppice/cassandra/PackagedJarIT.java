// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The jar an operator installs, and the class path from which a real node is started. */
final class PackagedJarIT {

  private static final Path JAR = Path.of(System.getProperty("coppice.jar"));
  private static final Path NODE_LIB = Path.of(System.getProperty("coppice.node.lib"));

  @Test
  void carriesOurClassesAndNothingElse() throws IOException {
    assertThat(files())
        .isNotEmpty()
        .allMatch(name -> name.startsWith("io/coppice/cassandra/") || name.startsWith("META-INF/"));
  }

  @Test
  void isSmallAndBringsItsLicence() throws IOException {
    assertThat(Files.size(JAR)).isLessThan(1_000_000);
    try (JarFile jar = new JarFile(JAR.toFile());
        InputStream in = jar.getInputStream(jar.getEntry("META-INF/LICENSE"))) {
      assertThat(in.readAllBytes()).isEqualTo(Files.readAllBytes(Path.of("..", "LICENSE")));
    }
  }

  @Test
  void noEntryTellsWhenItWasBuilt() throws IOException {
    LocalDateTime fixed =
        OffsetDateTime.parse(System.getProperty("coppice.timestamp"))
            .withOffsetSameInstant(ZoneOffset.UTC)
            .toLocalDateTime();
    try (JarFile jar = new JarFile(JAR.toFile())) {
      assertThat(jar.stream())
          .isNotEmpty()
          .allSatisfy(
              entry -> assertThat(entry.getTimeLocal()).as(entry.getName()).isEqualTo(fixed));
    }
  }

  @Test
  void carriesThePoliciesUnderItsOwnPackage() throws IOException {
    assertThat(files())
        .contains(
            "io/coppice/cassandra/SplitForestCompactionStrategy.class",
            "io/coppice/cassandra/policy/policies/SplitForestPolicy.class",
            "io/coppice/cassandra/policy/Shape.class");
  }

  @Test
  void namesNoPolicyClassByItsUnshadedName() throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      for (String name : files()) {
        if (name.endsWith(".class")) {
          try (InputStream in = jar.getInputStream(jar.getEntry(name))) {
            String constants = new String(in.readAllBytes(), StandardCharsets.ISO_8859_1);
            assertThat(constants).as(name).doesNotContain("io/coppice/policy/");
          }
        }
      }
    }
  }

  @Test
  void saysItsVersionAndTheCassandraItIsFor() throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      Attributes manifest = jar.getManifest().getMainAttributes();
      assertThat(manifest.getValue("Implementation-Version"))
          .isEqualTo(System.getProperty("coppice.version"));
      assertThat(manifest.getValue("X-Cassandra-Line")).isEqualTo("5.0");
      assertThat(manifest.getValue("X-Cassandra-Tested"))
          .isEqualTo(System.getProperty("coppice.cassandra.version"));
    }
  }

  @Test
  void theNodesClassPathIsCassandrasOwn() throws IOException {
    List<String> jars;
    try (Stream<Path> files = Files.list(NODE_LIB)) {
      jars = files.map(path -> path.getFileName().toString()).sorted().toList();
    }
    assertThat(jars)
        .contains(
            "cassandra-all-" + System.getProperty("coppice.cassandra.version") + ".jar",
            "guava-32.0.1-jre.jar",
            "netty-buffer-4.1.130.Final.jar",
            "netty-all-4.1.130.Final.jar",
            "metrics-core-4.2.28.jar",
            "slf4j-api-2.0.17.jar",
            "logback-classic-1.5.18.jar")
        .noneMatch(name -> name.startsWith("coppice"));
    assertThat(jars.stream().filter(name -> name.matches("guava-\\d.*"))).hasSize(1);
    assertThat(jars.stream().filter(name -> name.matches("metrics-core-.*"))).hasSize(1);
    assertThat(jars.stream().filter(name -> name.matches("netty-(all|buffer|common)-.*")))
        .allMatch(name -> name.contains("4.1.130"));
  }

  private static List<String> files() throws IOException {
    try (JarFile jar = new JarFile(JAR.toFile())) {
      List<String> names = new ArrayList<>();
      jar.stream().filter(entry -> !entry.isDirectory()).map(JarEntry::getName).forEach(names::add);
      return names;
    }
  }
}
