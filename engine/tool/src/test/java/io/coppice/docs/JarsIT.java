// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jars that are released, as they lie on the disk. */
class JarsIT {

  private static final Path POLICY = Jars.of("policy", "coppice-policy");
  private static final Path ENGINE = Jars.of("store", "coppice-engine");
  private static final Path SIMULATOR = Jars.of("simulator", "coppice-simulator");
  private static final Path COMMANDS = Jars.of("tool", "coppice-tool");
  private static final List<Path> MODULES = List.of(POLICY, ENGINE, SIMULATOR, COMMANDS);

  /** The jar that people start: all of these and their libraries. */
  private static final Path TOOL = Path.of(System.getProperty("coppice.tool.jar"));

  @Test
  void jarsHaveOurClassesAlone() throws IOException {
    for (Path jar : MODULES) {
      assertThat(entries(jar).stream().filter(entry -> !entry.isDirectory()))
          .extracting(ZipEntry::getName)
          .isNotEmpty()
          .allMatch(name -> name.startsWith("io/coppice/") || name.startsWith("META-INF/"));
    }
  }

  @Test
  void theEnginesJarIsSmall() throws IOException {
    assertThat(Files.size(ENGINE)).isLessThan(1_500_000);
  }

  @Test
  void noPackageIsInTwoJars() throws IOException {
    Map<String, Path> home = new TreeMap<>();
    for (Path jar : MODULES) {
      for (String name : ours(jar)) {
        String folder = name.substring(0, name.lastIndexOf('/'));
        assertThat(home.merge(folder, jar, (before, now) -> before)).as(folder).isEqualTo(jar);
      }
    }
    assertThat(home).hasSizeGreaterThan(15);
  }

  @Test
  void theToolHasTheClassesOfAllModules() throws IOException {
    Set<String> together = new TreeSet<>();
    for (Path jar : MODULES) {
      together.addAll(ours(jar));
    }
    assertThat(together).isEqualTo(ours(TOOL));
  }

  @Test
  void classesTellFilesLinesAndNamesOfVariables() throws IOException {
    try (ZipFile jar = new ZipFile(ENGINE.toFile())) {
      byte[] store = jar.getInputStream(jar.getEntry("io/coppice/Store.class")).readAllBytes();
      assertThat(new String(store, StandardCharsets.ISO_8859_1))
          .contains("SourceFile", "LineNumberTable", "LocalVariableTable");
    }
  }

  @Test
  void modulesHaveTheNamesThatArePromised() throws IOException {
    Map<Path, String> names =
        Map.of(
            POLICY,
            "io.coppice.policy",
            ENGINE,
            "io.coppice.engine",
            SIMULATOR,
            "io.coppice.simulator",
            COMMANDS,
            "io.coppice.tool");
    for (Path file : MODULES) {
      try (JarFile jar = new JarFile(file.toFile())) {
        assertThat(jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name"))
            .isEqualTo(names.get(file));
      }
    }
  }

  @Test
  void licencesComeWithTheJars() throws IOException {
    for (Path jar : MODULES) {
      assertThat(content(jar, "META-INF/LICENSE"))
          .isEqualTo(Files.readString(Path.of("..", "..", "LICENSE")));
    }
    for (Path jar : List.of(COMMANDS, TOOL)) {
      for (String name : List.of("licences.txt", "third-party.md")) {
        assertThat(content(jar, "META-INF/" + name))
            .isEqualTo(Files.readString(ThirdParty.PAGE.resolveSibling(name)));
      }
    }
    assertThat(content(TOOL, "META-INF/LICENSE")).isEqualTo(content(ENGINE, "META-INF/LICENSE"));
  }

  @Test
  void noEntryTellsWhenOrInWhichOrderItWasBuilt() throws IOException {
    LocalDateTime fixed =
        OffsetDateTime.parse(System.getProperty("coppice.timestamp"))
            .withOffsetSameInstant(ZoneOffset.UTC)
            .toLocalDateTime();
    for (Path jar : MODULES) {
      assertThat(entries(jar))
          .allSatisfy(
              entry -> assertThat(entry.getTimeLocal()).as(entry.getName()).isEqualTo(fixed));
      assertThat(
              entries(jar).stream()
                  .filter(entry -> entry.getName().matches("io/coppice/.*\\.class"))
                  .map(ZipEntry::getName))
          .isSorted();
    }
    // Libraries keep the times that their own jars have.
    assertThat(
            entries(TOOL).stream()
                .filter(entry -> entry.getName().matches("io/coppice/.*|META-INF/MANIFEST.MF")))
        .isNotEmpty()
        .allSatisfy(entry -> assertThat(entry.getTimeLocal()).as(entry.getName()).isEqualTo(fixed));
  }

  @Test
  void noEntryTellsWhereItWasBuilt() throws IOException {
    String here = Path.of("..", "..").toAbsolutePath().normalize().toString();
    for (Path file : MODULES) {
      assertThat(content(file, "META-INF/MANIFEST.MF")).doesNotContain("Built-By", "Build-Jdk:");
      try (ZipFile jar = new ZipFile(file.toFile())) {
        for (ZipEntry entry : entries(file)) {
          byte[] bytes = jar.getInputStream(entry).readAllBytes();
          assertThat(new String(bytes, StandardCharsets.ISO_8859_1))
              .as(entry.getName())
              .doesNotContain(here);
        }
      }
    }
  }

  @Test
  void theApiOfAReleaseIsKeptByItsCommand(@TempDir Path tree) throws Exception {
    Path command = tree.resolve(".ci").resolve("baseline");
    Files.createDirectories(command.getParent());
    Files.copy(Path.of("..", "..", ".ci", "baseline"), command, StandardCopyOption.COPY_ATTRIBUTES);
    Path ofStore = tree.resolve("engine/store/src/api/baseline.jar");
    Path ofPolicy = tree.resolve("engine/policy/src/api/baseline.jar");
    byte[] before = new byte[0];
    for (int time = 0; time < 2; time++) {
      Process process =
          new ProcessBuilder(
                  command.toString(),
                  POLICY.toAbsolutePath().toString(),
                  ENGINE.toAbsolutePath().toString())
              .redirectErrorStream(true)
              .start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(said).isZero();
      if (time > 0) {
        assertThat(Files.readAllBytes(ofStore)).isEqualTo(before);
      }
      before = Files.readAllBytes(ofStore);
    }
    assertThat(entries(ofStore))
        .extracting(ZipEntry::getName)
        .contains("io/coppice/Store.class")
        .allMatch(name -> name.matches("io/coppice/(base/)?[^/]+\\.class"));
    assertThat(entries(ofPolicy))
        .extracting(ZipEntry::getName)
        .contains("io/coppice/policy/Policy.class")
        .allMatch(name -> name.matches("io/coppice/policy/((spec|tuner|observe)/)?[^/]+\\.class"));
  }

  /** Our files in it, without what stands in its {@code META-INF}. */
  private static Set<String> ours(Path file) throws IOException {
    return entries(file).stream()
        .filter(entry -> !entry.isDirectory())
        .map(ZipEntry::getName)
        .filter(name -> name.startsWith("io/coppice/"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static List<? extends ZipEntry> entries(Path file) throws IOException {
    try (ZipFile jar = new ZipFile(file.toFile())) {
      return jar.stream().toList();
    }
  }

  private static String content(Path file, String name) throws IOException {
    try (ZipFile jar = new ZipFile(file.toFile())) {
      return new String(
          jar.getInputStream(jar.getEntry(name)).readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
