// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.host;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.io.ChildJvm;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Enumeration;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * A store whose process finds no native code on its class path: jars that hold some are left out,
 * and LZ4's, which is written in Java too, comes without it. {@code mvn -Pno-natives -f engine
 * test} runs all tests so.
 */
class WithoutNativesTest {

  private static final Pattern NATIVE = Pattern.compile(".*[.](so|dll|dylib|jnilib)");

  /** Of tools of the tests, which no store uses. */
  private static final String AGENT = "byte-buddy-agent";

  @TempDir private Path directory;

  @Test
  void aStoreWritesMergesCompressesAndReadsWithoutThem() throws Exception {
    List<String> command =
        ChildJvm.builder(List.of(), StoreWithoutNatives.class, directory.resolve("s").toString())
            .command();
    command.set(command.indexOf("-cp") + 1, withoutNatives());
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(said).isZero();
    assertThat(said.lines())
        .contains("all is there")
        .anyMatch(line -> line.startsWith("reader pool ") && line.contains("skipped=ring:"))
        .anyMatch(line -> line.contains("zstd needs com.github.luben:zstd-jni"))
        .noneMatch(line -> line.startsWith("loaded "));
  }

  @Test
  @EnabledIfSystemProperty(named = "coppice.no-natives", matches = "true")
  void theProfileLeavesNoneOnTheClassPath() throws IOException {
    assertThat(entries().stream().filter(entry -> !entry.contains(AGENT)).toList())
        .isNotEmpty()
        .allSatisfy(entry -> assertThat(nativesOf(Path.of(entry))).as(entry).isEmpty());
  }

  private static List<String> entries() {
    return Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator));
  }

  private String withoutNatives() throws IOException {
    List<String> kept = new ArrayList<>();
    for (String entry : entries()) {
      if (entry.contains("lz4-java")) {
        Path copy = directory.resolve("lz4.jar");
        copy(Path.of(entry), copy);
        kept.add(copy.toString());
      } else if (nativesOf(Path.of(entry)).isEmpty()) {
        kept.add(entry);
      }
    }
    return String.join(File.pathSeparator, kept);
  }

  private static List<String> nativesOf(Path entry) throws IOException {
    if (!Files.isRegularFile(entry)) {
      return List.of();
    }
    try (ZipFile jar = new ZipFile(entry.toFile())) {
      return jar.stream()
          .map(ZipEntry::getName)
          .filter(name -> NATIVE.matcher(name).matches())
          .toList();
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (ZipFile jar = new ZipFile(from.toFile());
        ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(to))) {
      for (Enumeration<? extends ZipEntry> e = jar.entries(); e.hasMoreElements(); ) {
        ZipEntry entry = e.nextElement();
        if (!NATIVE.matcher(entry.getName()).matches()) {
          out.putNextEntry(new ZipEntry(entry.getName()));
          jar.getInputStream(entry).transferTo(out);
          out.closeEntry();
        }
      }
    }
  }
}
