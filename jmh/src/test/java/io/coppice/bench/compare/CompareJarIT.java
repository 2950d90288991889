// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.coppice.bench.JavaProcess;
import io.coppice.bench.report.RecordJson;
import io.coppice.bench.suite.BenchExitCode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the packaged jar as a person does. */
class CompareJarIT {

  private static final Pattern NODE = Pattern.compile("node 127\\.0\\.0\\.1:\\d+ ");

  @TempDir Path directory;
  private List<ProcessHandle> nodes = List.of();

  private Process compare(String... options) throws IOException {
    return JavaProcess.ofJar(directory, "compare --scale=tiny", options);
  }

  @Test
  void aShortComparisonSaysThatItIsTooSmallToJudge() throws Exception {
    Process process = compare("--flushes=8", "--strategies=split-forest");
    String text = JavaProcess.text(process);
    assertThat(process.waitFor()).as(text).isEqualTo(BenchExitCode.INCOMPLETE);
    assertThat(text)
        .contains("coppice compare · Cassandra " + System.getProperty("coppice.cassandra.version"))
        .contains("too small to judge: 8 flushes")
        .contains("compare: INCOMPLETE")
        .doesNotContain("\r", "\u001b", "SLF4J");
    JsonNode json = RecordJson.read(directory.resolve("target/compare/compare.json"));
    JsonNode run = json.get("runs").get(0);
    assertThat(run.get("rows_wrong").asLong()).isZero();
    assertThat(run.get("rows_verified").asLong()).isGreaterThanOrEqualTo(20_000);
    assertThat(run.get("write_amplification").asDouble()).isGreaterThanOrEqualTo(1);
    assertThat(directory.resolve("target/compare/compare.svg")).exists();
    assertThat(directory.resolve("target/compare/split-forest-1")).doesNotExist();
  }

  @Test
  void anInterruptEndsTheNodeAndRemovesItsFiles() throws Exception {
    Process process = compare("--strategies=stcs");
    String text = readUntilEnd(process, node -> process.toHandle().destroy());
    assertThat(process.waitFor()).as(text).isNotZero();
    assertThat(nodes).hasSize(1).noneMatch(ProcessHandle::isAlive);
    assertThat(text)
        .contains("Interrupted: the node was ended, its files removed.")
        .doesNotContain("xception", "INCOMPLETE");
    assertThat(directory.resolve("target/compare/stcs-1")).doesNotExist();
  }

  @Test
  void aNodeThatDiesIsASentenceAndALog() throws Exception {
    Process process = compare("--strategies=stcs");
    String text = readUntilEnd(process, ProcessHandle::destroyForcibly);
    assertThat(process.waitFor()).as(text).isEqualTo(BenchExitCode.INCOMPLETE);
    Path log = directory.resolve("target/compare/stcs-1/system.log");
    assertThat(text)
        .contains("the node ended with code")
        .contains("log: " + log.toRealPath())
        .contains("compare: INCOMPLETE");
  }

  /** Reads what the process prints; acts on the node when the process has named it. */
  private String readUntilEnd(Process process, Consumer<ProcessHandle> onNode) throws IOException {
    StringBuilder text = new StringBuilder();
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        text.append(line).append('\n');
        if (NODE.matcher(line).find()) {
          nodes = process.children().toList();
          nodes.forEach(onNode);
        }
      }
    }
    return text.toString();
  }
}
