// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.JarFile;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The jars that are released, as they lie on the disk. */
class JarsIT {

  private static final Path ENGINE = Path.of(System.getProperty("coppice.engine.jar"));
  private static final Path CLI = Path.of(System.getProperty("coppice.cli.jar"));
  private static final Path TOOL = Path.of(System.getProperty("coppice.tool.jar"));

  @Test
  void theEnginesJarHasOurClassesAlone() throws IOException {
    assertThat(entries(ENGINE).stream().filter(entry -> !entry.isDirectory()))
        .extracting(ZipEntry::getName)
        .isNotEmpty()
        .allMatch(name -> name.startsWith("io/coppice/") || name.startsWith("META-INF/"));
    assertThat(Files.size(ENGINE)).isLessThan(1_500_000);
  }

  @Test
  void theCommandLineHasAJarOfItsOwn() throws IOException {
    Set<String> command = ours(CLI);
    assertThat(command)
        .allMatch(
            name ->
                name.matches(
                    "io/coppice/((simulator|tool|workload)/.*|base/KeyText.*|io/PageCache.*"
                        + "|read/BlockSearch.*"
                        + "|manifest/Manifest(Dump|Salvage).*"
                        + "|policy/Growth.*"
                        + "|recovery/(Dump|Repair|LogSalvage|Layers|MissingEdits).*"
                        + "|table/Table(Dump|Salvage).*|[a-z]+/package-info.class)"));
    Set<String> together = ours(ENGINE);
    assertThat(together).isNotEmpty().doesNotContainAnyElementsOf(command);
    together.addAll(command);
    assertThat(together).isEqualTo(ours(TOOL)).isEqualTo(compiled());
  }

  @Test
  void classesTellFilesAndLinesButNoNamesOfVariables() throws IOException {
    try (ZipFile jar = new ZipFile(ENGINE.toFile())) {
      byte[] store = jar.getInputStream(jar.getEntry("io/coppice/Store.class")).readAllBytes();
      assertThat(new String(store, StandardCharsets.ISO_8859_1))
          .contains("SourceFile", "LineNumberTable")
          .doesNotContain("LocalVariableTable");
    }
  }

  @Test
  void theModuleHasTheNameThatIsPromised() throws IOException {
    try (JarFile jar = new JarFile(ENGINE.toFile())) {
      assertThat(jar.getManifest().getMainAttributes().getValue("Automatic-Module-Name"))
          .isEqualTo("io.coppice.engine");
    }
  }

  @Test
  void licencesComeWithTheJars() throws IOException {
    assertThat(content(ENGINE, "META-INF/LICENSE"))
        .isEqualTo(Files.readString(Path.of("..", "LICENSE")));
    for (Path jar : List.of(CLI, TOOL)) {
      for (String name : List.of("LICENSE", "licences.txt", "third-party.md")) {
        Path file =
            name.equals("LICENSE") ? Path.of("..", name) : ThirdParty.PAGE.resolveSibling(name);
        assertThat(content(jar, "META-INF/" + name)).isEqualTo(Files.readString(file));
      }
    }
  }

  @Test
  void noEntryTellsWhenOrInWhichOrderItWasBuilt() throws IOException {
    LocalDateTime fixed =
        OffsetDateTime.parse(System.getProperty("coppice.timestamp"))
            .withOffsetSameInstant(ZoneOffset.UTC)
            .toLocalDateTime();
    for (Path jar : List.of(ENGINE, CLI)) {
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
    String here = Path.of("").toAbsolutePath().getParent().toString();
    for (Path file : List.of(ENGINE, CLI)) {
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
    Files.copy(Path.of("..", ".ci", "baseline"), command, StandardCopyOption.COPY_ATTRIBUTES);
    Path kept = tree.resolve("engine/src/api/baseline.jar");
    byte[] before = new byte[0];
    for (int time = 0; time < 2; time++) {
      Process process =
          new ProcessBuilder(command.toString(), ENGINE.toAbsolutePath().toString())
              .redirectErrorStream(true)
              .start();
      String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertThat(process.waitFor()).as(said).isZero();
      if (time > 0) {
        assertThat(Files.readAllBytes(kept)).isEqualTo(before);
      }
      before = Files.readAllBytes(kept);
    }
    assertThat(entries(kept))
        .extracting(ZipEntry::getName)
        .contains("io/coppice/Store.class", "io/coppice/policy/Policy.class")
        .allMatch(name -> name.matches("io/coppice/((base|policy)/)?[^/]+\\.class"));
  }

  /** Our files in it, without what stands in its {@code META-INF}. */
  private static Set<String> ours(Path file) throws IOException {
    return entries(file).stream()
        .filter(entry -> !entry.isDirectory())
        .map(ZipEntry::getName)
        .filter(name -> name.startsWith("io/coppice/"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> compiled() throws IOException {
    Path classes = Path.of("target", "classes");
    try (Stream<Path> files = Files.walk(classes.resolve(Path.of("io", "coppice")))) {
      return files
          .filter(Files::isRegularFile)
          .map(file -> classes.relativize(file).toString().replace(File.separatorChar, '/'))
          .collect(Collectors.toCollection(TreeSet::new));
    }
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
