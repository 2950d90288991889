// Copyright the Coppice authors. Licensed under the Apache License, version 2.0.
package io.coppice.cassandra;

import static org.assertj.core.api.Assertions.assertThat;

import io.coppice.cassandra.node.NodeFiles;
import io.coppice.cassandra.node.OnJdk17;
import io.coppice.cassandra.node.RestartSteps;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The packaged jar in nodes of their own, on Cassandra's own class path and with three data
 * directories: fill, crash amid a major compaction, resume, go back to stock strategies, uninstall;
 * and what docs/how-to/recover.md says to do where one table was forgotten.
 */
@OnJdk17
final class RestartIT {

  private static final long MAX_SECONDS = 300;

  @Test
  void aCrashARestartAndTheWayBackLoseNoRow() throws Exception {
    NodeFiles files = NodeFiles.fresh("restart", RestartSteps.DATA_DIRECTORIES);
    assertThat(step(files, "fill-and-crash", Optional.of(ChildNode.JAR)))
        .isEqualTo(RestartSteps.CRASHED);
    assertThat(transactionLogs(files)).as("a compaction was cut off").isPositive();
    assertThat(step(files, "resume-and-leave", Optional.of(ChildNode.JAR))).isZero();
    assertThat(Files.readString(files.log()))
        .contains("coppice " + System.getProperty("coppice.version") + " (for Cassandra 5.0.x)")
        .contains(" as the schema says");

    assertThat(step(files, "too-early", Optional.empty())).isEqualTo(1);
    assertThat(Files.readString(files.home().resolve("too-early.txt")))
        .contains("Unable to find compaction strategy class")
        .contains("io.coppice.cassandra.SplitForestCompactionStrategy");
    // It complains, rightly; nodes after it must not.
    Files.delete(files.log());
    assertThat(step(files, "with-stand-ins", Optional.of(standIns(files.home())))).isZero();
    assertThat(step(files, "without-the-jar", Optional.empty())).isZero();
  }

  /** What the page tells an operator to compile, as it stands there. */
  private static Path standIns(Path home) throws IOException, InterruptedException {
    String page = Files.readString(Path.of("..", "docs", "how-to", "recover.md"));
    Matcher code = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL).matcher(page);
    assertThat(code.find()).isTrue();
    Path source = home.resolve("SplitForestCompactionStrategy.java");
    Files.writeString(source, code.group(1));
    Path classes = Files.createDirectories(home.resolve("stand-ins"));
    Process javac =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "javac").toString(),
                "--release",
                "11",
                "-proc:none",
                "-cp",
                System.getProperty("coppice.node.lib") + "/*",
                "-d",
                classes.toString(),
                source.toString())
            .inheritIO()
            .start();
    assertThat(javac.waitFor()).isZero();
    return classes;
  }

  private static long transactionLogs(NodeFiles files) throws IOException {
    long logs = 0;
    for (Path directory : files.data().toList()) {
      try (var found = Files.walk(directory)) {
        logs +=
            found
                .filter(file -> file.getFileName().toString().startsWith("nb_txn_compaction"))
                .count();
      }
    }
    return logs;
  }

  /** Runs a step in its own process; its output is shown when it fails. */
  private static int step(NodeFiles files, String step, Optional<Path> plugin)
      throws IOException, InterruptedException {
    Path output = files.home().resolve(step + ".txt");
    Process process =
        ChildNode.of(files, plugin, RestartSteps.class, List.of(step, files.home().toString()))
            .redirectOutput(output.toFile())
            .start();
    try {
      assertThat(process.waitFor(MAX_SECONDS, TimeUnit.SECONDS)).as(step + " ended").isTrue();
    } finally {
      process.destroyForcibly();
    }
    if (process.exitValue() == 1 && !step.equals("too-early")) {
      System.out.println(Files.readString(output));
    }
    return process.exitValue();
  }
}
