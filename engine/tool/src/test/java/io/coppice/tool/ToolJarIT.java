// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.tool;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.coppice.tool.cli.CommandProgressTest;
import io.coppice.tool.cli.ExitCode;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the packaged jar as a person does. */
class ToolJarIT {

  @TempDir Path directory;

  private record Ended(int code, String out, String err) {}

  private Ended tool(String... args) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                // As where no LANG is set.
                "-Dfile.encoding=US-ASCII",
                "-jar",
                System.getProperty("coppice.tool.jar")));
    command.addAll(List.of(args));
    Path out = directory.resolve("out");
    Path err = directory.resolve("err");
    Process process =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectOutput(out.toFile())
            .redirectError(err.toFile())
            .start();
    int code = process.waitFor();
    return new Ended(
        code,
        Files.readString(out, StandardCharsets.UTF_8),
        Files.readString(err, StandardCharsets.UTF_8));
  }

  @Test
  void itCarriesAllItNeeds() throws Exception {
    Ended chart =
        tool(
            "simulate",
            "--policy=leveled",
            "--data=4MB",
            "--memtable=64KiB",
            "--svg",
            "--output=page.svg",
            "--journal=journal.jsonl");
    assertThat(chart.code()).as(chart.err()).isZero();
    assertThat(chart.out() + CommandProgressTest.withoutProgress(chart.err())).isEmpty();
    assertThat(directory.resolve("page.svg")).content().contains("<svg");
    Ended replay = tool("replay", "journal.jsonl");
    assertThat(replay.out()).contains("all plans are equal");
    assertThat(replay.code()).as(replay.err()).isZero();
  }

  /** Java 8 and newer read its main class, which says that they are too old. */
  @Test
  void anOldJavaCanReadTheMainClass() throws Exception {
    try (JarFile jar = new JarFile(System.getProperty("coppice.tool.jar"))) {
      String main = jar.getManifest().getMainAttributes().getValue(Attributes.Name.MAIN_CLASS);
      assertThat(main).isEqualTo(Launcher.class.getName());
      String entry = main.replace('.', '/') + ".class";
      try (DataInputStream in = new DataInputStream(jar.getInputStream(jar.getEntry(entry)))) {
        assertThat(in.readInt()).isEqualTo(0xCAFEBABE);
        assertThat(in.readInt()).as("class files of Java 8 have version 52").isEqualTo(52);
      }
    }
  }

  @Test
  void jsonIsAllThatStandsOnStandardOutput() throws Exception {
    Ended json =
        tool("simulate", "--policy=split-forest", "--data=4MB", "--memtable=64KiB", "--json");
    assertThat(json.code()).as(json.err()).isZero();
    assertThat(new ObjectMapper().readTree(json.out()).get("runs")).hasSize(1);
    assertThat(CommandProgressTest.withoutProgress(json.err())).isEmpty();
  }

  @Test
  void storesSayNothingBesideTheAnswer() throws Exception {
    Ended put = tool("store", "put", "--create", "data", "key", "value");
    assertThat(put.code()).as(put.err()).isZero();
    assertThat(put.err()).isEmpty();
    Ended get = tool("store", "get", "data", "key");
    assertThat(get.code()).isZero();
    assertThat(get.out()).isEqualTo("value\n");
    assertThat(get.err()).isEmpty();
  }

  @Test
  void textIsPrintedAsItIsWhateverThePlatformsCharset() throws Exception {
    Ended put = tool("store", "put", "--create", "data", "key", "hex:6772c3bc6e");
    assertThat(put.code()).as(put.err()).isZero();
    assertThat(tool("store", "get", "data", "key").out()).isEqualTo("gr\u00fcn\n");
  }

  @Test
  void wrongUsageEndsWithTwo() throws Exception {
    Ended wrong = tool("simulate", "--policy=levelled");
    assertThat(wrong.code()).isEqualTo(ExitCode.USAGE);
    assertThat(wrong.out()).isEmpty();
    assertThat(wrong.err()).contains("did you mean 'leveled'?");
  }
}
